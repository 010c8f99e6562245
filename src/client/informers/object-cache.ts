// The objects of an informer by key, with indexes. Objects are shared and frozen: nobody gets a copy.

import type { ObjectKey } from "../../meta/object.ts";
import type { Stored } from "../resources/resource-type.ts";

/** The values under which an object is found; none leaves it out of the index. */
export type IndexFunction<T> = (object: Stored<T>) => readonly string[];

/** What readers see of a cache. */
export interface ObjectReader<T> {
  readonly size: number;
  get(key: ObjectKey | string): Stored<T> | undefined;
  /** In no particular order; of one namespace where it is named. */
  list(namespace?: string): Stored<T>[];
  /** Without a copy of the list. */
  values(): IterableIterator<Stored<T>>;
  /** Fails when there is no such index. */
  byIndex(index: string, value: string): Stored<T>[];
  /** How many byIndex() would answer. */
  countByIndex(index: string, value: string): number;
}

/** `namespace/name`, or the name alone. */
export function keyText({ namespace, name }: ObjectKey): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

export function keyOf(object: {
  readonly metadata: { readonly namespace?: string | undefined; readonly name?: string | undefined };
}): ObjectKey {
  const { namespace, name = "" } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

/** The inverse of keyText. */
export function parseKeyText(text: string): ObjectKey {
  const slash = text.indexOf("/");
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

const NAMESPACE_INDEX = "namespace";

export class ObjectCache<T> implements ObjectReader<T> {
  readonly #objects = new Map<string, Stored<T>>();
  readonly #indexes = new Map<string, Index<T>>([
    [NAMESPACE_INDEX, new Index<T>(({ metadata }) => (metadata.namespace === undefined ? [] : [metadata.namespace]))],
  ]);

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey | string): Stored<T> | undefined {
    return this.#objects.get(typeof key === "string" ? key : keyText(key));
  }

  list(namespace?: string): Stored<T>[] {
    return namespace === undefined ? [...this.#objects.values()] : this.byIndex(NAMESPACE_INDEX, namespace);
  }

  values(): IterableIterator<Stored<T>> {
    return this.#objects.values();
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  byIndex(index: string, value: string): Stored<T>[] {
    const objects: Stored<T>[] = [];
    for (const key of this.#index(index).keys(value)) objects.push(this.#objects.get(key)!);
    return objects;
  }

  countByIndex(index: string, value: string): number {
    return this.#index(index).keys(value).size;
  }

  /** The same name again is the same index: the first function stays. */
  addIndex(name: string, values: IndexFunction<T>): void {
    if (this.#indexes.has(name)) return;
    const index = new Index(values);
    for (const [key, object] of this.#objects) index.add(key, object);
    this.#indexes.set(name, index);
  }

  /** Returns what stood there before. */
  set(key: string, object: Stored<T>): Stored<T> | undefined {
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.replace(key, old, object);
    return old;
  }

  delete(key: string): Stored<T> | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.remove(key, old);
    return old;
  }

  #index(name: string): Index<T> {
    const found = this.#indexes.get(name);
    if (found === undefined) throw new Error(`there is no index ${JSON.stringify(name)}`);
    return found;
  }
}

const NO_KEYS: ReadonlySet<string> = new Set();

class Index<T> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #keys = new Map<string, Set<string>>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  keys(value: string): ReadonlySet<string> {
    return this.#keys.get(value) ?? NO_KEYS;
  }

  add(key: string, object: Stored<T>): void {
    for (const value of this.#valuesOf(object)) {
      const keys = this.#keys.get(value);
      if (keys === undefined) this.#keys.set(value, new Set([key]));
      else keys.add(key);
    }
  }

  remove(key: string, object: Stored<T>): void {
    for (const value of this.#valuesOf(object)) {
      const keys = this.#keys.get(value);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(value);
    }
  }

  /** Most changes leave an object where it was found. */
  replace(key: string, old: Stored<T> | undefined, object: Stored<T>): void {
    if (old !== undefined) {
      const [before, after] = [this.#valuesOf(old), this.#valuesOf(object)];
      if (before.length === after.length && before.every((value, at) => value === after[at])) return;
      this.remove(key, old);
    }
    this.add(key, object);
  }
}
