// The schema of Node.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { taint } from "./toleration.ts";

export type Node = ObjectOf<typeof nodeSchema>;

export const nodeSchema = objectSchema("core.v1.Node", { doc: "A machine that runs pods." }, () => ({
  spec: s.of(nodeSpec, { proto: 2, optional: true }),
  status: s.of(nodeStatus, { proto: 3, optional: true }),
}));

export type NodeSpec = ObjectOf<typeof nodeSpec>;

export const nodeSpec = s.struct("core.v1.NodeSpec", { doc: "What a node shall be." }, () => ({
  podCIDR: s.string({ proto: 1, optional: true }),
  podCIDRs: s.list("string", { proto: 7, optional: true, listType: "set", patchStrategy: ["merge"] }),
  providerID: s.string({ proto: 3, optional: true }),
  unschedulable: s.boolean({ proto: 4, optional: true }),
  taints: s.list(taint, { proto: 5, optional: true, listType: "atomic" }),
  configSource: s.of(nodeConfigSource, { proto: 6, optional: true, pointer: true }),
  externalID: s.string({ proto: 2, optional: true }),
}));

export type NodeConfigSource = ObjectOf<typeof nodeConfigSource>;

export const nodeConfigSource = s.struct("core.v1.NodeConfigSource", () => ({
  configMap: s.of(configMapNodeConfigSource, { proto: 2, optional: true, pointer: true }),
}));

export type ConfigMapNodeConfigSource = ObjectOf<typeof configMapNodeConfigSource>;

export const configMapNodeConfigSource = s.struct("core.v1.ConfigMapNodeConfigSource", () => ({
  namespace: s.string({ proto: 1 }),
  name: s.string({ proto: 2 }),
  uid: s.string({ alias: "types.UID", proto: 3, optional: true }),
  resourceVersion: s.string({ proto: 4, optional: true }),
  kubeletConfigKey: s.string({ proto: 5 }),
}));

export type NodeStatus = ObjectOf<typeof nodeStatus>;

