// The feature gates on which the default roles and bindings depend.

import { CLUSTER_BINDINGS, NAMESPACE_BINDINGS } from "./rbac/default-roles/bindings.ts";
import { CONTROLLER_ROLES } from "./rbac/default-roles/controller-roles.ts";
import { NAMESPACE_ROLES } from "./rbac/default-roles/namespace-roles.ts";
import { SYSTEM_ROLES } from "./rbac/default-roles/system-roles.ts";
import { USER_ROLES } from "./rbac/default-roles/user-roles.ts";

export function defaultRoleGates(): ReadonlySet<string> {
  const roles = [...USER_ROLES, ...SYSTEM_ROLES, ...CONTROLLER_ROLES, ...NAMESPACE_ROLES];
  const declared = [...roles, ...roles.flatMap(({ rules = [] }) => rules), ...CLUSTER_BINDINGS, ...NAMESPACE_BINDINGS];
  return new Set(declared.flatMap(({ gate }) => gate ?? []));
}
