// The namespaces that every cluster has; made at start and made again when somebody deletes one.

import type { HookContext } from "../kinds/define-kind.ts";
import type { UserInfo } from "../meta/user.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { isStatusError } from "../meta/status-error.ts";
import type { Catalog } from "./registry/catalog.ts";
import { createObject } from "./registry/create-object.ts";
import { hookContext, type WriteDeps, type WriteRequest } from "./registry/write.ts";

/** The server itself, where it writes on its own account. */
export const SERVER_USER: UserInfo = { name: "system:apiserver", groups: [SYSTEM_MASTERS] };

export async function ensureSystemNamespaces(deps: WriteDeps, catalog: Catalog): Promise<void> {
  const { names } = deps;
  const wanted = [names.systemNamespace, names.publicNamespace, names.nodeLeaseNamespace, "default"];
  await Promise.all(wanted.map((name) => ensureNamespace(deps, catalog, name)));
}

async function ensureNamespace(deps: WriteDeps, catalog: Catalog, name: string): Promise<void> {
  const resource = catalog.find("", "v1", "namespaces");
  if (resource?.store === undefined) return;
  if ((await resource.store.get(resource.store.keyOf("", name))) !== undefined) return;
  const request: WriteRequest = {
    resource,
    subresource: "",
    namespace: "",
    name,
    user: SERVER_USER,
    dryRun: false,
    fieldManager: "plinth",
    options: {},
    warnings: [],
    auditAnnotations: new Map(),
    caller: { signal: new AbortController().signal },
  };
  const { object } = resource.rules.shape({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const context: HookContext = hookContext(deps, request);
  resource.rules.default(object, context);
  try {
    await createObject(deps, request, object);
  } catch (error) {
    // Another server of the same store was faster.
    if (!isStatusError(error, "AlreadyExists")) throw error;
  }
}
