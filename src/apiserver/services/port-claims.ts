// Who has which node port, decided by the store: one key per port, created only where none is.
//
//   /registry/ranges/servicenodeports/30080   {"metadata":{"name":"30080",...},"owner":{"namespace":"a","name":"web",...}}

import type { Clock } from "../../base/clock.ts";
import type { ApiObject } from "../../meta/object.ts";
import { type Catalog, KEY_ROOT } from "../../registry/catalog.ts";
import { encodeStored } from "../../registry/object-bytes.ts";
import { ObjectStore } from "../../registry/object-store.ts";
import { newUid, timestamp } from "../../registry/write.ts";
import type { StorageEngine } from "../../storage/engine.ts";
import { isStorageError } from "../../storage/storage-error.ts";
import type { Owner } from "./service-usage.ts";

const PREFIX = `${KEY_ROOT}ranges/servicenodeports/`;
const MAX_ATTEMPTS = 8;

export interface PortRecord {
  readonly port: number;
  readonly owner: Owner;
  readonly createdMs: number;
}

export class PortClaims {
  readonly store: ObjectStore;
  readonly #clock: Clock;

  constructor(catalog: Catalog, engine: StorageEngine, clock: Clock) {
    this.#clock = clock;
    this.store = catalog.storeAt(
      PREFIX,
      () => new ObjectStore({ engine, prefix: PREFIX, namespaced: false, fieldsOf: () => ({}), clock }),
    );
  }

  /** Records the owner of a free port. False when somebody has it. */
  async claim(port: number, owner: Owner): Promise<boolean> {
    const metadata = { name: String(port), uid: newUid(), creationTimestamp: timestamp(this.#clock) };
    const object: ApiObject = { metadata, owner: { ...owner } };
    try {
      await this.store.create(this.store.keyOf("", String(port)), object, encodeStored(object));
      return true;
    } catch (error) {
      if (isStorageError(error, "KeyExists")) return false;
      throw error;
    }
  }

  /** Removes the record, if it is of this owner. */
  async release(port: number, owner: Owner): Promise<void> {
    const key = this.store.keyOf("", String(port));
    for (let attempt = 1; ; attempt += 1) {
      const entry = await this.store.get(key);
      if (entry === undefined) return;
      const object = this.store.decode(entry);
      if (portRecord(object)?.owner.uid !== owner.uid) return;
      try {
        await this.store.delete(key, entry.revision, object);
        return;
      } catch (error) {
        if (!isStorageError(error, "RevisionMismatch", "KeyNotFound") || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }
}

export function portRecord(object: ApiObject): PortRecord | undefined {
  const { name, namespace, creationTimestamp } = object.metadata;
  const owner = object["owner"] as Partial<Owner> | undefined;
  const port = Number(name);
  // Records below a protocol are of an older form: Services without a record of today's get one.
  if (!Number.isInteger(port) || namespace !== undefined || owner === undefined) return undefined;
  return {
    port,
    owner: { namespace: owner.namespace ?? "", name: owner.name ?? "", uid: owner.uid ?? "" },
    createdMs: Date.parse(creationTimestamp ?? "") || 0,
  };
}
