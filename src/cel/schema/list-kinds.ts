// Lists that are sets or maps by their keys: equal in any order, merged by `+`.

import { type Adapter, JsonList, JsonMap } from "../json.ts";
import { equals, listContains } from "../operations/equality.ts";
import { numberOf } from "../operations/numbers.ts";
import { countWork } from "../operations/work.ts";
import { type CelListValue, type CelValue, listAt, listSize, listToArray } from "../values.ts";
import { SchemaObject } from "./schema-object.ts";

/** Elements in any order, each once. */
export class SetList extends JsonList {
  override equals(other: CelListValue): boolean {
    if (listSize(other) !== this.size) return false;
    const known = new ValueSet(listToArray(this));
    return listToArray(other).every((item) => known.has(item));
  }

  /** The union, a set again: what is new goes to the end. */
  override merge(right: CelListValue): CelValue {
    const merged = [...listToArray(this)];
    const known = new ValueSet(merged);
    for (const item of listToArray(right)) {
      if (known.has(item)) continue;
      known.add(item);
      merged.push(item);
    }
    return new SetList(merged, this.adapt);
  }
}

/** Scalars by look-up, everything else one by one. */
class ValueSet {
  readonly #scalars = new Set<string | number | bigint | boolean>();
  readonly #others: CelValue[] = [];

  constructor(values: readonly CelValue[]) {
    for (const value of values) this.add(value);
  }

  add(value: CelValue): void {
    countWork(1);
    const scalar = scalarOf(value);
    if (scalar === undefined) this.#others.push(value);
    else this.#scalars.add(scalar);
  }

  has(value: CelValue): boolean {
    const scalar = scalarOf(value);
    return scalar === undefined ? listContains(this.#others, value) : this.#scalars.has(scalar);
  }
}

/** Numbers that count the same are the same element. */
function scalarOf(value: CelValue): string | number | bigint | boolean | undefined {
  if (typeof value === "string" || typeof value === "boolean") return value;
  return numberOf(value);
}

/** Elements told apart by some of their fields, in any order. */
export class MapList extends JsonList {
  readonly #keys: readonly string[];
  #index: Map<string, number> | undefined;

  constructor(raw: readonly unknown[], adapt: Adapter, keys: readonly string[]) {
    super(raw, adapt);
    this.#keys = keys;
  }

  override equals(other: CelListValue): boolean {
    if (listSize(other) !== this.size) return false;
    const index = this.#byKey();
    for (let position = 0; position < listSize(other); position++) {
      const item = listAt(other, position);
      const own = index.get(this.#keyOf(item));
      if (own === undefined || !equals(this.at(own), item)) return false;
    }
    return true;
  }

  /** A list of the same kind: elements of the right replace those with the same key; new ones go to the end. */
  override merge(right: CelListValue): CelValue {
    const merged: unknown[] = [...this.raw];
    const index = this.#byKey();
    countWork(listSize(right));
    for (const item of listToArray(right)) {
      const own = index.get(this.#keyOf(item));
      if (own === undefined) merged.push(item);
      else merged[own] = item;
    }
    return new MapList(merged, this.adapt, this.#keys);
  }

  #byKey(): ReadonlyMap<string, number> {
    countWork(this.raw.length);
    this.#index ??= new Map(this.raw.map((raw, position) => [this.#keyOf(raw), position]));
    return this.#index;
  }

  /** Of JSON, or of the value that was made of it. */
  #keyOf(item: unknown): string {
    const raw = item instanceof SchemaObject || item instanceof JsonMap ? item.raw : item;
    const source = typeof raw === "object" && raw !== null ? (raw as Readonly<Record<string, unknown>>) : {};
    return JSON.stringify(this.#keys.map((key) => (Object.hasOwn(source, key) ? keyText(source[key]) : null)));
  }
}

/** Keys are texts, numbers or truths; in data that does not fit its schema they may be anything. */
const keyText = (key: unknown): string => (typeof key === "object" && key !== null ? "{}" : String(key));
