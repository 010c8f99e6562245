// Roles for people: admin, edit and view with the parts that they collect, and cluster-admin.
// Requirements: document 2, the table of default roles.

import { ALL, on, paths, READ, type RoleDeclaration, WRITE } from "./declare.ts";

export const USER_ROLES: readonly RoleDeclaration[] = [
  { name: "admin", collects: "admin" },
  { name: "cluster-admin", rules: [on("*", "*", "*"), paths("*", "*")] },
  { name: "edit", extends: "admin", collects: "edit" },
  {
    name: "system:aggregate-to-admin",
    extends: "admin",
    rules: [
      on("authorization", "localsubjectaccessreviews", "create"),
      on("rbac.authorization", "rolebindings roles", ALL),
    ],
  },
  {
    name: "system:aggregate-to-edit",
    extends: "edit",
    rules: [
      on("core", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy", READ),
      on("core", "serviceaccounts", "impersonate"),
      on("core", "pods pods/attach pods/exec pods/portforward pods/proxy", WRITE),
      on("core", "pods/eviction", "create"),
      on(
        "core",
        "configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
        WRITE,
      ),
      on("core", "serviceaccounts/token", "create"),
      on(
        "apps",
        "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale",
        WRITE,
      ),
      on("autoscaling", "horizontalpodautoscalers", WRITE),
      on("batch", "cronjobs jobs", WRITE),
      on(
        "extensions",
        "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale",
        WRITE,
      ),
      on("policy", "poddisruptionbudgets", WRITE),
      on("networking", "ingresses networkpolicies", WRITE),
      on("coordination", "leases", ALL),
      on("resource", "resourceclaims resourceclaimtemplates", WRITE),
    ],
  },
  {
    name: "system:aggregate-to-view",
    extends: "view",
    rules: [
      on(
        "core",
        "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
        READ,
      ),
      on(
        "core",
        "bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
        READ,
      ),
      on("core", "namespaces", READ),
      on("discovery", "endpointslices", READ),
      on(
        "apps",
        "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
        READ,
      ),
      on("autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status", READ),
      on("batch", "cronjobs cronjobs/status jobs jobs/status", READ),
      on(
        "extensions",
        "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
        READ,
      ),
      on("policy", "poddisruptionbudgets poddisruptionbudgets/status", READ),
      on("networking", "ingresses ingresses/status networkpolicies", READ),
      on("resource", "resourceclaims resourceclaims/status resourceclaimtemplates", READ),
    ],
  },
  { name: "view", extends: "edit", collects: "view" },
];
