// Start: the default roles and bindings are made where they are missing and completed where they are not whole.
// Requirements: document 2, "Default roles and bindings".

import type { JsonObject } from "../../base/json.ts";
import { atOnce } from "../../base/steps.ts";
import { aggregatedRules, collectsRules, isCollected } from "../../kinds/rbac/aggregate.ts";
import type { ApiObject } from "../../meta/object.ts";
import { decodeStored } from "../../registry/object-bytes.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { createAsServer, deleteAsServer, type ServerWrite, updateAsServer } from "../../registry/server-writes.ts";
import type { WriteDeps } from "../../registry/write.ts";
import { defaultRbacObjects } from "./default-roles/default-roles.ts";
import type { RbacResource, RbacState } from "./rbac-state.ts";
import { reconcileBinding, reconcileRole } from "./reconcile.ts";

const MANAGER = "plinth";

/** The state must be loaded. Resolves when every default is stored, and says whether something had to be written. */
export async function ensureDefaults(deps: WriteDeps, state: RbacState): Promise<boolean> {
  const defaults = defaultRbacObjects(deps.names, deps.gateEnabled);
  const pending: Promise<unknown>[] = [];
  for (const resourceName of ["clusterroles", "roles", "clusterrolebindings", "rolebindings"] as const) {
    const resource = state.resource(resourceName);
    for (const wanted of defaults[resourceName]) {
      const stored = storedObject(state, resourceName, wanted);
      const work = ensure(deps, { resource, resourceName, stored, wanted }, () =>
        filled(wanted, defaults.clusterroles),
      );
      if (work !== undefined) pending.push(work);
    }
  }
  await Promise.all(pending);
  return pending.length > 0;
}

/** A new role that collects others begins with what the defaults give it, so that aggregation has nothing to write. */
function filled(role: ApiObject, all: readonly ApiObject[]): ApiObject {
  if (!collectsRules(role)) return role;
  const others = all
    .filter((other) => other !== role)
    .map((other) => (collectsFor(role, other) ? filled(other, all) : other));
  return { ...role, rules: atOnce(aggregatedRules(role, others)) ?? [] };
}

const collectsFor = (role: ApiObject, other: ApiObject): boolean => collectsRules(other) && isCollected(role, other);

interface Default {
  readonly resource: ServedResource;
  readonly resourceName: RbacResource;
  readonly stored: ApiObject | undefined;
  readonly wanted: ApiObject;
}

function ensure(deps: WriteDeps, one: Default, fresh: () => ApiObject): Promise<unknown> | undefined {
  const { resource, resourceName, stored, wanted } = one;
  const write = writeOf(resource, wanted);
  if (stored === undefined) return createAsServer(deps, write, fresh() as unknown as JsonObject);
  if (resourceName === "clusterroles" || resourceName === "roles") {
    if (reconcileRole(deps.names, stored, wanted) === undefined) return undefined;
    return updateAsServer(deps, write, (newest) => reconcileRole(deps.names, newest, wanted));
  }
  const change = reconcileBinding(deps.names, stored, wanted);
  if (change === undefined) return undefined;
  if (change.type === "replace") return replace(deps, resource, change.object);
  return updateAsServer(deps, write, (newest) => reconcileBinding(deps.names, newest, wanted)?.object);
}

async function replace(deps: WriteDeps, resource: ServedResource, { metadata, ...rest }: ApiObject): Promise<void> {
  const { name, namespace, labels, annotations } = metadata;
  const fresh = {
    ...rest,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels, annotations },
  } as ApiObject;
  const write = writeOf(resource, fresh);
  await deleteAsServer(deps, write);
  await createAsServer(deps, write, fresh as unknown as JsonObject);
}

const writeOf = (resource: ServedResource, { metadata }: ApiObject): ServerWrite => ({
  resource,
  namespace: metadata.namespace,
  name: metadata.name ?? "",
  manager: MANAGER,
});

function storedObject(state: RbacState, resource: RbacResource, { metadata }: ApiObject): ApiObject | undefined {
  const { name = "", namespace = "" } = metadata;
  if (resource === "clusterroles") return state.clusterRoles.get(namespace, name);
  const store = state.resource(resource).store!;
  const item = store.cache.get(store.keyOf(namespace, name));
  return item === undefined || item.corrupt !== undefined ? undefined : decodeStored(item.bytes, item.revision);
}