export const nodeStatus = s.struct("core.v1.NodeStatus", { doc: "What a node reports about itself." }, () => ({
  capacity: s.map("quantity", { alias: "ResourceList", proto: 1, optional: true }),
  allocatable: s.map("quantity", { alias: "ResourceList", proto: 2, optional: true }),
  phase: s.enumOf(["Pending", "Running", "Terminated"], { alias: "NodePhase", proto: 3, optional: true }),
  conditions: s.list(nodeCondition, {
    proto: 4,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
  addresses: s.list(nodeAddress, {
    proto: 5,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
  daemonEndpoints: s.of(nodeDaemonEndpoints, { proto: 6, optional: true }),
  nodeInfo: s.of(nodeSystemInfo, { proto: 7, optional: true }),
  images: s.list(containerImage, { proto: 8, optional: true, listType: "atomic" }),
  volumesInUse: s.list("string", { alias: "UniqueVolumeName", proto: 9, optional: true, listType: "atomic" }),
  volumesAttached: s.list(attachedVolume, { proto: 10, optional: true, listType: "atomic" }),
  config: s.of(nodeConfigStatus, { proto: 11, optional: true, pointer: true }),
  runtimeHandlers: s.list(nodeRuntimeHandler, {
    proto: 12,
    optional: true,
    listType: "atomic",
    gate: "RecursiveReadOnlyMounts",
  }),
  features: s.of(nodeFeatures, { proto: 13, optional: true, pointer: true, gate: "SupplementalGroupsPolicy" }),
}));

export type NodeCondition = ObjectOf<typeof nodeCondition>;

export const nodeCondition = s.struct("core.v1.NodeCondition", () => ({
  type: s.string({ alias: "NodeConditionType", proto: 1 }),
  status: s.string({ alias: "ConditionStatus", proto: 2 }),
  lastHeartbeatTime: s.time({ proto: 3, required: false }),
  lastTransitionTime: s.time({ proto: 4, required: false }),
  reason: s.string({ proto: 5, optional: true }),
  message: s.string({ proto: 6, optional: true }),
}));

export type NodeAddress = ObjectOf<typeof nodeAddress>;

export const nodeAddress = s.struct("core.v1.NodeAddress", () => ({
  type: s.string({ alias: "NodeAddressType", proto: 1 }),
  address: s.string({ proto: 2 }),
}));

export type NodeDaemonEndpoints = ObjectOf<typeof nodeDaemonEndpoints>;

export const nodeDaemonEndpoints = s.struct("core.v1.NodeDaemonEndpoints", () => ({
  kubeletEndpoint: s.of(daemonEndpoint, { proto: 1, optional: true }),
}));

export type DaemonEndpoint = ObjectOf<typeof daemonEndpoint>;

export const daemonEndpoint = s.struct("core.v1.DaemonEndpoint", () => ({
  Port: s.int32({ proto: 1 }),
}));

export type NodeSystemInfo = ObjectOf<typeof nodeSystemInfo>;

export const nodeSystemInfo = s.struct("core.v1.NodeSystemInfo", () => ({
  machineID: s.string({ proto: 1 }),
  systemUUID: s.string({ proto: 2 }),
  bootID: s.string({ proto: 3 }),
  kernelVersion: s.string({ proto: 4 }),
  osImage: s.string({ proto: 5 }),
  containerRuntimeVersion: s.string({ proto: 6 }),
  kubeletVersion: s.string({ proto: 7 }),
  kubeProxyVersion: s.string({ proto: 8 }),
  operatingSystem: s.string({ proto: 9 }),
  architecture: s.string({ proto: 10 }),
  swap: s.of(nodeSwapStatus, { proto: 11, optional: true, pointer: true }),
}));

export type NodeSwapStatus = ObjectOf<typeof nodeSwapStatus>;

export const nodeSwapStatus = s.struct("core.v1.NodeSwapStatus", () => ({
  capacity: s.int64({ proto: 1, optional: true, pointer: true }),
}));

export type ContainerImage = ObjectOf<typeof containerImage>;

export const containerImage = s.struct("core.v1.ContainerImage", () => ({
  names: s.list("string", { proto: 1, required: false, listType: "atomic" }),
  sizeBytes: s.int64({ proto: 2, optional: true }),
}));

export type AttachedVolume = ObjectOf<typeof attachedVolume>;

export const attachedVolume = s.struct("core.v1.AttachedVolume", () => ({
  name: s.string({ alias: "UniqueVolumeName", proto: 1 }),
  devicePath: s.string({ proto: 2 }),
}));

export type NodeConfigStatus = ObjectOf<typeof nodeConfigStatus>;

export const nodeConfigStatus = s.struct("core.v1.NodeConfigStatus", () => ({
  assigned: s.of(nodeConfigSource, { proto: 1, optional: true, pointer: true }),
  active: s.of(nodeConfigSource, { proto: 2, optional: true, pointer: true }),
  lastKnownGood: s.of(nodeConfigSource, { proto: 3, optional: true, pointer: true }),
  error: s.string({ proto: 4, optional: true }),
}));

export type NodeRuntimeHandler = ObjectOf<typeof nodeRuntimeHandler>;

export const nodeRuntimeHandler = s.struct("core.v1.NodeRuntimeHandler", () => ({
  name: s.string({ proto: 1, required: false }),
  features: s.of(nodeRuntimeHandlerFeatures, { proto: 2, optional: true, pointer: true }),
}));

export type NodeRuntimeHandlerFeatures = ObjectOf<typeof nodeRuntimeHandlerFeatures>;

export const nodeRuntimeHandlerFeatures = s.struct("core.v1.NodeRuntimeHandlerFeatures", () => ({
  recursiveReadOnlyMounts: s.boolean({ proto: 1, optional: true, pointer: true, gate: "RecursiveReadOnlyMounts" }),
  userNamespaces: s.boolean({ proto: 2, optional: true, pointer: true, gate: "UserNamespacesSupport" }),
}));

export type NodeFeatures = ObjectOf<typeof nodeFeatures>;

export const nodeFeatures = s.struct("core.v1.NodeFeatures", () => ({
  supplementalGroupsPolicy: s.boolean({ proto: 1, optional: true, pointer: true }),
}));
