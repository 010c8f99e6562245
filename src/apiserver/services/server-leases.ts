// Which servers of one store are alive: each renews a key that vanishes when it does not.
//
//   /registry/masterleases/10.0.0.5   {"metadata":{"name":"10.0.0.5",...}}   gone 15 s after the last renewal

import type { Clock } from "../../base/clock.ts";
import type { ApiObject } from "../../meta/object.ts";
import { type Catalog, KEY_ROOT } from "../../registry/catalog.ts";
import { encodeStored } from "../../registry/object-bytes.ts";
import { ObjectStore } from "../../registry/object-store.ts";
import { newUid, timestamp } from "../../registry/write.ts";
import type { StorageEngine } from "../../storage/engine.ts";
import { isStorageError } from "../../storage/storage-error.ts";

const PREFIX = `${KEY_ROOT}masterleases/`;
const TTL_SECONDS = 15;
const MAX_ATTEMPTS = 8;

export class ServerLeases {
  readonly #store: ObjectStore;
  readonly #clock: Clock;

  constructor(catalog: Catalog, engine: StorageEngine, clock: Clock) {
    this.#clock = clock;
    this.#store = catalog.storeAt(
      PREFIX,
      () =>
        new ObjectStore({
          engine,
          prefix: PREFIX,
          namespaced: false,
          fieldsOf: () => ({}),
          clock,
          ttlSeconds: TTL_SECONDS,
        }),
    );
  }

  async renew(address: string): Promise<void> {
    const key = this.#store.keyOf("", address);
    const object: ApiObject = {
      metadata: { name: address, uid: newUid(), creationTimestamp: timestamp(this.#clock) },
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const entry = await this.#store.get(key);
        if (entry === undefined) await this.#store.create(key, object, encodeStored(object));
        else await this.#store.update(key, object, encodeStored(object), entry.revision);
        return;
      } catch (error) {
        const raced = isStorageError(error, "KeyExists", "KeyNotFound", "RevisionMismatch");
        if (!raced || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async end(address: string): Promise<void> {
    const key = this.#store.keyOf("", address);
    const entry = await this.#store.get(key);
    if (entry !== undefined) await this.#store.delete(key, entry.revision, this.#store.decode(entry));
  }

  /** The addresses of all servers that are alive. */
  async addresses(): Promise<string[]> {
    const { entries } = await this.#store.engine.list(PREFIX);
    return entries.map(({ key }) => key.slice(PREFIX.length));
  }
}
