// What a pod shall be.

import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";
import { INSIDE } from "../../../schema/check-fields.ts";
import { localObjectReference } from "../object-reference.ts";
import { volume } from "../volumes/volume.ts";
import { affinity } from "./affinity.ts";
import { container, resourceRequirements } from "./container.ts";
import { hostAlias, podDNSConfig } from "./dns.ts";
import { ephemeralContainer } from "./ephemeral-container.ts";
import { GATED_PARTS } from "./gated-parts.ts";
import { podReadinessGate, podSchedulingGate } from "./gates.ts";
import { podResourceClaim } from "./resource-claim.ts";
import { podSecurityContext } from "./security-context.ts";
import { toleration } from "./toleration.ts";
import { topologySpreadConstraint } from "./topology-spread.ts";

export type PodSpec = ObjectOf<typeof podSpec>;

export const podSpec = s.struct("core.v1.PodSpec", "What a pod shall be.", { gated: GATED_PARTS }, () => ({
  volumes: opt.listBy("name", volume, 1, "Volumes that containers of the pod may mount.", {
    patchStrategy: ["merge", "retainKeys"],
  }),
  initContainers: opt.listBy(
    "name",
    container,
    20,
    "Run before the others, one after the other, each to its end. When one fails, the pod's restart policy decides.",
  ),
  containers: s.listBy("name", container, 2, "The containers. At least one; cannot be added or removed later."),
  ephemeralContainers: opt.listBy(
    "name",
    ephemeralContainer,
    34,
    "Containers added to the running pod to look into it, by way of its sub-resource; not allowed at creation.",
  ),
  restartPolicy: opt.enumOf(
    "RestartPolicy",
    ["Always", "Never", "OnFailure"],
    3,
    "When containers restart after they exit: `Always`, `OnFailure` or `Never`. Not set, `Always`.",
    { must: { filled: true, listed: ["Always", "OnFailure", "Never"] } },
  ),
  terminationGracePeriodSeconds: ptr.int64(
    4,
    "Seconds from the request to stop until processes are killed; 0 kills at once. Not set, 30.",
  ),
  activeDeadlineSeconds: ptr.int64(
    5,
    "Seconds from its start after which the pod is ended as failed. Not set, never.",
    { must: { least: 1, most: 2 ** 31 - 1 } },
  ),
  dnsPolicy: opt.enumOf(
    "DNSPolicy",
    ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"],
    6,
    "How names are resolved: by the cluster first, as the node does (`Default`), or only by `dnsConfig` (`None`). Not set, `ClusterFirst`.",
    { must: { filled: true, listed: ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"] } },
  ),
  nodeSelector: opt.map("string", 7, "Labels that a node must have for the pod to be scheduled there.", {
    mapType: "atomic",
  }),
  serviceAccountName: opt.string(
    8,
    "The identity with which the pod's processes call the server. Not set, `default`.",
    OBJECT_NAME,
  ),
  serviceAccount: opt.string(9, "The same as `serviceAccountName`; kept for old clients."),
  automountServiceAccountToken: ptr.boolean(
    21,
    "Whether a token of the service account is mounted. Not set, as the account says, else yes.",
  ),
  nodeName: opt.string(
    10,
    "Node on which the pod runs. Set by the scheduler; set at creation it passes the scheduler by.",
    OBJECT_NAME,
  ),
  hostNetwork: opt.boolean(
    11,
    "Whether the pod uses the network of its node; ports are then ports of the node. Not set means no.",
  ),
  hostPID: opt.boolean(
    12,
    "Whether the pod sees the processes of its node. Not set means no. Not together with `shareProcessNamespace`.",
  ),
  hostIPC: opt.boolean(13, "Whether the pod shares inter-process communication with its node. Not set means no."),
  shareProcessNamespace: ptr.boolean(
    27,
    "Whether the containers see each other's processes. Not set means no. Not together with `hostPID`.",
  ),
  securityContext: ptr.of(
    podSecurityContext,
    14,
    "With which rights the containers run, where they do not say it themselves.",
  ),
  imagePullSecrets: opt.listBy(
    "name",
    localObjectReference,
    15,
    "Secrets of the namespace with credentials for pulling the images.",
  ),
  hostname: opt.string(16, "Host name of the pod. Not set, the name of the pod.", DNS_LABEL),
  subdomain: opt.string(
    17,
    "With it the pod is called `<hostname>.<subdomain>.<namespace>.svc.<cluster domain>`. Not set, it has no such name.",
    DNS_LABEL,
  ),
  affinity: ptr.of(affinity, 18, "Which nodes the pod wants, and beside or away from which pods."),
  schedulerName: opt.string(19, "Scheduler that places the pod. Not set, `default-scheduler`."),
  tolerations: opt.atomic(toleration, 22, "Taints of nodes that do not keep the pod away."),
  hostAliases: opt.listBy("ip", hostAlias, 23, "Entries that are added to the hosts file of the pod."),
  priorityClassName: opt.string(
    24,
    "Class that gives the pod its priority. Not set, the default class, or priority 0 when there is none.",
    OBJECT_NAME,
  ),
  priority: ptr.int32(25, "Priority of the pod, filled in from its class; the higher, the more important."),
  dnsConfig: ptr.of(podDNSConfig, 26, "Settings of name resolution, added to what `dnsPolicy` gives."),
  readinessGates: opt.atomic(
    podReadinessGate,
    28,
    "Conditions that must be `True`, besides all containers being ready, for the pod to be ready.",
    { must: INSIDE },
  ),
  runtimeClassName: ptr.string(
    29,
    "RuntimeClass with which the pod runs. Not set, the runtime that the node uses by default.",
    { must: { strict: true, form: dns1123SubdomainProblems } },
  ),
  enableServiceLinks: ptr.boolean(
    30,
    "Whether containers get variables with the addresses of the namespace's services. Not set means yes.",
  ),
  preemptionPolicy: ptr.enumOf(
    "PreemptionPolicy",
    ["Never", "PreemptLowerPriority"],
    31,
    "Whether pods of lower priority may be removed to make room: `PreemptLowerPriority`, also when not set, or `Never`.",
  ),
  overhead: opt.map(
    "quantity",
    32,
    "What the runtime itself needs besides the containers, by resource. Filled in from the RuntimeClass, which must agree.",
    { alias: "ResourceList" },
  ),
  topologySpreadConstraints: opt.listBy(
    ["topologyKey", "whenUnsatisfiable"],
    topologySpreadConstraint,
    33,
    "How pods are spread over zones, nodes or other domains. All constraints must hold.",
  ),
  setHostnameAsFQDN: ptr.boolean(
    35,
    "Whether the full name becomes the host name that the kernel knows. Without a `subdomain` it changes nothing.",
  ),
  os: ptr.of(
    podOS,
    36,
    "Operating system of the containers. With it, fields that belong to another system are refused.",
  ),
  hostUsers: ptr.boolean(
    37,
    "False gives the pod users of its own, apart from those of the node. Not set means true.",
    {
      gate: "UserNamespacesSupport",
    },
  ),
  schedulingGates: opt.listBy(
    "name",
    podSchedulingGate,
    38,
    "While there are any, the pod is not scheduled. They can be set at creation only and then be removed.",
  ),
  resourceClaims: opt.listBy(
    "name",
    podResourceClaim,
    39,
    "Claims of devices that must be allocated before the pod starts; containers refer to them by name. Cannot be changed.",
    { patchStrategy: ["merge", "retainKeys"], gate: "DynamicResourceAllocation" },
  ),
  resources: ptr.of(resourceRequirements, 40, "CPU, memory and huge pages for all containers together.", {
    gate: "PodLevelResources",
  }),
  hostnameOverride: ptr.string(
    41,
    "Host name of the pod whatever other fields say, without an entry in DNS. At most 64 characters; not with `hostNetwork`.",
    { gate: "HostnameOverride", must: { strict: true, maxBytes: 64, form: dns1123SubdomainProblems } },
  ),
}));

const OBJECT_NAME = { must: { form: dns1123SubdomainProblems } };
const DNS_LABEL = { must: { form: dns1123LabelProblems } };

const podOS = s.struct("core.v1.PodOS", "The operating system of a pod.", () => ({
  name: s.named("OSName", 1, "`linux` or `windows`."),
}));
