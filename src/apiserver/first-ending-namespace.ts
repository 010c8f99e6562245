// Tells when a namespace ends for the first time: until then nobody need look after those that do.

import type { Catalog } from "../registry/catalog.ts";
import { ObjectMirror } from "../registry/object-mirror.ts";

/** Calls `tell` once: now or later, or never. Ends with what it returns. */
export function onFirstEndingNamespace(catalog: Catalog, tell: () => void): () => void {
  const store = catalog.own("", "v1", "namespaces")?.store;
  // Switched off: none can end.
  if (store === undefined) return () => undefined;
  let told = false;
  const once = (): void => {
    if (told) return;
    told = true;
    tell();
  };
  const mirror = new ObjectMirror<true>(store, {
    fields: [["metadata", "deletionTimestamp"]],
    project: ({ metadata }) => (metadata.deletionTimestamp === undefined ? undefined : true),
    onChange: (_key, now) => now && once(),
  });
  // Where they cannot be read, who looks after them finds out why.
  mirror.ready().catch(once);
  return () => mirror.close();
}
