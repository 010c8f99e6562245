// What stands behind feature gates that are off: decoded, shown to admission and owned by whoever wrote it, but dropped
// before the object is judged. What a stored object has of it already may stay.

import type { Steps } from "../base/steps.ts";
import type { Field, GatedPart, Schema, StructSchema } from "./schema.ts";

interface StructPlan {
  readonly parts: readonly GatedPart[];
  readonly fields: readonly (Field & { readonly gate: string })[];
  /** Fields whose values hold anything of the kind. */
  readonly inner: readonly Field[];
}

type Members = Record<string, unknown>;
type Look = (members: Members, plan: StructPlan) => void;

const ITEMS_PER_STEP = 60;

const NO_GATES: ReadonlySet<string> = new Set();

/** The fields of one schema whose gates are off. What there is of them is found out on first use. */
export class GatedFields {
  readonly #schema: StructSchema;
  readonly #isOn: (gate: string) => boolean;
  readonly #plans = new Map<StructSchema, StructPlan>();
  readonly #reached = new Map<Schema, boolean>();

  constructor(schema: StructSchema, isOn: (gate: string) => boolean) {
    this.#schema = schema;
    this.#isOn = isOn;
  }

  /**
   * Changes `object` in place. A gate whose fields `old` uses counts as on: members that are those of `old` are neither
   * looked at nor changed.
   */
  *drop(object: object, old?: object): Steps<void> {
    if (!this.#reaches(this.#schema)) return;
    const used = yield* this.#usedIn(object, old);
    if (used.size === 0) return;
    const kept = old === undefined ? NO_GATES : yield* this.#usedIn(old);
    const isOff = (gate: string): boolean => !kept.has(gate);
    yield* this.#visitAllBut(object as Members, old as Members, (members, { parts, fields }) => {
      for (const { gate, drop } of parts) if (isOff(gate)) drop(members as never);
      for (const { gate, name } of fields) if (isOff(gate)) delete members[name];
    });
  }

  *#usedIn(object: object, old?: object): Steps<ReadonlySet<string>> {
    const used = new Set<string>();
    yield* this.#visitAllBut(object as Members, old as Members | undefined, (members, { parts, fields }) => {
      for (const { gate, uses } of parts) if (uses(members as never)) used.add(gate);
      for (const { gate, name } of fields) if (Object.hasOwn(members, name)) used.add(gate);
    });
    return used;
  }

  /** Every such struct of an object, but for members that are the very same in `old`. */
  *#visitAllBut(object: Members, old: Members | undefined, look: Look): Steps<void> {
    const plan = this.#planOf(this.#schema);
    look(object, plan);
    for (const { name, schema } of plan.inner)
      if (object[name] !== old?.[name]) yield* this.#visit(object[name], schema, look);
  }

  /** Every struct that has such fields or holds values that do, the outer ones first. A turn after so many items of a list. */
  *#visit(value: unknown, schema: Schema, look: Look): Steps<void> {
    if (typeof value !== "object" || value === null) return;
    if (schema.type === "list") yield* this.#visitItems(value as unknown[], schema.items, look);
    else if (schema.type === "map") yield* this.#visitItems(Object.values(value), schema.values, look);
    else if (schema.type === "struct") {
      const plan = this.#planOf(schema);
      const members = value as Members;
      look(members, plan);
      for (const { name, schema } of plan.inner)
        if (typeof members[name] === "object") yield* this.#visit(members[name], schema, look);
    }
  }

  *#visitItems(items: readonly unknown[], schema: Schema, look: Look): Steps<void> {
    for (const [index, item] of items.entries()) {
      if (index % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield;
      yield* this.#visit(item, schema, look);
    }
  }

  #planOf(schema: StructSchema): StructPlan {
    let plan = this.#plans.get(schema);
    if (plan === undefined) {
      const all = [...schema.fields.values()];
      plan = {
        parts: (schema.gated ?? []).filter(({ gate }) => !this.#isOn(gate)),
        fields: all.filter((field): field is Field & { gate: string } => this.#isOff(field)),
        inner: all.filter((field) => !this.#isOff(field) && this.#reaches(field.schema)),
      };
      this.#plans.set(schema, plan);
    }
    return plan;
  }

  #isOff({ gate }: { readonly gate?: string }): boolean {
    return gate !== undefined && !this.#isOn(gate);
  }

  #reaches(schema: Schema): boolean {
    let reaches = this.#reached.get(schema);
    if (reaches === undefined) {
      reaches = this.#finds(schema, new Set());
      this.#reached.set(schema, reaches);
    }
    return reaches;
  }

  #finds(schema: Schema, seen: Set<Schema>): boolean {
    if (seen.has(schema)) return false;
    seen.add(schema);
    if (schema.type === "list") return this.#finds(schema.items, seen);
    if (schema.type === "map") return this.#finds(schema.values, seen);
    if (schema.type !== "struct") return false;
    if (schema.gated?.some((part) => this.#isOff(part))) return true;
    return [...schema.fields.values()].some((field) => this.#isOff(field) || this.#finds(field.schema, seen));
  }
}
