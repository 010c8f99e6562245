// Built-in resources that have no object yet, for clients of the same process. Most kinds of a cluster are never used: who
// follows one before its first object would hear nothing, and a stream and a cache of it stand open for that.

import type { EmptyResources } from "../client/empty-resources.ts";
import type { Catalog } from "../registry/catalog.ts";

export function emptyResources(catalog: Catalog): EmptyResources {
  return {
    async find({ type: { group, version, resource }, namespace = "" }, signal) {
      // Custom resources come and go: who follows them is to hear that they are not served any more.
      const store = catalog.hasBuiltIn(group) ? catalog.find(group, version, resource)?.store : undefined;
      if (store === undefined) return undefined;
      const { engine } = store;
      const prefix = store.scopeOf(namespace);
      try {
        const revision = await engine.currentRevision();
        if ((await engine.count(prefix)) > 0) return undefined;
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
