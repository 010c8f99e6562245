// Built-in resources that have no object yet, for clients of the same process. Most kinds of a cluster are never used: who
// follows one before its first object would hear nothing, and a stream and a cache of it stand open for that. The same goes
// for objects that every cluster has and hardly anybody changes, for who looks only at owners and at what is ending, or only
// at what is not as it should be.

import type { EmptyResources } from "../client/empty-resources.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { ObjectStore } from "../registry/object-store.ts";
import type { ApiServer } from "./server.ts";

/** `isSettled`: whether an entry stands as controllers have left it before anybody followed it here. */
export function emptyResources(catalog: Catalog, isSettled: IsSettled = () => false): EmptyResources {
  return {
    async find({ type: { group, version, resource }, namespace = "", onlyOwned = false, onlyChanged = false }, signal) {
      // Custom resources come and go: who follows them is to hear that they are not served any more.
      const store = catalog.hasBuiltIn(group) ? catalog.find(group, version, resource)?.store : undefined;
      if (store === undefined) return undefined;
      const { engine } = store;
      const prefix = store.scopeOf(namespace);
      try {
        const revision = await engine.currentRevision();
        const hasSome = onlyChanged
          ? hasChanged(engine, prefix, isSettled)
          : onlyOwned
            ? hasOwned(engine, prefix)
            : hasAny(engine, prefix);
        if (await hasSome) return undefined;
        // The first change ends the watch: for a signal of its own, every kind would pay at the start.
        const watched = engine.watch(prefix, revision, UNTIL_CHANGED, signal ?? NEVER);
        return { resourceVersion: String(revision), whenOver: watched.catch(() => undefined) };
      } catch {
        return undefined;
      }
    },
  };
}

const CHANGED = new Error("a resource is no longer as it was");
/** A watch whose sink throws is over. */
const UNTIL_CHANGED = {
  change(): void {
    throw CHANGED;
  },
};
const NEVER = new AbortController().signal;

type IsSettled = ApiServer["isAsPrepared"];

const hasAny = async (engine: ObjectStore["engine"], prefix: string): Promise<boolean> =>
  (await engine.count(prefix)) > 0;

async function hasChanged(engine: ObjectStore["engine"], prefix: string, isSettled: IsSettled): Promise<boolean> {
  const { entries, more } = await engine.list(prefix, { limit: MAX_OBJECTS });
  return more || !entries.every(isSettled);
}

/** More is not looked through for who follows it anyway. */
const [MAX_OBJECTS, MAX_BYTES] = [200, 1024 * 1024];
const OBJECTS_AT_A_TIME = 25;
/** As they stand in bytes that this server has written. */
const [OWNERS, ENDING] = [Buffer.from('"ownerReferences":'), Buffer.from('"deletionTimestamp":')];

/** Whether an object may have owners, or be ending. */
async function hasOwned(engine: ObjectStore["engine"], prefix: string): Promise<boolean> {
  if ((await engine.count(prefix)) > MAX_OBJECTS) return true;
  let bytes = 0;
  for (let after = prefix; ; ) {
    const { entries, more } = await engine.list(prefix, { after, limit: OBJECTS_AT_A_TIME });
    for (const { value } of entries) {
      bytes += value.byteLength;
      if (bytes > MAX_BYTES || [OWNERS, ENDING].some((word) => bytesOf(value).includes(word))) return true;
    }
    if (!more) return false;
    after = entries.at(-1)!.key;
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);
