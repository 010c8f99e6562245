// One role per built-in controller, each bound to the service account of the same name.
// Requirements: document 2, the table of default roles.

import { EVENTS, on, READ, type RoleDeclaration } from "./declare.ts";

export const CONTROLLER_ROLES: readonly RoleDeclaration[] = [
  {
    name: "attachdetach-controller",
    rules: [
      on("core", "persistentvolumeclaims persistentvolumes", "list watch"),
      on("core", "nodes", READ),
      on("core", "nodes/status", "patch update"),
      on("core", "pods", "list watch"),
      EVENTS,
      on("storage", "volumeattachments", "create delete get list watch"),
      on("storage", "csidrivers", READ),
      on("storage", "csinodes", READ),
    ],
  },
  {
    name: "certificate-controller",
    rules: [
      on("certificates", "certificatesigningrequests", "delete get list watch"),
      on("certificates", "certificatesigningrequests/approval certificatesigningrequests/status", "update"),
      on("certificates", "signers", "approve", "{signer}/kube-apiserver-client-kubelet"),
      on(
        "certificates",
        "signers",
        "sign",
        "{signer}/kube-apiserver-client {signer}/kube-apiserver-client-kubelet {signer}/kubelet-serving {signer}/legacy-unknown",
      ),
      on("authorization", "subjectaccessreviews", "create"),
      EVENTS,
    ],
  },
  {
    name: "clusterrole-aggregation-controller",
    rules: [on("rbac.authorization", "clusterroles", "escalate get list patch update watch")],
  },
  {
    name: "cronjob-controller",
    rules: [
      on("batch", "cronjobs", "get list update watch"),
      on("batch", "jobs", "create delete get list patch update watch"),
      on("batch", "cronjobs/status", "update"),
      on("batch", "cronjobs/finalizers", "update"),
      on("core", "pods", "delete list watch"),
      EVENTS,
    ],
  },
  {
    name: "daemon-set-controller",
    rules: [
      on("apps extensions", "daemonsets", READ),
      on("apps extensions", "daemonsets/status", "update"),
      on("apps extensions", "daemonsets/finalizers", "update"),
      on("core", "nodes", "list watch"),
      on("core", "pods", "create delete list patch watch"),
      on("core", "pods/binding", "create"),
      on("apps", "controllerrevisions", "create delete get list patch update watch"),
      EVENTS,
    ],
  },
  {
    name: "deployment-controller",
    rules: [
      on("apps extensions", "deployments", "get list update watch"),
      on("apps extensions", "deployments/status", "update"),
      on("apps extensions", "deployments/finalizers", "update"),
      on("apps extensions", "replicasets", "create delete get list patch update watch"),
      on("core", "pods", "get list update watch"),
      EVENTS,
    ],
  },
  {
    name: "device-taint-eviction-controller",
    gate: "DRADeviceTaints",
    rules: [
      on("core", "pods", "delete get list watch"),
      on("core", "pods/status", "patch update"),
      on("resource", "resourceclaims", READ),
      on("resource", "resourceslices", READ),
      on("resource", "deviceclasses", READ),
      on("resource", "devicetaintrules", READ),
      EVENTS,
    ],
  },
  {
    name: "disruption-controller",
    rules: [
      on("apps extensions", "deployments", READ),
      on("apps extensions", "replicasets", READ),
      on("core", "replicationcontrollers", READ),
      on("policy", "poddisruptionbudgets", READ),
      on("apps", "statefulsets", READ),
      on("policy", "poddisruptionbudgets/status", "update"),
      on("core", "pods/status", "patch update"),
      on("*", "*/scale", "get"),
      EVENTS,
    ],
  },
  {
    name: "endpoint-controller",
    rules: [
      on("core", "pods services", READ),
      on("core", "endpoints", "create delete get list update watch"),
      on("core", "endpoints/restricted", "create"),
      EVENTS,
    ],
  },
  {
    name: "endpointslice-controller",
    rules: [
      on("core", "nodes pods services", READ),
      on("core", "services/finalizers", "update"),
      on("discovery", "endpointslices", "create delete get list update watch"),
      EVENTS,
    ],
  },
  {
    name: "endpointslicemirroring-controller",
    rules: [
      on("core", "endpoints services", READ),
      on("core", "services/finalizers", "update"),
      on("core", "endpoints/finalizers", "update"),
      on("discovery", "endpointslices", "create delete get list update watch"),
      EVENTS,
    ],
  },
  {
    name: "ephemeral-volume-controller",
    rules: [
      on("core", "pods", READ),
      on("core", "pods/finalizers", "update"),
      on("core", "persistentvolumeclaims", "create get list watch"),
      EVENTS,
    ],
  },
  {
    name: "expand-controller",
    rules: [
      on("core", "persistentvolumes", "get list patch update watch"),
      on("core", "persistentvolumeclaims/status", "patch update"),
      on("core", "persistentvolumeclaims", READ),
      EVENTS,
      on("core", "services", "get"),
    ],
  },
  { name: "generic-garbage-collector", rules: [on("*", "*", "delete get list patch update watch"), EVENTS] },
  {
    name: "horizontal-pod-autoscaler",
    rules: [
      on("autoscaling", "horizontalpodautoscalers", READ),
      on("autoscaling", "horizontalpodautoscalers/status", "update"),
      on("*", "*/scale", "get update"),
      on("core", "pods", "list watch"),
      on("metrics", "pods", "list watch"),
      on("custom.metrics", "*", READ),
      on("external.metrics", "*", READ),
      EVENTS,
    ],
  },
  {
    name: "job-controller",
    rules: [
      on("batch", "jobs", "get list patch update watch"),
      on("batch", "jobs/status", "update"),
      on("batch", "jobs/finalizers", "update"),
      on("core", "pods", "create delete list patch watch"),
      EVENTS,
    ],
  },
  {
    name: "legacy-service-account-token-cleaner",
    rules: [
      on("core", "configmaps", "get", "kube-apiserver-legacy-service-account-token-tracking"),
      on("core", "secrets", "delete patch"),
    ],
  },
  {
    name: "namespace-controller",
    rules: [
      on("core", "namespaces", "delete get list watch"),
      on("core", "namespaces/finalize namespaces/status", "update"),
      on("*", "*", "delete deletecollection get list watch"),
    ],
  },
  {
    name: "node-controller",
    rules: [
      on("core", "nodes", "delete get list patch update watch"),
      on("core", "nodes/status", "patch update"),
      on("core", "pods/status", "patch update"),
      on("core", "pods", "delete get list watch"),
      EVENTS,
    ],
  },
  {
    name: "persistent-volume-binder",
    rules: [
      on("core", "persistentvolumes", "create delete get list update watch"),
      on("core", "persistentvolumes/status", "update"),
      on("core", "persistentvolumeclaims", "get list update watch"),
      on("core", "persistentvolumeclaims/status", "update"),
      on("core", "pods", "create delete get list watch"),
      on("storage", "storageclasses", READ),
      on("core", "nodes", "list watch"),
      EVENTS,
      on("core", "events", "watch"),
      on("core", "services", "get"),
    ],
  },
  {
    name: "pod-garbage-collector",
    rules: [on("core", "pods", "delete list watch"), on("core", "nodes", READ), on("core", "pods/status", "patch")],
  },
  { name: "pv-protection-controller", rules: [on("core", "persistentvolumes", "get list update watch"), EVENTS] },
  {
    name: "pvc-protection-controller",
    rules: [on("core", "persistentvolumeclaims", "get list update watch"), on("core", "pods", READ), EVENTS],
  },
  {
    name: "replicaset-controller",
    rules: [
      on("apps extensions", "replicasets", "get list update watch"),
      on("apps extensions", "replicasets/status", "update"),
      on("apps extensions", "replicasets/finalizers", "update"),
      on("core", "pods", "create delete list patch watch"),
      EVENTS,
    ],
  },
  {
    name: "replication-controller",
    rules: [
      on("core", "replicationcontrollers", "get list update watch"),
      on("core", "replicationcontrollers/status", "update"),
      on("core", "replicationcontrollers/finalizers", "update"),
      on("core", "pods", "create delete list patch watch"),
      EVENTS,
    ],
  },
  {
    name: "resource-claim-controller",
    rules: [
      on("core", "pods", READ),
      on("core", "pods/finalizers", "update"),
      on("resource", "resourceclaims", "create delete get list watch"),
      on("resource", "resourceclaims resourceclaims/status", "patch update"),
      on("core", "pods/status", "patch update"),
      EVENTS,
    ],
  },
  {
    name: "resourcequota-controller",
    rules: [on("*", "*", "list watch"), on("core", "resourcequotas/status", "update"), EVENTS],
  },
  { name: "root-ca-cert-publisher", rules: [on("core", "configmaps", "create update"), EVENTS] },
  { name: "route-controller", rules: [on("core", "nodes", "list watch"), on("core", "nodes/status", "patch"), EVENTS] },
  {
    name: "selinux-warning-controller",
    rules: [
      EVENTS,
      on("core", "persistentvolumes", READ),
      on("core", "persistentvolumeclaims", READ),
      on("core", "pods", READ),
      on("storage", "csidrivers", READ),
    ],
  },
  { name: "service-account-controller", rules: [on("core", "serviceaccounts", "create"), EVENTS] },
  {
    name: "service-cidrs-controller",
    rules: [
      on("networking", "servicecidrs", "get list patch update watch"),
      on("networking", "servicecidrs/finalizers", "patch update"),
      on("networking", "servicecidrs/status", "patch update"),
      on("networking", "ipaddresses", READ),
      EVENTS,
    ],
  },
  {
    name: "service-controller",
    rules: [
      on("core", "services", READ),
      on("core", "services/status", "patch update"),
      on("core", "nodes", "list watch"),
      EVENTS,
    ],
  },
  {
    name: "statefulset-controller",
    rules: [
      on("core", "pods", "list watch"),
      on("apps", "statefulsets", READ),
      on("apps", "statefulsets/status", "update"),
      on("apps", "statefulsets/finalizers", "update"),
      on("core", "pods", "create delete get patch update"),
      on("apps", "controllerrevisions", "create delete get list patch update watch"),
      on("core", "persistentvolumeclaims", "create get list watch"),
      EVENTS,
      on("core", "persistentvolumeclaims", "delete update"),
      on("core", "pods/finalizers", "update"),
    ],
  },
  { name: "ttl-after-finished-controller", rules: [on("batch", "jobs", "delete get list watch"), EVENTS] },
  { name: "ttl-controller", rules: [on("core", "nodes", "list patch update watch"), EVENTS] },
  {
    name: "validatingadmissionpolicy-status-controller",
    rules: [
      on("admissionregistration", "validatingadmissionpolicies", READ),
      on("admissionregistration", "validatingadmissionpolicies/status", "get patch update"),
      EVENTS,
    ],
  },
  {
    name: "volumeattributesclass-protection-controller",
    rules: [
      on("core", "persistentvolumeclaims", READ),
      on("core", "persistentvolumes", READ),
      on("storage", "volumeattributesclasses", "get list update watch"),
      EVENTS,
    ],
  },
];
