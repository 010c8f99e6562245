// One object by name, as authentication needs it: from the watch cache, decoded once per change and not per request.

import type { ApiObject } from "../meta/object.ts";
import type { CacheItem } from "../storage/watch-cache.ts";
import { decodeStored } from "./object-bytes.ts";
import type { ObjectStore } from "./object-store.ts";

export class ObjectLookup<P> {
  readonly #store: ObjectStore;
  readonly #project: (object: ApiObject) => P;
  readonly #projected = new WeakMap<CacheItem, P>();
  #ready = false;

  constructor(store: ObjectStore, project: (object: ApiObject) => P) {
    this.#store = store;
    this.#project = project;
  }

  /** Resolves when get() finds what there is. */
  async ready(): Promise<void> {
    await this.#store.cache.ready();
    this.#ready = true;
  }

  /** As far as this server has heard; nothing before ready(). */
  get(namespace: string, name: string): P | undefined {
    if (!this.#ready) return undefined;
    const item = this.#store.cache.get(this.#store.keyOf(namespace, name));
    if (item === undefined || item.corrupt !== undefined) return undefined;
    let known = this.#projected.get(item);
    if (known === undefined) {
      known = this.#project(decodeStored(item.bytes, item.revision));
      this.#projected.set(item, known);
    }
    return known;
  }

  /** As the store has it now: another server may have made it a moment ago. */
  async getNewest(namespace: string, name: string): Promise<P | undefined> {
    const entry = await this.#store.get(this.#store.keyOf(namespace, name));
    return entry === undefined ? undefined : this.#project(this.#store.decode(entry));
  }
}
