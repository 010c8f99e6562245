// The schema of Node.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { taint } from "./toleration.ts";

export type Node = ObjectOf<typeof nodeSchema>;

export const nodeSchema = objectSchema("core.v1.Node", { doc: "A machine that runs pods." }, () => ({
  spec: s.of(nodeSpec, { proto: 2, optional: true, doc: "What the node shall be." }),
  status: s.of(nodeStatus, { proto: 3, optional: true, doc: "What the node reports about itself." }),
}));

export type NodeSpec = ObjectOf<typeof nodeSpec>;

export const nodeSpec = s.struct("core.v1.NodeSpec", { doc: "What a node shall be." }, () => ({
  podCIDR: s.string({
    proto: 1,
    optional: true,
    doc: "Range from which pods of the node get addresses. The first of `podCIDRs`.",
  }),
  podCIDRs: s.list("string", {
    proto: 7,
    optional: true,
    listType: "set",
    patchStrategy: ["merge"],
    doc: "Ranges from which pods of the node get addresses, at most one per family of addresses.",
  }),
  providerID: s.string({
    proto: 3,
    optional: true,
    doc: "Identity of the machine with the cloud provider, as `<provider>://<provider's own id>`.",
  }),
  unschedulable: s.boolean({
    proto: 4,
    optional: true,
    doc: "Whether new pods keep away from the node. Pods that run stay. Not set means no.",
  }),
  taints: s.list(taint, {
    proto: 5,
    optional: true,
    listType: "atomic",
    doc: "Marks that keep pods away unless they tolerate them.",
  }),
  configSource: s.of(nodeConfigSource, {
    proto: 6,
    optional: true,
    pointer: true,
    doc: "Where the node agent once read its configuration. No longer has any effect.",
  }),
  externalID: s.string({ proto: 2, optional: true, doc: "Replaced by `providerID`; kept for old clients." }),
}));

export type NodeConfigSource = ObjectOf<typeof nodeConfigSource>;

export const nodeConfigSource = s.struct(
  "core.v1.NodeConfigSource",
  { doc: "Where a node agent once read its configuration; without effect." },
  () => ({
    configMap: s.of(configMapNodeConfigSource, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "A ConfigMap with the configuration.",
    }),
  }),
);

export type ConfigMapNodeConfigSource = ObjectOf<typeof configMapNodeConfigSource>;

export const configMapNodeConfigSource = s.struct(
  "core.v1.ConfigMapNodeConfigSource",
  { doc: "A key of a ConfigMap with the configuration of a node agent; without effect." },
  () => ({
    namespace: s.string({ proto: 1, doc: "Namespace of the ConfigMap." }),
    name: s.string({ proto: 2, doc: "Name of the ConfigMap." }),
    uid: s.string({
      alias: "types.UID",
      proto: 3,
      optional: true,
      doc: "UID of the ConfigMap; only in the status, where it must be set.",
    }),
    resourceVersion: s.string({
      proto: 4,
      optional: true,
      doc: "Version of the ConfigMap that was read; only in the status.",
    }),
    kubeletConfigKey: s.string({ proto: 5, doc: "Key whose value is the configuration." }),
  }),
);

export type NodeStatus = ObjectOf<typeof nodeStatus>;

