// Records of the server that are no resource of the API: who has a node port, which servers are alive. Keys of the store
// below a prefix of their own, with the races between servers decided here.

import type { ApiObject } from "../meta/object.ts";
import { isStorageError } from "../storage/storage-error.ts";
import type { Catalog } from "./catalog.ts";
import { encodeStored } from "./object-bytes.ts";
import type { ObjectStore } from "./object-store.ts";
import { newUid, timestamp } from "./write.ts";

/** Another writer came between so often at the most. */
const MAX_ATTEMPTS = 8;

export class PrivateRecords {
  readonly store: ObjectStore;
  readonly #catalog: Catalog;

  /** Records vanish after `ttlSeconds` without a write, where given. */
  constructor(catalog: Catalog, prefix: string, ttlSeconds?: number) {
    this.#catalog = catalog;
    this.store = catalog.privateStore(prefix, ttlSeconds);
  }

  /** Makes a record. Its uid; undefined when there is one of that name. */
  async create(name: string, members: Readonly<Record<string, unknown>> = {}): Promise<string | undefined> {
    const object = this.#record(name, members);
    try {
      await this.store.create(this.store.keyOf("", name), object, encodeStored(object));
      return object.metadata.uid;
    } catch (error) {
      if (isStorageError(error, "KeyExists")) return undefined;
      throw error;
    }
  }

  /** Writes a record, whether there is one or not. */
  async put(name: string, members: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const key = this.store.keyOf("", name);
    for (let attempt = 1; ; attempt += 1) {
      const object = this.#record(name, members);
      try {
        const entry = await this.store.get(key);
        if (entry === undefined) await this.store.create(key, object, encodeStored(object));
        else await this.store.update(key, object, encodeStored(object), entry.revision);
        return;
      } catch (error) {
        const raced = isStorageError(error, "KeyExists", "KeyNotFound", "RevisionMismatch");
        if (!raced || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Writes a record that is there, so that it stays longer. False when there is none. */
  async renew(name: string, members: Readonly<Record<string, unknown>> = {}): Promise<boolean> {
    const key = this.store.keyOf("", name);
    for (let attempt = 1; ; attempt += 1) {
      const object = this.#record(name, members);
      const entry = await this.store.get(key);
      if (entry === undefined) return false;
      try {
        await this.store.update(key, object, encodeStored(object), entry.revision);
        return true;
      } catch (error) {
        if (!isStorageError(error, "KeyNotFound", "RevisionMismatch") || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  remove(name: string, condition?: (object: ApiObject) => boolean): Promise<void> {
    return removeStored(this.store, this.store.keyOf("", name), condition);
  }

  /** Of all records, as the store has them now. */
  async names(): Promise<string[]> {
    const { prefix, engine } = this.store;
    const { entries } = await engine.list(prefix);
    return entries.map(({ key }) => key.slice(prefix.length));
  }

  #record(name: string, members: Readonly<Record<string, unknown>>): ApiObject {
    const metadata = { name, uid: newUid(), creationTimestamp: timestamp(this.#catalog.clock) };
    return { metadata, ...members };
  }
}

/** Takes an entry out of the store, if it still fulfils the condition; one that is gone is as good. */
export async function removeStored(
  store: ObjectStore,
  key: string,
  condition: (object: ApiObject) => boolean = () => true,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const entry = await store.get(key);
    if (entry === undefined) return;
    const object = store.decode(entry);
    if (!condition(object)) return;
    try {
      await store.delete(key, entry.revision, object);
      return;
    } catch (error) {
      if (!isStorageError(error, "RevisionMismatch", "KeyNotFound") || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
