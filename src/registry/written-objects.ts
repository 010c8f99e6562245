// Objects as writes have left them, decoded: what was updated is often updated again (leases, status), what is new gets its
// first status, and then neither is parsed.

import { BoundedCache } from "../base/bounded-cache.ts";
import type { ApiObject } from "../meta/object.ts";
import type { Revision, StorageEngine } from "../storage/engine.ts";

/** Larger objects are few, and take long to be forgotten. */
const MAX_OBJECT_BYTES = 16 * 1024;
/** Of JSON, in all stores of an engine together; decoded they take some three times as much. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_ENTRIES = 10_000;

interface WrittenObject {
  readonly revision: Revision;
  readonly object: ApiObject;
  readonly sizeBytes: number;
}

export class WrittenObjects {
  readonly #kept = new BoundedCache<string, WrittenObject>({
    maxEntries: MAX_ENTRIES,
    maxBytes: MAX_BYTES,
    sizeBytes: (_, { sizeBytes }) => sizeBytes,
  });

  /** `sizeBytes`: of its JSON. Nobody changes the object from now on. */
  keep(key: string, revision: Revision, object: ApiObject, sizeBytes: number): void {
    if (sizeBytes <= MAX_OBJECT_BYTES) this.#kept.set(key, { revision, object, sizeBytes });
  }

  /** What the write at this revision has left, once: the next one leaves another. */
  take(key: string, revision: Revision): ApiObject | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#kept.delete(key);
    return found.revision === revision ? found.object : undefined;
  }
}

const byEngine = new WeakMap<StorageEngine, WrittenObjects>();

export function writtenObjects(engine: StorageEngine): WrittenObjects {
  let written = byEngine.get(engine);
  if (written === undefined) {
    written = new WrittenObjects();
    byEngine.set(engine, written);
  }
  return written;
}
