// Other versions of a kind: the same kind under another version, its schema with names of that version.

import type { ApiObject } from "../meta/object.ts";
import type { Describes, Struct } from "../schema/builder.ts";
import { type Field, type Inline, isInline, type Schema, type StructSchema } from "../schema/schema.ts";
import type { Kind } from "./define-kind.ts";

/** What is published of the values that fields may have, by `Struct.field`. */
export type PublishedValues = Readonly<Record<string, readonly string[]>>;

/**
 * A version with the same fields: objects are stored in the form of the given kind, unchanged. Off by default. `published`
 * says which values of fields are published in this version alone; they are checked by rules.
 */
export function anotherVersion<T>(kind: Kind<T>, version: string, published: PublishedValues = {}): Kind<T> {
  const from = packageOf(kind.schema);
  const to = `${from.slice(0, from.lastIndexOf("."))}.${version}`;
  return {
    ...kind,
    version,
    offByDefault: true,
    schema: renamed(kind.schema, from, to, { published }),
    storedAs: {
      group: kind.group,
      version: kind.version,
      kind: kind.kind,
      toStored: (object) => object as unknown as ApiObject,
      fromStored: (object) => object as unknown as T,
    },
  };
}

interface Differences {
  /** Structs of the new package that differ, by their last name. */
  readonly replaced?: ReadonlyMap<string, StructSchema>;
  readonly published?: PublishedValues;
}

/** The schema with every struct of one package renamed into another. */
export function renamed<T>(schema: Struct<T>, from: string, to: string, differences: Differences = {}): Struct<T> {
  const renamer = new Renamer(`${from}.`, `${to}.`, differences);
  return renamer.struct(schema) as StructSchema & Describes<T>;
}

const packageOf = (schema: StructSchema): string => schema.name!.slice(0, schema.name!.lastIndexOf("."));

class Renamer {
  readonly #from: string;
  readonly #to: string;
  readonly #differences: Differences;
  readonly #done = new Map<StructSchema, StructSchema>();

  constructor(from: string, to: string, differences: Differences) {
    this.#from = from;
    this.#to = to;
    this.#differences = differences;
  }

  struct(schema: StructSchema): StructSchema {
    const prefix = [this.#from, this.#to].find((start) => schema.name?.startsWith(start));
    if (prefix === undefined) return schema;
    let copy = this.#done.get(schema);
    if (copy === undefined) {
      const lastName = schema.name!.slice(prefix.length);
      // Structs of the new package may use those of the old one, which are renamed on the way.
      copy = this.#lazyCopy(this.#differences.replaced?.get(lastName) ?? schema, lastName);
      this.#done.set(schema, copy);
    }
    return copy;
  }

  #lazyCopy(schema: StructSchema, lastName: string): StructSchema {
    const name = this.#to + lastName;
    const rename = ({ name: field, schema: inner }: Field): Schema => {
      const values = this.#differences.published?.[`${lastName}.${field}`];
      return values === undefined || inner.type !== "scalar" ? this.#schema(inner) : { ...inner, enum: values };
    };
    const renameStruct = (inner: StructSchema) => this.struct(inner);
    let members: readonly (Field | Inline)[] | undefined;
    let fields: ReadonlyMap<string, Field> | undefined;
    return {
      type: "struct",
      name,
      ...(schema.doc !== undefined && { doc: schema.doc }),
      ...(schema.mapType && { mapType: schema.mapType }),
      ...(schema.unions && { unions: schema.unions }),
      get members() {
        members ??= schema.members.map((member) =>
          isInline(member) ? { ...member, inline: renameStruct(member.inline) } : { ...member, schema: rename(member) },
        );
        return members;
      },
      get fields() {
        fields ??= new Map(
          this.members.flatMap((member): [string, Field][] =>
            isInline(member) ? [...member.inline.fields] : [[member.name, member]],
          ),
        );
        return fields;
      },
    };
  }

  #schema(schema: Schema): Schema {
    if (schema.type === "struct") return this.struct(schema);
    if (schema.type === "list") return { ...schema, items: this.#schema(schema.items) };
    if (schema.type === "map") return { ...schema, values: this.#schema(schema.values) };
    return schema;
  }
}
