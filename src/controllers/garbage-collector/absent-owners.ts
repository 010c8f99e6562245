// Owners that are known not to be there: many dependents of one that has gone ask for it once. Bounded in entries and bytes.

import { BoundedCache } from "../../base/bounded-cache.ts";
import { parseApiVersion } from "../../meta/object.ts";
import type { ObservedObject, OwnerLink } from "./graph-node.ts";

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** An owner is remembered with everything that a reference says of it: a wrong reference says nothing of a right one. */
export class AbsentOwners {
  readonly #known = new BoundedCache<string, true>({
    maxEntries: MAX_ENTRIES,
    maxBytes: MAX_BYTES,
    sizeBytes: (key) => key.length * 2 + 64,
  });

  /** `namespace` is empty where the owner is one of the whole cluster. */
  add(link: OwnerLink, namespace: string): void {
    this.#known.set(keyOf(link, namespace), true);
  }

  addObject(object: ObservedObject): void {
    this.#known.set(keyOfObject(object), true);
  }

  /** It is there after all. */
  deleteObject(object: ObservedObject): void {
    if (this.#known.size > 0) this.#known.delete(keyOfObject(object));
  }

  /** What was known to be gone may be there again: changes were missed, perhaps since the store was put back. */
  clear(): void {
    this.#known.clear();
  }

  /** Whatever the scope of its kind, which nobody may know any more. */
  has(link: OwnerLink, namespace: string): boolean {
    return this.#known.get(keyOf(link, namespace)) === true || this.#known.get(keyOf(link, "")) === true;
  }
}

const keyOf = ({ apiVersion, kind, name, uid }: OwnerLink, namespace: string): string =>
  JSON.stringify([parseApiVersion(apiVersion)?.group, kind, namespace, name, uid]);

const keyOfObject = ({ kind: { group, kind }, namespace, name, uid }: ObservedObject): string =>
  JSON.stringify([group, kind, namespace, name, uid]);