export const nodeStatus = s.struct("core.v1.NodeStatus", { doc: "What a node reports about itself." }, () => ({
  capacity: s.map("quantity", {
    alias: "ResourceList",
    proto: 1,
    optional: true,
    doc: "All that the machine has, by resource.",
  }),
  allocatable: s.map("quantity", {
    alias: "ResourceList",
    proto: 2,
    optional: true,
    doc: "What of it pods may use, by resource; the rest is kept for the system. Not set, equal to `capacity`.",
  }),
  phase: s.enumOf(["Pending", "Running", "Terminated"], {
    alias: "NodePhase",
    proto: 3,
    optional: true,
    doc: "No longer filled in; see `conditions`.",
  }),
  conditions: s.list(nodeCondition, {
    proto: 4,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
    doc: "What is known of the node, such as `Ready` or `MemoryPressure`.",
  }),
  addresses: s.list(nodeAddress, {
    proto: 5,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
    doc: "Names and addresses under which the node can be reached.",
  }),
  daemonEndpoints: s.of(nodeDaemonEndpoints, {
    proto: 6,
    optional: true,
    doc: "Ports of the services that run on the node itself.",
  }),
  nodeInfo: s.of(nodeSystemInfo, {
    proto: 7,
    optional: true,
    doc: "Versions and identities of the machine and its system.",
  }),
  images: s.list(containerImage, {
    proto: 8,
    optional: true,
    listType: "atomic",
    doc: "Images that are on the node, the largest first and not always all of them.",
  }),
  volumesInUse: s.list("string", {
    alias: "UniqueVolumeName",
    proto: 9,
    optional: true,
    listType: "atomic",
    doc: "Attachable volumes that pods of the node mount; they are not detached meanwhile.",
  }),
  volumesAttached: s.list(attachedVolume, {
    proto: 10,
    optional: true,
    listType: "atomic",
    doc: "Volumes that are attached to the node.",
  }),
  config: s.of(nodeConfigStatus, {
    proto: 11,
    optional: true,
    pointer: true,
    doc: "State of the configuration that the node agent was once given; no longer filled in.",
  }),
  runtimeHandlers: s.list(nodeRuntimeHandler, {
    proto: 12,
    optional: true,
    listType: "atomic",
    gate: "RecursiveReadOnlyMounts",
    doc: "Runtimes that the node offers, and what they can do.",
  }),
  features: s.of(nodeFeatures, {
    proto: 13,
    optional: true,
    pointer: true,
    gate: "SupplementalGroupsPolicy",
    doc: "What the node's container runtime can do apart from single handlers.",
  }),
}));

export type NodeCondition = ObjectOf<typeof nodeCondition>;

export const nodeCondition = s.struct("core.v1.NodeCondition", { doc: "One aspect of the state of a node." }, () => ({
  type: s.string({
    alias: "NodeConditionType",
    proto: 1,
    doc: "What is told: `Ready`, `MemoryPressure`, `DiskPressure`, `PIDPressure`, `NetworkUnavailable` or another.",
  }),
  status: s.string({ alias: "ConditionStatus", proto: 2, doc: "`True`, `False` or `Unknown`." }),
  lastHeartbeatTime: s.time({ proto: 3, required: false, doc: "When the node last reported this condition." }),
  lastTransitionTime: s.time({ proto: 4, required: false, doc: "When the status last changed." }),
  reason: s.string({ proto: 5, optional: true, doc: "Why, in one word for programs." }),
  message: s.string({ proto: 6, optional: true, doc: "Why, for people." }),
}));

export type NodeAddress = ObjectOf<typeof nodeAddress>;

export const nodeAddress = s.struct("core.v1.NodeAddress", { doc: "A name or address of a node." }, () => ({
  type: s.string({
    alias: "NodeAddressType",
    proto: 1,
    doc: "`Hostname`, `InternalIP`, `ExternalIP`, `InternalDNS` or `ExternalDNS`.",
  }),
  address: s.string({ proto: 2, doc: "The name or address." }),
}));

export type NodeDaemonEndpoints = ObjectOf<typeof nodeDaemonEndpoints>;

export const nodeDaemonEndpoints = s.struct(
  "core.v1.NodeDaemonEndpoints",
  { doc: "Ports of the services that run on a node itself." },
  () => ({
    kubeletEndpoint: s.of(daemonEndpoint, {
      proto: 1,
      optional: true,
      doc: "Port of the node agent; logs and commands go there.",
    }),
  }),
);

export type DaemonEndpoint = ObjectOf<typeof daemonEndpoint>;

export const daemonEndpoint = s.struct("core.v1.DaemonEndpoint", { doc: "The port of one service on a node." }, () => ({
  Port: s.int32({ proto: 1, doc: "The port." }),
}));

export type NodeSystemInfo = ObjectOf<typeof nodeSystemInfo>;

