// Roles in the system namespaces.

import { EVENTS, on, READ, type RoleDeclaration } from "./declare.ts";

export const NAMESPACE_ROLES: readonly RoleDeclaration[] = [
  {
    namespace: "public",
    name: "system:controller:bootstrap-signer",
    rules: [on("core", "configmaps", READ), on("core", "configmaps", "update", "cluster-info"), EVENTS],
  },
  {
    namespace: "system",
    name: "extension-apiserver-authentication-reader",
    rules: [on("core", "configmaps", READ, "extension-apiserver-authentication")],
  },
  {
    namespace: "system",
    name: "system::leader-locking-kube-controller-manager",
    rules: [
      on("core", "configmaps", "watch"),
      on("core", "configmaps", "get update", "kube-controller-manager"),
      on("coordination", "leases", "create get list update watch"),
      on("coordination", "leasecandidates", "create get list update watch"),
    ],
  },
  {
    namespace: "system",
    name: "system::leader-locking-kube-scheduler",
    rules: [
      on("core", "configmaps", "watch"),
      on("core", "configmaps", "get update", "kube-scheduler"),
      on("coordination", "leases", "create get list update watch"),
      on("coordination", "leasecandidates", "create get list update watch"),
    ],
  },
  { namespace: "system", name: "system:controller:bootstrap-signer", rules: [on("core", "secrets", READ)] },
  {
    namespace: "system",
    name: "system:controller:cloud-provider",
    rules: [on("core", "configmaps", "create get list watch")],
  },
  {
    namespace: "system",
    name: "system:controller:token-cleaner",
    rules: [on("core", "secrets", "delete get list watch"), EVENTS],
  },
];
