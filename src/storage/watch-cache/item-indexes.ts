// Which items have a label or field with a given value: made for what lists ask for again and again, kept in step with every
// change, so that a list with a selector costs what it returns. Specification: document 1, "List and watch semantics".

import { afterThisTurn } from "../../base/next-turn.ts";
import type { CacheItem } from "./cache-event.ts";
import { compareKeys, type OrderedMap } from "./ordered-map.ts";
import { attributeKey, attributeOf, type Requirement } from "./requirement.ts";

/** Fewer items than these are looked through faster than an index is worth. */
const MIN_ITEMS = 256;
/** The least recently asked for goes when there would be more. */
const MAX_INDEXES = 8;
/** Of one selector, so many requirements are looked at, with so many values each. */
const MAX_REQUIREMENTS = 4;
const MAX_VALUES = 64;
/** So many items are read in one turn while an index is made. */
const ITEMS_PER_TURN = 4096;
/** All keys begin like this. */
const EVERY_KEY = "/";

export class ItemIndexes {
  readonly #items: OrderedMap<CacheItem>;
  /** By what they look at; the least recently asked for first. */
  readonly #indexes = new Map<string, ItemIndex>();
  /** What was asked for once: most selectors never come back. */
  #askedOnce = new Set<string>();
  /** Nobody can tell what an unreadable item would be selected by: while there are any, nothing is found here. */
  #unreadable = 0;

  constructor(items: OrderedMap<CacheItem>) {
    this.#items = items;
  }

  /**
   * The keys, in no order, among which are all that every one of the requirements holds for: the shortest list that is
   * known. Undefined when none is. Where `isMany`, the first question already makes an index: looking at so much once takes
   * hardly less than making one.
   */
  candidates(requirements: readonly Requirement[], isMany = (): boolean => false): readonly string[] | undefined {
    if (this.#unreadable > 0 || this.#items.size < MIN_ITEMS) return undefined;
    let best: ItemIndex | undefined;
    let bestValues: readonly string[] = [];
    let fewest = Number.POSITIVE_INFINITY;
    for (const requirement of requirements.slice(0, MAX_REQUIREMENTS)) {
      const { values } = requirement;
      if (values.length > MAX_VALUES) continue;
      const index = this.#indexFor(requirement, isMany);
      const count = index?.count(values) ?? fewest;
      if (count < fewest) [best, bestValues, fewest] = [index, values, count];
    }
    return best?.keys(bestValues);
  }

  /** When the indexes that are being made for these are complete; undefined when none is. */
  underWay(requirements: readonly Requirement[]): Promise<unknown> | undefined {
    const unfinished: Promise<void>[] = [];
    for (const requirement of requirements.slice(0, MAX_REQUIREMENTS)) {
      const index = this.#indexes.get(attributeKey(requirement));
      if (index?.isComplete === false) unfinished.push(index.finished);
    }
    return unfinished.length === 0 ? undefined : Promise.all(unfinished);
  }

  /** An item has come, gone, or taken the place of another with the same key. */
  replace(previous: CacheItem | undefined, item: CacheItem | undefined): void {
    if (previous?.corrupt !== undefined) this.#unreadable -= 1;
    if (item?.corrupt !== undefined) this.#unreadable += 1;
    for (const index of this.#indexes.values()) index.replace(previous, item);
  }

  #indexFor(requirement: Requirement, isMany: () => boolean): ItemIndex | undefined {
    const key = attributeKey(requirement);
    const known = this.#indexes.get(key);
    if (known !== undefined) {
      this.#indexes.delete(key);
      this.#indexes.set(key, known);
      return known.isComplete ? known : undefined;
    }
    if (!this.#askedOnce.delete(key) && !isMany()) {
      if (this.#askedOnce.size >= MAX_INDEXES) this.#askedOnce = new Set();
      this.#askedOnce.add(key);
      return undefined;
    }
    const [oldest] = this.#indexes.keys();
    if (oldest !== undefined && this.#indexes.size >= MAX_INDEXES) this.#indexes.delete(oldest);
    const index = new ItemIndex(requirement);
    this.#indexes.set(key, index);
    this.#fill(key, index);
    return index.isComplete ? index : undefined;
  }

  /** Reads what is there now, and in the next turns what follows: changes meanwhile are either before or after that place. */
  #fill(key: string, index: ItemIndex): void {
    if (this.#indexes.get(key) !== index) {
      // Another has taken its place: who waits looks for himself.
      index.finish();
      return;
    }
    let count = 0;
    let more = false;
    this.#items.visit(EVERY_KEY, index.filledTo, (item) => {
      more = count === ITEMS_PER_TURN;
      if (more) return false;
      count += 1;
      index.fill(item);
      return true;
    });
    if (more) afterThisTurn(() => this.#fill(key, index));
    else index.finish();
  }
}

/** One label or field: the keys by its values. */
class ItemIndex {
  readonly #attribute: Pick<Requirement, "of" | "name">;
  /** Most values of names, and many of labels, belong to one item only. */
  readonly #keys = new Map<string, string | Set<string>>();
  readonly finished: Promise<void>;
  #finish: () => void = () => undefined;
  isComplete = false;
  /** Items up to this key are in here. */
  filledTo: string | undefined;

  constructor(attribute: Pick<Requirement, "of" | "name">) {
    this.#attribute = attribute;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Everything is in here. */
  finish(): void {
    this.isComplete = true;
    this.#finish();
  }

  fill(item: CacheItem): void {
    this.#add(item);
    this.filledTo = item.key;
  }

  replace(previous: CacheItem | undefined, item: CacheItem | undefined): void {
    if (!this.#isPast((item ?? previous)!.key)) return;
    const before = previous && attributeOf(previous, this.#attribute);
    const now = item && attributeOf(item, this.#attribute);
    if (before === now) return;
    if (previous !== undefined) this.#remove(previous);
    if (item !== undefined) this.#add(item);
  }

  count(values: readonly string[]): number {
    let count = 0;
    for (const value of values) {
      const keys = this.#keys.get(value);
      if (keys !== undefined) count += typeof keys === "string" ? 1 : keys.size;
    }
    return count;
  }

  keys(values: readonly string[]): readonly string[] {
    const found: string[] = [];
    for (const value of new Set(values)) {
      const keys = this.#keys.get(value);
      if (typeof keys === "string") found.push(keys);
      else for (const key of keys ?? []) found.push(key);
    }
    return found;
  }

  #isPast(key: string): boolean {
    return this.isComplete || (this.filledTo !== undefined && compareKeys(key, this.filledTo) <= 0);
  }

  #add(item: CacheItem): void {
    const value = attributeOf(item, this.#attribute);
    if (value === undefined) return;
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, item.key);
    else if (typeof keys !== "string") keys.add(item.key);
    else if (keys !== item.key) this.#keys.set(value, new Set([keys, item.key]));
  }

  #remove(item: CacheItem): void {
    const value = attributeOf(item, this.#attribute);
    if (value === undefined) return;
    const keys = this.#keys.get(value);
    if (keys === item.key) this.#keys.delete(value);
    else if (typeof keys === "object" && keys.delete(item.key) && keys.size === 0) this.#keys.delete(value);
  }
}
