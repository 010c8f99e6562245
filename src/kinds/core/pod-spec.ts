// What a pod shall be.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { affinity } from "./affinity.ts";
import { container, resourceRequirements } from "./container.ts";
import { ephemeralContainer } from "./ephemeral-container.ts";
import { localObjectReference } from "./object-reference.ts";
import { hostAlias, podDNSConfig } from "./pod-dns.ts";
import { podReadinessGate, podSchedulingGate } from "./pod-gates.ts";
import { podResourceClaim } from "./pod-resource-claim.ts";
import { podSecurityContext } from "./security-context.ts";
import { toleration } from "./toleration.ts";
import { topologySpreadConstraint } from "./topology-spread.ts";
import { volume } from "./volume.ts";

export type PodSpec = ObjectOf<typeof podSpec>;

export const podSpec = s.struct("core.v1.PodSpec", { doc: "What a pod shall be." }, () => ({
  volumes: s.list(volume, {
    proto: 1,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge", "retainKeys"],
    patchMergeKey: "name",
    doc: "Volumes that containers of the pod may mount.",
  }),
  initContainers: s.list(container, {
    proto: 20,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
    doc: "Run before the others, one after the other, each to its end. When one fails, the pod's restart policy decides.",
  }),
  containers: s.list(container, {
    proto: 2,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
    doc: "The containers. At least one; cannot be added or removed later.",
  }),
  ephemeralContainers: s.list(ephemeralContainer, {
    proto: 34,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
    doc: "Containers added to the running pod to look into it, by way of its sub-resource; not allowed at creation.",
  }),
  restartPolicy: s.enumOf(["Always", "Never", "OnFailure"], {
    alias: "RestartPolicy",
    proto: 3,
    optional: true,
    doc: "When containers restart after they exit: `Always`, `OnFailure` or `Never`. Not set, `Always`.",
  }),
  terminationGracePeriodSeconds: s.int64({
    proto: 4,
    optional: true,
    pointer: true,
    doc: "Seconds from the request to stop until processes are killed; 0 kills at once. Not set, 30.",
  }),
  activeDeadlineSeconds: s.int64({
    proto: 5,
    optional: true,
    pointer: true,
    doc: "Seconds from its start after which the pod is ended as failed. Not set, never.",
  }),
  dnsPolicy: s.enumOf(["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"], {
    alias: "DNSPolicy",
    proto: 6,
    optional: true,
    doc: "How names are resolved: by the cluster first, as the node does (`Default`), or only by `dnsConfig` (`None`). Not set, `ClusterFirst`.",
  }),
  nodeSelector: s.map("string", {
    proto: 7,
    optional: true,
    mapType: "atomic",
    doc: "Labels that a node must have for the pod to be scheduled there.",
  }),
  serviceAccountName: s.string({
    proto: 8,
    optional: true,
    doc: "The identity with which the pod's processes call the server. Not set, `default`.",
  }),
  serviceAccount: s.string({
    proto: 9,
    optional: true,
    doc: "The same as `serviceAccountName`; kept for old clients.",
  }),
  automountServiceAccountToken: s.boolean({
    proto: 21,
    optional: true,
    pointer: true,
    doc: "Whether a token of the service account is mounted. Not set, as the account says, else yes.",
  }),
  nodeName: s.string({
    proto: 10,
    optional: true,
    doc: "Node on which the pod runs. Set by the scheduler; set at creation it passes the scheduler by.",
  }),
  hostNetwork: s.boolean({
    proto: 11,
    optional: true,
    doc: "Whether the pod uses the network of its node; ports are then ports of the node. Not set means no.",
  }),
  hostPID: s.boolean({
    proto: 12,
    optional: true,
    doc: "Whether the pod sees the processes of its node. Not set means no. Not together with `shareProcessNamespace`.",
  }),
  hostIPC: s.boolean({
    proto: 13,
    optional: true,
    doc: "Whether the pod shares inter-process communication with its node. Not set means no.",
  }),
  shareProcessNamespace: s.boolean({
    proto: 27,
    optional: true,
    pointer: true,
    doc: "Whether the containers see each other's processes. Not set means no. Not together with `hostPID`.",
  }),
  securityContext: s.of(podSecurityContext, {
    proto: 14,
    optional: true,
    pointer: true,
    doc: "With which rights the containers run, where they do not say it themselves.",
  }),
  imagePullSecrets: s.list(localObjectReference, {
    proto: 15,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
    doc: "Secrets of the namespace with credentials for pulling the images.",
  }),
  hostname: s.string({ proto: 16, optional: true, doc: "Host name of the pod. Not set, the name of the pod." }),
  subdomain: s.string({
    proto: 17,
    optional: true,
    doc: "With it the pod is called `<hostname>.<subdomain>.<namespace>.svc.<cluster domain>`. Not set, it has no such name.",
  }),
  affinity: s.of(affinity, {
    proto: 18,
    optional: true,
    pointer: true,
    doc: "Which nodes the pod wants, and beside or away from which pods.",
  }),
  schedulerName: s.string({
    proto: 19,
    optional: true,
    doc: "Scheduler that places the pod. Not set, `default-scheduler`.",
  }),
  tolerations: s.list(toleration, {
    proto: 22,
    optional: true,
    listType: "atomic",
    doc: "Taints of nodes that do not keep the pod away.",
  }),
  hostAliases: s.list(hostAlias, {
    proto: 23,
    optional: true,
    listType: "map",
    mapKeys: ["ip"],
    patchStrategy: ["merge"],
    patchMergeKey: "ip",
    doc: "Entries that are added to the hosts file of the pod.",
  }),
  priorityClassName: s.string({
    proto: 24,
    optional: true,
    doc: "Class that gives the pod its priority. Not set, the default class, or priority 0 when there is none.",
  }),
  priority: s.int32({
    proto: 25,
    optional: true,
    pointer: true,
    doc: "Priority of the pod, filled in from its class; the higher, the more important.",
  }),
  dnsConfig: s.of(podDNSConfig, {
    proto: 26,
    optional: true,
    pointer: true,
    doc: "Settings of name resolution, added to what `dnsPolicy` gives.",
  }),
  readinessGates: s.list(podReadinessGate, {
    proto: 28,
    optional: true,
    listType: "atomic",
    doc: "Conditions that must be `True`, besides all containers being ready, for the pod to be ready.",
  }),
  runtimeClassName: s.string({
    proto: 29,
    optional: true,
    pointer: true,
    doc: "RuntimeClass with which the pod runs. Not set, the runtime that the node uses by default.",
  }),
  enableServiceLinks: s.boolean({
    proto: 30,
    optional: true,
    pointer: true,
    doc: "Whether containers get variables with the addresses of the namespace's services. Not set means yes.",
  }),
  preemptionPolicy: s.enumOf(["Never", "PreemptLowerPriority"], {
    alias: "PreemptionPolicy",
    proto: 31,
    optional: true,
    pointer: true,
    doc: "Whether pods of lower priority may be removed to make room: `PreemptLowerPriority`, also when not set, or `Never`.",
  }),
  overhead: s.map("quantity", {
    alias: "ResourceList",
    proto: 32,
    optional: true,
    doc: "What the runtime itself needs besides the containers, by resource. Filled in from the RuntimeClass, which must agree.",
  }),
  topologySpreadConstraints: s.list(topologySpreadConstraint, {
    proto: 33,
    optional: true,
    listType: "map",
    mapKeys: ["topologyKey", "whenUnsatisfiable"],
    patchStrategy: ["merge"],
    patchMergeKey: "topologyKey",
    doc: "How pods are spread over zones, nodes or other domains. All constraints must hold.",
  }),
  setHostnameAsFQDN: s.boolean({
    proto: 35,
    optional: true,
    pointer: true,
    doc: "Whether the full name becomes the host name that the kernel knows. Without a `subdomain` it changes nothing.",
  }),
  os: s.of(podOS, {
    proto: 36,
    optional: true,
    pointer: true,
    doc: "Operating system of the containers. With it, fields that belong to another system are refused.",
  }),
  hostUsers: s.boolean({
    proto: 37,
    optional: true,
    pointer: true,
    doc: "False gives the pod users of its own, apart from those of the node. Not set means true.",
  }),
  schedulingGates: s.list(podSchedulingGate, {
    proto: 38,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
    doc: "While there are any, the pod is not scheduled. They can be set at creation only and then be removed.",
  }),
  resourceClaims: s.list(podResourceClaim, {
    proto: 39,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge", "retainKeys"],
    patchMergeKey: "name",
    gate: "DynamicResourceAllocation",
    doc: "Claims of devices that must be allocated before the pod starts; containers refer to them by name. Cannot be changed.",
  }),
  resources: s.of(resourceRequirements, {
    proto: 40,
    optional: true,
    pointer: true,
    gate: "PodLevelResources",
    doc: "CPU, memory and huge pages for all containers together.",
  }),
  hostnameOverride: s.string({
    proto: 41,
    optional: true,
    pointer: true,
    gate: "HostnameOverride",
    doc: "Host name of the pod whatever other fields say, without an entry in DNS. At most 64 characters; not with `hostNetwork`.",
  }),
}));

export type PodOS = ObjectOf<typeof podOS>;

export const podOS = s.struct("core.v1.PodOS", { doc: "The operating system of a pod." }, () => ({
  name: s.string({ alias: "OSName", proto: 1, doc: "`linux` or `windows`." }),
}));
