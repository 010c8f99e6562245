// Structs whose members are made on the first look at them: recursion works, and a kind costs when it is first used.

import type { Members } from "./declared-types.ts";
import { type Field, type Inline, isInline, type StructSchema, type ValidationRule } from "./schema.ts";

export interface StructOptions {
  readonly mapType?: StructSchema["mapType"];
  readonly preserveUnknown?: boolean;
  readonly embedded?: boolean;
  readonly opaque?: boolean;
  readonly rules?: readonly ValidationRule[];
  readonly unions?: StructSchema["unions"];
  readonly gated?: StructSchema["gated"];
}

export class LazyStruct implements StructSchema {
  readonly type = "struct";
  readonly name: string;
  readonly doc?: string;
  readonly mapType?: "atomic" | "granular";
  readonly preserveUnknown?: boolean;
  readonly embedded?: boolean;
  readonly opaque?: boolean;
  readonly rules?: readonly ValidationRule[];
  readonly unions?: NonNullable<StructSchema["unions"]>;
  readonly gated?: NonNullable<StructSchema["gated"]>;
  readonly #declare: () => Members;
  #members: readonly (Field | Inline)[] | undefined;
  #fields: ReadonlyMap<string, Field> | undefined;

  constructor(name: string, options: StructOptions & { readonly doc?: string }, declare: () => Members) {
    this.name = name;
    Object.assign(this, options);
    this.#declare = declare;
  }

  get members(): readonly (Field | Inline)[] {
    this.#members ??= Object.entries(this.#declare()).map(([name, declaration]) =>
      "toField" in declaration ? declaration.toField(name) : declaration.toInline(),
    );
    return this.#members;
  }

  get fields(): ReadonlyMap<string, Field> {
    if (this.#fields === undefined) {
      const fields = new Map<string, Field>();
      for (const member of this.members) {
        if (!isInline(member)) fields.set(member.name, member);
        else for (const [name, inlined] of member.inline.fields) fields.set(name, inlined);
      }
      this.#fields = fields;
    }
    return this.#fields;
  }
}

/** The same struct under another name, or owned as a whole or field by field as `mapType` says. */
export function copyOf<S extends StructSchema>(struct: S, changes: Pick<StructSchema, "name" | "mapType">): S {
  const { name, doc, mapType } = { name: struct.name, doc: struct.doc, mapType: struct.mapType, ...changes };
  const copy: StructSchema = {
    type: "struct",
    ...(name === struct.name && { plain: struct }),
    ...(name !== undefined && { name }),
    ...(doc !== undefined && { doc }),
    ...(mapType !== undefined && { mapType }),
    ...(struct.gated !== undefined && { gated: struct.gated }),
    get members() {
      return struct.members;
    },
    get fields() {
      return struct.fields;
    },
  };
  return copy as S;
}
