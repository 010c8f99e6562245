// Which kinds have a form of their own in `describe`; all others have a common one.

import type { JsonObject } from "../../base/json.ts";
import type { GroupKey } from "../../meta/names.ts";
import { textAt } from "../json-members.ts";
import { binding, role, serviceAccount, signingRequest } from "./access.ts";
import { definition, event } from "./definitions.ts";
import type { Describer } from "./describer.ts";
import { generic } from "./generic.ts";
import { autoscaler, disruptionBudget, limitRange, namespace, priorityClass, resourceQuota } from "./limits.ts";
import { endpointSlice, endpoints, ingress, ingressClass, networkPolicy, service } from "./networking.ts";
import { node } from "./node.ts";
import { pod } from "./pod.ts";
import { configMap, persistentVolume, persistentVolumeClaim, secret, storageClass } from "./storage.ts";
import { cronJob, daemonSet, deployment, job, replicaSet, statefulSet } from "./workloads.ts";

type Described = readonly [group: GroupKey, kinds: Readonly<Record<string, Describer>>];

const DESCRIBERS: readonly Described[] = [
  [
    "",
    {
      Pod: pod,
      ReplicationController: replicaSet,
      Service: service,
      Endpoints: endpoints,
      ServiceAccount: serviceAccount,
      Node: node,
      Namespace: namespace,
      ConfigMap: configMap,
      Secret: secret,
      PersistentVolume: persistentVolume,
      PersistentVolumeClaim: persistentVolumeClaim,
      ResourceQuota: resourceQuota,
      LimitRange: limitRange,
      Event: event,
    },
  ],
  ["apps", { Deployment: deployment, ReplicaSet: replicaSet, StatefulSet: statefulSet, DaemonSet: daemonSet }],
  ["batch", { Job: job, CronJob: cronJob }],
  ["autoscaling", { HorizontalPodAutoscaler: autoscaler }],
  ["policy", { PodDisruptionBudget: disruptionBudget }],
  ["networking", { Ingress: ingress, IngressClass: ingressClass, NetworkPolicy: networkPolicy }],
  ["discovery", { EndpointSlice: endpointSlice }],
  ["storage", { StorageClass: storageClass }],
  ["rbac.authorization", { Role: role, ClusterRole: role, RoleBinding: binding, ClusterRoleBinding: binding }],
  ["certificates", { CertificateSigningRequest: signingRequest }],
  ["scheduling", { PriorityClass: priorityClass }],
  ["apiextensions", { CustomResourceDefinition: definition }],
  ["events", { Event: event }],
];

/** A kind of the same name in another group is another kind. */
export function describerOf(object: JsonObject, group: GroupKey | undefined): Describer {
  const kinds = DESCRIBERS.find(([key]) => key === group)?.[1] ?? {};
  const kind = textAt(object, "kind");
  return (Object.hasOwn(kinds, kind) ? kinds[kind] : undefined) ?? generic;
}
