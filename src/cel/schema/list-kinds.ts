// Lists that are sets or maps by their keys: equal in any order, merged by `+`.

import { atOnce, Pace, type Steps } from "../../base/steps.ts";
import { type Adapter, JsonList, JsonMap } from "../json.ts";
import { equalsInSteps, listContainsInSteps, PARTS_PER_STEP } from "../operations/equality.ts";
import { numberOf } from "../operations/numbers.ts";
import { countWork } from "../operations/work.ts";
import { type CelListValue, type CelValue, listAt, listSize, listToArray } from "../values.ts";
import { SchemaObject } from "./schema-object.ts";

/** Elements in any order, each once. */
export class SetList extends JsonList {
  override equals(other: CelListValue): boolean {
    return atOnce(this.equalsInSteps(other, new Pace(Number.POSITIVE_INFINITY)));
  }

  override *equalsInSteps(other: CelListValue, pace: Pace): Steps<boolean> {
    if (listSize(other) !== this.size) return false;
    const known = new ValueSet(pace);
    yield* known.addAll(this);
    for (let index = 0; index < listSize(other); index++) {
      if (pace.due()) yield;
      if (!(yield* known.has(listAt(other, index)))) return false;
    }
    return true;
  }

  override merge(right: CelListValue): CelValue {
    return atOnce(this.#merged(right, new Pace(Number.POSITIVE_INFINITY)));
  }

  override mergeInSteps(right: CelListValue): Steps<CelValue> {
    return this.#merged(right, new Pace(PARTS_PER_STEP));
  }

  /** The union, a set again: what is new goes to the end. */
  *#merged(right: CelListValue, pace: Pace): Steps<CelValue> {
    const merged = [...listToArray(this)];
    const known = new ValueSet(pace);
    yield* known.addAll(this);
    for (let index = 0; index < listSize(right); index++) {
      if (pace.due()) yield;
      const item = listAt(right, index);
      if (yield* known.has(item)) continue;
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
  readonly #pace: Pace;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  *addAll(values: JsonList): Steps<void> {
    for (let index = 0; index < values.size; index++) {
      if (this.#pace.due()) yield;
      this.add(values.at(index));
    }
  }

  add(value: CelValue): void {
    countWork(1);
    const scalar = scalarOf(value);
    if (scalar === undefined) this.#others.push(value);
    else this.#scalars.add(scalar);
  }

  *has(value: CelValue): Steps<boolean> {
    const scalar = scalarOf(value);
    if (scalar !== undefined) return this.#scalars.has(scalar);
    return yield* listContainsInSteps(this.#others, value, this.#pace);
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
  #index: Map<string | undefined, number> | undefined;

  constructor(raw: readonly unknown[], adapt: Adapter, keys: readonly string[]) {
    super(raw, adapt);
    this.#keys = keys;
  }

  override equals(other: CelListValue): boolean {
    return atOnce(this.equalsInSteps(other, new Pace(Number.POSITIVE_INFINITY)));
  }

  override *equalsInSteps(other: CelListValue, pace: Pace): Steps<boolean> {
    if (listSize(other) !== this.size) return false;
    const index = yield* this.#byKey(pace);
    for (let position = 0; position < listSize(other); position++) {
      if (pace.due()) yield;
      const item = listAt(other, position);
      const own = index.get(this.#keyOf(item));
      if (own === undefined || !(yield* equalsInSteps(this.at(own), item, pace))) return false;
    }
    return true;
  }

  override merge(right: CelListValue): CelValue {
    return atOnce(this.#merged(right, new Pace(Number.POSITIVE_INFINITY)));
  }

  override mergeInSteps(right: CelListValue): Steps<CelValue> {
    return this.#merged(right, new Pace(PARTS_PER_STEP));
  }

  /** A list of the same kind: elements of the right replace those with the same key; new ones go to the end. */
  *#merged(right: CelListValue, pace: Pace): Steps<CelValue> {
    const merged: unknown[] = [...this.raw];
    const index = yield* this.#byKey(pace);
    countWork(listSize(right));
    for (let position = 0; position < listSize(right); position++) {
      if (pace.due()) yield;
      const item = listAt(right, position);
      const own = index.get(this.#keyOf(item));
      if (own === undefined) merged.push(item);
      else merged[own] = item;
    }
    return new MapList(merged, this.adapt, this.#keys);
  }

  *#byKey(pace: Pace): Steps<ReadonlyMap<string | undefined, number>> {
    countWork(this.raw.length);
    if (this.#index !== undefined) return this.#index;
    const index = new Map<string | undefined, number>();
    for (let position = 0; position < this.raw.length; position++) {
      if (pace.due()) yield;
      index.set(this.#keyOf(this.raw[position]), position);
    }
    this.#index = index;
    return index;
  }

  /** Of JSON, or of the value that was made of it. */
  #keyOf(item: unknown): string | undefined {
    const raw = item instanceof SchemaObject || item instanceof JsonMap ? item.raw : item;
    const source = typeof raw === "object" && raw !== null ? (raw as Readonly<Record<string, unknown>>) : {};
    const [first] = this.#keys;
    // Most have one, and it takes a third of the time to have it as it is.
    if (this.#keys.length === 1) return Object.hasOwn(source, first!) ? keyText(source[first!]) : undefined;
    return JSON.stringify(this.#keys.map((key) => (Object.hasOwn(source, key) ? keyText(source[key]) : null)));
  }
}

/** Keys are texts, numbers or truths; in data that does not fit its schema they may be anything. */
const keyText = (key: unknown): string => (typeof key === "object" && key !== null ? "{}" : String(key));