export const nodeSystemInfo = s.struct(
  "core.v1.NodeSystemInfo",
  { doc: "Versions and identities of a machine and its system." },
  () => ({
    machineID: s.string({ proto: 1, doc: "Identity of the machine as its system knows it, from `/etc/machine-id`." }),
    systemUUID: s.string({ proto: 2, doc: "Identity of the machine as its firmware knows it." }),
    bootID: s.string({ proto: 3, doc: "Changes each time the machine starts." }),
    kernelVersion: s.string({ proto: 4, doc: "Version of the kernel, as `uname -r` says it." }),
    osImage: s.string({ proto: 5, doc: "Name and version of the operating system, for people." }),
    containerRuntimeVersion: s.string({
      proto: 6,
      doc: "Name and version of the container runtime, such as `containerd://2.1.0`.",
    }),
    kubeletVersion: s.string({ proto: 7, doc: "Version of the node agent." }),
    kubeProxyVersion: s.string({ proto: 8, doc: "Was the version of the service proxy. Not to be relied on." }),
    operatingSystem: s.string({ proto: 9, doc: "`linux` or `windows`." }),
    architecture: s.string({ proto: 10, doc: "Processor architecture, such as `amd64` or `arm64`." }),
    swap: s.of(nodeSwapStatus, { proto: 11, optional: true, pointer: true, doc: "Swap space of the machine." }),
  }),
);

export type NodeSwapStatus = ObjectOf<typeof nodeSwapStatus>;

export const nodeSwapStatus = s.struct("core.v1.NodeSwapStatus", { doc: "Swap space of a machine." }, () => ({
  capacity: s.int64({ proto: 1, optional: true, pointer: true, doc: "Total in bytes." }),
}));

export type ContainerImage = ObjectOf<typeof containerImage>;

export const containerImage = s.struct("core.v1.ContainerImage", { doc: "An image that is on a node." }, () => ({
  names: s.list("string", {
    proto: 1,
    required: false,
    listType: "atomic",
    doc: "Names under which the image is known, with tag or digest.",
  }),
  sizeBytes: s.int64({ proto: 2, optional: true, doc: "Size in bytes." }),
}));

export type AttachedVolume = ObjectOf<typeof attachedVolume>;

export const attachedVolume = s.struct(
  "core.v1.AttachedVolume",
  { doc: "A volume that is attached to a node." },
  () => ({
    name: s.string({ alias: "UniqueVolumeName", proto: 1, doc: "Name of the volume." }),
    devicePath: s.string({ proto: 2, doc: "Where on the node its device is." }),
  }),
);

export type NodeConfigStatus = ObjectOf<typeof nodeConfigStatus>;

export const nodeConfigStatus = s.struct(
  "core.v1.NodeConfigStatus",
  { doc: "State of the configuration that a node agent was once given; no longer filled in." },
  () => ({
    assigned: s.of(nodeConfigSource, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Configuration that the node agent will try to use.",
    }),
    active: s.of(nodeConfigSource, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Configuration that the node agent uses.",
    }),
    lastKnownGood: s.of(nodeConfigSource, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Configuration to which the node agent returns when the assigned one does not work.",
    }),
    error: s.string({ proto: 4, optional: true, doc: "Why the assigned configuration is not in use." }),
  }),
);

export type NodeRuntimeHandler = ObjectOf<typeof nodeRuntimeHandler>;

export const nodeRuntimeHandler = s.struct(
  "core.v1.NodeRuntimeHandler",
  { doc: "A runtime that a node offers." },
  () => ({
    name: s.string({ proto: 1, required: false, doc: "Name of the handler; empty for the default one." }),
    features: s.of(nodeRuntimeHandlerFeatures, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "What this handler can do.",
    }),
  }),
);

export type NodeRuntimeHandlerFeatures = ObjectOf<typeof nodeRuntimeHandlerFeatures>;

export const nodeRuntimeHandlerFeatures = s.struct(
  "core.v1.NodeRuntimeHandlerFeatures",
  { doc: "What a runtime handler can do." },
  () => ({
    recursiveReadOnlyMounts: s.boolean({
      proto: 1,
      optional: true,
      pointer: true,
      gate: "RecursiveReadOnlyMounts",
      doc: "Whether it can make mounts inside a volume read-only.",
    }),
    userNamespaces: s.boolean({
      proto: 2,
      optional: true,
      pointer: true,
      gate: "UserNamespacesSupport",
      doc: "Whether it can give pods users of their own.",
    }),
  }),
);

export type NodeFeatures = ObjectOf<typeof nodeFeatures>;

export const nodeFeatures = s.struct(
  "core.v1.NodeFeatures",
  { doc: "What the container runtime of a node can do." },
  () => ({
    supplementalGroupsPolicy: s.boolean({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Whether pods may choose how supplementary groups are found.",
    }),
  }),
);
