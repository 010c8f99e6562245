// The namespaces that every cluster has; made at start and made again when somebody deletes one.

import type { Catalog } from "./catalog.ts";
import { createAsServer } from "./server-writes.ts";
import type { WriteDeps } from "./write.ts";

export async function ensureSystemNamespaces(deps: WriteDeps, catalog: Catalog): Promise<void> {
  const { names } = deps;
  const wanted = [names.systemNamespace, names.publicNamespace, names.nodeLeaseNamespace, "default"];
  await Promise.all(wanted.map((name) => ensureNamespace(deps, catalog, name)));
}

/** Stores the namespace, unless it is there. */
export async function ensureNamespace(deps: WriteDeps, catalog: Catalog, name: string): Promise<void> {
  const resource = catalog.own("", "v1", "namespaces");
  if (resource?.store === undefined) return;
  if ((await resource.store.get(resource.store.keyOf("", name))) !== undefined) return;
  await createAsServer(deps, { resource, name }, {});
}
