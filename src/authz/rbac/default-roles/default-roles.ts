// All default roles and bindings as objects of a dialect. Requirements: document 2, the table of default roles.

import { ruleObject } from "../../../meta/access-rule.ts";
import type { Names } from "../../../meta/names.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { CLUSTER_BINDINGS, NAMESPACE_BINDINGS } from "./bindings.ts";
import { CONTROLLER_ROLES } from "./controller-roles.ts";
import { account, type BindingDeclaration, expandName, expandRule, type RoleDeclaration } from "./declare.ts";
import { NAMESPACE_ROLES } from "./namespace-roles.ts";
import { SYSTEM_ROLES } from "./system-roles.ts";
import { USER_ROLES } from "./user-roles.ts";

interface DefaultObjects {
  readonly clusterroles: readonly ApiObject[];
  readonly roles: readonly ApiObject[];
  readonly clusterrolebindings: readonly ApiObject[];
  readonly rolebindings: readonly ApiObject[];
}

export function defaultRbacObjects(names: Names, gateEnabled: (gate: string) => boolean): DefaultObjects {
  const wanted = ({ gate }: { readonly gate?: string }) => gate === undefined || gateEnabled(gate);
  const controllers = CONTROLLER_ROLES.map((role) => ({ ...role, name: `system:controller:${role.name}` }));
  const role = (declared: RoleDeclaration) =>
    roleObject(names, { ...declared, rules: (declared.rules ?? []).filter(wanted) });
  return {
    clusterroles: [...USER_ROLES, ...SYSTEM_ROLES, ...controllers].filter(wanted).map(role),
    roles: NAMESPACE_ROLES.filter(wanted).map(role),
    clusterrolebindings: [
      ...CLUSTER_BINDINGS.filter(wanted),
      ...CONTROLLER_ROLES.filter(wanted).map(({ name }) => ({
        name: `system:controller:${name}`,
        role: `system:controller:${name}`,
        subjects: [account(name)],
      })),
    ].map((binding) => bindingObject(names, binding)),
    rolebindings: NAMESPACE_BINDINGS.filter(wanted).map((binding) => bindingObject(names, binding)),
  };
}

function roleObject(names: Names, declared: RoleDeclaration): ApiObject {
  const { namespace, rules = [], collects } = declared;
  const labels = declared.extends === undefined ? {} : { [aggregationLabel(names, declared.extends)]: "true" };
  return {
    apiVersion: `${names.group("rbac.authorization")}/v1`,
    kind: namespace === undefined ? "ClusterRole" : "Role",
    metadata: metadataOf(names, expandName(names, declared.name), namespace, labels),
    ...(collects === undefined
      ? { rules: rules.map((rule) => ruleObject(expandRule(names, rule))) }
      : {
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregationLabel(names, collects)]: "true" } }] },
        }),
  };
}

function bindingObject(names: Names, declared: BindingDeclaration): ApiObject {
  const { namespace, role, subjects } = declared;
  const group = names.group("rbac.authorization");
  return {
    apiVersion: `${group}/v1`,
    kind: namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata: metadataOf(names, declared.name, namespace, {}),
    roleRef: { apiGroup: group, kind: namespace === undefined ? "ClusterRole" : "Role", name: role },
    ...(subjects.length === 0
      ? {}
      : {
          subjects: subjects.map(({ kind, name }) =>
            kind === "ServiceAccount"
              ? { kind, name, namespace: names.systemNamespace }
              : { apiGroup: group, kind, name },
          ),
        }),
  };
}

function metadataOf(
  names: Names,
  name: string,
  namespace: "system" | "public" | undefined,
  labels: Record<string, string>,
) {
  return {
    name,
    ...(namespace === undefined
      ? {}
      : { namespace: namespace === "system" ? names.systemNamespace : names.publicNamespace }),
    labels: { [names.bootstrappingLabel]: "rbac-defaults", ...labels },
    annotations: { [names.autoupdateAnnotation]: "true" },
  };
}

function aggregationLabel(names: Names, role: "admin" | "edit" | "view"): string {
  switch (role) {
    case "admin":
      return names.aggregateToAdminLabel;
    case "edit":
      return names.aggregateToEditLabel;
    case "view":
      return names.aggregateToViewLabel;
  }
}
