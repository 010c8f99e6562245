// The priority classes that every cluster has, made at start.

import type { Catalog } from "../registry/catalog.ts";
import { createAsServer } from "../registry/server-writes.ts";
import type { WriteDeps } from "../registry/write.ts";

const CLASSES = [
  {
    name: "system-node-critical",
    value: 2_000_001_000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
  {
    name: "system-cluster-critical",
    value: 2_000_000_000,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
];

export const isSystemPriorityClass = (name: string): boolean => CLASSES.some((each) => each.name === name);

export async function ensureSystemPriorityClasses(deps: WriteDeps, catalog: Catalog): Promise<void> {
  const resource = catalog.own(deps.names.group("scheduling"), "v1", "priorityclasses");
  const store = resource?.store;
  if (resource === undefined || store === undefined) return;
  for (const { name, ...content } of CLASSES) {
    if ((await store.get(store.keyOf("", name))) !== undefined) continue;
    await createAsServer(deps, { resource, name }, content);
  }
}
