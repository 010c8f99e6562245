// The gates of the default roles, against the roles themselves.

import { expect, it } from "vitest";
import { DIALECTS } from "../meta/names.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { DEFAULT_ROLE_GATES } from "./default-role-gates.ts";
import { CLUSTER_BINDINGS, NAMESPACE_BINDINGS } from "./rbac/default-roles/bindings.ts";
import { CONTROLLER_ROLES } from "./rbac/default-roles/controller-roles.ts";
import { NAMESPACE_ROLES } from "./rbac/default-roles/namespace-roles.ts";
import { SYSTEM_ROLES } from "./rbac/default-roles/system-roles.ts";
import { USER_ROLES } from "./rbac/default-roles/user-roles.ts";

it("are those that roles, their rules and bindings name", () => {
  const roles = [...USER_ROLES, ...SYSTEM_ROLES, ...CONTROLLER_ROLES, ...NAMESPACE_ROLES];
  const declared = [...roles, ...roles.flatMap(({ rules = [] }) => rules), ...CLUSTER_BINDINGS, ...NAMESPACE_BINDINGS];
  const named = new Set(declared.flatMap(({ gate }) => gate ?? []));
  expect([...named].sort()).toEqual(DEFAULT_ROLE_GATES);
});

it.each(DIALECTS)("are off unless asked for (%s)", (dialect) => {
  const gates = serverGates(new Map(), dialect);
  expect(DEFAULT_ROLE_GATES.filter((gate) => gates.enabled(gate))).toEqual([]);
});
