// Built-in resources that have no object yet, for clients of the same process. Most kinds of a cluster are never used: who
// follows one before its first object would hear nothing, and a stream and a cache of it stand open for that. The same goes
// for objects that every cluster has and hardly anybody changes, for who looks only at owners and at what is ending.

import type { EmptyResources } from "../client/empty-resources.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { ObjectStore } from "../registry/object-store.ts";

export function emptyResources(catalog: Catalog): EmptyResources {
  return {
    async find({ type: { group, version, resource }, namespace = "", onlyOwned = false }, signal) {
      // Custom resources come and go: who follows them is to hear that they are not served any more.
      const store = catalog.hasBuiltIn(group) ? catalog.find(group, version, resource)?.store : undefined;
      if (store === undefined) return undefined;
      const { engine } = store;
      const prefix = store.scopeOf(namespace);
      try {
        const revision = await engine.currentRevision();
        if (onlyOwned ? await hasOwned(engine, prefix) : (await engine.count(prefix)) > 0) return undefined;
        const over = new AbortController();
        const until = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
        const watched = engine.watch(prefix, revision, { change: () => over.abort() }, until);
        return { resourceVersion: String(revision), whenOver: watched.catch(() => undefined) };
      } catch {
        return undefined;
      }
    },
  };
}

/** More objects are not looked through for who follows them anyway. */
const MAX_LOOKED_THROUGH = 200;
/** As they stand in bytes that this server has written. */
const [OWNERS, ENDING] = [Buffer.from('"ownerReferences":'), Buffer.from('"deletionTimestamp":')];

/** Whether an object may have owners, or be ending. */
async function hasOwned(engine: ObjectStore["engine"], prefix: string): Promise<boolean> {
  const { entries, more } = await engine.list(prefix, { limit: MAX_LOOKED_THROUGH });
  return more || entries.some(({ value }) => [OWNERS, ENDING].some((word) => bytesOf(value).includes(word)));
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);
