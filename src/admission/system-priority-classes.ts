// The priority classes that every cluster has, made at start.

import { isStatusError } from "../meta/status-error.ts";
import type { Catalog } from "../registry/catalog.ts";
import { createObject } from "../registry/create-object.ts";
import { serverWrite } from "../registry/server-write.ts";
import { hookContext, type WriteDeps } from "../registry/write.ts";

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
  const group = deps.names.group("scheduling");
  const resource = catalog.find(group, "v1", "priorityclasses");
  const store = resource?.store;
  if (resource === undefined || store === undefined) return;
  for (const { name, ...content } of CLASSES) {
    if ((await store.get(store.keyOf("", name))) !== undefined) continue;
    const request = serverWrite(resource, name);
    const { object } = resource.rules.shape({
      apiVersion: `${group}/v1`,
      kind: "PriorityClass",
      metadata: { name },
      ...content,
    });
    resource.rules.default(object, hookContext(deps, request));
    try {
      await createObject(deps, request, object);
    } catch (error) {
      // Another server of the same store was faster.
      if (!isStatusError(error, "AlreadyExists")) throw error;
    }
  }
}
