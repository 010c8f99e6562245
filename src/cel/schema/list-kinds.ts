// Lists that are sets or maps by their keys: equal in any order, merged by `+`.

import { type Adapter, fromJson, JsonList, JsonMap } from "../json.ts";
import { equals } from "../runtime/equality.ts";
import { type CelListValue, type CelValue, listAt, listSize, listToArray } from "../values.ts";
import { SchemaObject } from "./schema-object.ts";

/** Elements in any order, each once. */
export class SetList extends JsonList {
  override equals(other: CelListValue): boolean {
    if (listSize(other) !== this.size) return false;
    const plain = plainSet(this.raw);
    if (plain !== undefined) return listToArray(other).every((item) => plain.has(item));
    const mine = listToArray(this);
    return listToArray(other).every((item) => mine.some((own) => equals(own, item)));
  }

  /** The union: what is new goes to the end. */
  override merge(right: CelListValue): CelValue {
    const merged = [...listToArray(this)];
    const plain = plainSet(this.raw);
    for (const item of listToArray(right)) {
      const known = plain === undefined ? merged.some((own) => equals(own, item)) : plain.has(item);
      if (known) continue;
      plain?.add(item);
      merged.push(item);
    }
    return merged;
  }
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

  /** Elements of the right replace those with the same key; new ones go to the end. */
  override merge(right: CelListValue): CelValue {
    const merged = [...listToArray(this)];
    const index = new Map(this.#byKey());
    for (const item of listToArray(right)) {
      const key = this.#keyOf(item);
      const own = index.get(key);
      if (own === undefined) {
        index.set(key, merged.length);
        merged.push(item);
      } else {
        merged[own] = item;
      }
    }
    return merged;
  }

  #byKey(): ReadonlyMap<string, number> {
    this.#index ??= new Map(this.raw.map((raw, position) => [this.#keyOfJson(raw), position]));
    return this.#index;
  }

  #keyOf(item: CelValue): string {
    if (item instanceof SchemaObject || item instanceof JsonMap) return this.#keyOfJson(item.raw);
    return this.#keyOfJson(undefined);
  }

  #keyOfJson(raw: unknown): string {
    const source = typeof raw === "object" && raw !== null ? (raw as Readonly<Record<string, unknown>>) : {};
    return JSON.stringify(this.#keys.map((key) => (Object.hasOwn(source, key) ? String(source[key]) : null)));
  }
}

/** The elements as a native set, when all are strings. */
function plainSet(raw: readonly unknown[]): Set<CelValue> | undefined {
  const items = raw.map(fromJson);
  return items.every((item) => typeof item === "string") ? new Set(items) : undefined;
}
