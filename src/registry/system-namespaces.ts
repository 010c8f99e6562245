// The namespaces that every cluster has; made at start and made again when somebody deletes one.

import { isStatusError } from "../meta/status-error.ts";
import type { Catalog } from "./catalog.ts";
import { createObject } from "./create-object.ts";
import { serverWrite } from "./server-write.ts";
import { hookContext, type WriteDeps } from "./write.ts";

export async function ensureSystemNamespaces(deps: WriteDeps, catalog: Catalog): Promise<void> {
  const { names } = deps;
  const wanted = [names.systemNamespace, names.publicNamespace, names.nodeLeaseNamespace, "default"];
  await Promise.all(wanted.map((name) => ensureNamespace(deps, catalog, name)));
}

/** Stores the namespace, unless it is there. */
export async function ensureNamespace(deps: WriteDeps, catalog: Catalog, name: string): Promise<void> {
  const resource = catalog.find("", "v1", "namespaces");
  if (resource?.store === undefined) return;
  if ((await resource.store.get(resource.store.keyOf("", name))) !== undefined) return;
  const request = serverWrite(resource, name);
  const { object } = resource.rules.shape({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  resource.rules.default(object, hookContext(deps, request));
  try {
    await createObject(deps, request, object);
  } catch (error) {
    // Another server of the same store was faster.
    if (!isStatusError(error, "AlreadyExists")) throw error;
  }
}
