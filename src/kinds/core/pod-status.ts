// What became of a pod.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { resourceRequirements } from "./container.ts";

export type PodStatus = ObjectOf<typeof podStatus>;

export const podStatus = s.struct("core.v1.PodStatus", { doc: "What became of a pod." }, () => ({
  observedGeneration: s.int64({ proto: 17, optional: true, gate: "PodObservedGenerationTracking" }),
  phase: s.enumOf(["Failed", "Pending", "Running", "Succeeded", "Unknown"], {
    alias: "PodPhase",
    proto: 1,
    optional: true,
  }),
  conditions: s.list(podCondition, {
    proto: 2,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
  message: s.string({ proto: 3, optional: true }),
  reason: s.string({ proto: 4, optional: true }),
  nominatedNodeName: s.string({ proto: 11, optional: true }),
  hostIP: s.string({ proto: 5, optional: true }),
  hostIPs: s.list(hostIP, {
    proto: 16,
    optional: true,
    listType: "atomic",
    patchStrategy: ["merge"],
    patchMergeKey: "ip",
  }),
  podIP: s.string({ proto: 6, optional: true }),
  podIPs: s.list(podIP, {
    proto: 12,
    optional: true,
    listType: "map",
    mapKeys: ["ip"],
    patchStrategy: ["merge"],
    patchMergeKey: "ip",
  }),
  startTime: s.time({ proto: 7, optional: true, pointer: true }),
  initContainerStatuses: s.list(containerStatus, { proto: 10, optional: true, listType: "atomic" }),
  containerStatuses: s.list(containerStatus, { proto: 8, optional: true, listType: "atomic" }),
  qosClass: s.enumOf(["BestEffort", "Burstable", "Guaranteed"], { alias: "PodQOSClass", proto: 9, optional: true }),
  ephemeralContainerStatuses: s.list(containerStatus, { proto: 13, optional: true, listType: "atomic" }),
  resize: s.string({ alias: "PodResizeStatus", proto: 14, optional: true, gate: "InPlacePodVerticalScaling" }),
  resourceClaimStatuses: s.list(podResourceClaimStatus, {
    proto: 15,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge", "retainKeys"],
    patchMergeKey: "name",
    gate: "DynamicResourceAllocation",
  }),
  extendedResourceClaimStatus: s.of(podExtendedResourceClaimStatus, {
    proto: 18,
    optional: true,
    pointer: true,
    gate: "DRAExtendedResource",
  }),
}));

export type PodCondition = ObjectOf<typeof podCondition>;

export const podCondition = s.struct("core.v1.PodCondition", () => ({
  type: s.string({ alias: "PodConditionType", proto: 1 }),
  observedGeneration: s.int64({ proto: 7, optional: true, gate: "PodObservedGenerationTracking" }),
  status: s.string({ alias: "ConditionStatus", proto: 2 }),
  lastProbeTime: s.time({ proto: 3, required: false }),
  lastTransitionTime: s.time({ proto: 4, required: false }),
  reason: s.string({ proto: 5, optional: true }),
  message: s.string({ proto: 6, optional: true }),
}));

export type HostIP = ObjectOf<typeof hostIP>;

export const hostIP = s.struct("core.v1.HostIP", () => ({
  ip: s.string({ proto: 1 }),
}));

export type PodIP = ObjectOf<typeof podIP>;

export const podIP = s.struct("core.v1.PodIP", () => ({
  ip: s.string({ proto: 1 }),
}));

export type ContainerStatus = ObjectOf<typeof containerStatus>;

export const containerStatus = s.struct("core.v1.ContainerStatus", () => ({
  name: s.string({ proto: 1 }),
  state: s.of(containerState, { proto: 2, optional: true }),
  lastState: s.of(containerState, { proto: 3, optional: true }),
  ready: s.boolean({ proto: 4 }),
  restartCount: s.int32({ proto: 5 }),
  image: s.string({ proto: 6 }),
  imageID: s.string({ proto: 7 }),
  containerID: s.string({ proto: 8, optional: true }),
  started: s.boolean({ proto: 9, optional: true, pointer: true }),
  allocatedResources: s.map("quantity", {
    alias: "ResourceList",
    proto: 10,
    optional: true,
    gate: "InPlacePodVerticalScalingAllocatedStatus",
  }),
  resources: s.of(resourceRequirements, {
    proto: 11,
    optional: true,
    pointer: true,
    gate: "InPlacePodVerticalScaling",
  }),
  volumeMounts: s.list(volumeMountStatus, {
    proto: 12,
    optional: true,
    listType: "map",
    mapKeys: ["mountPath"],
    patchStrategy: ["merge"],
    patchMergeKey: "mountPath",
    gate: "RecursiveReadOnlyMounts",
  }),
  user: s.of(containerUser, { proto: 13, optional: true, pointer: true, gate: "SupplementalGroupsPolicy" }),
  allocatedResourcesStatus: s.list(resourceStatus, {
    proto: 14,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
    gate: "ResourceHealthStatus",
  }),
  stopSignal: s.enumOf(
    [
      "SIGABRT",
      "SIGALRM",
      "SIGBUS",
      "SIGCHLD",
      "SIGCLD",
      "SIGCONT",
      "SIGFPE",
      "SIGHUP",
      "SIGILL",
      "SIGINT",
      "SIGIO",
      "SIGIOT",
      "SIGKILL",
      "SIGPIPE",
      "SIGPOLL",
      "SIGPROF",
      "SIGPWR",
      "SIGQUIT",
      "SIGRTMAX",
      "SIGRTMAX-1",
      "SIGRTMAX-10",
      "SIGRTMAX-11",
      "SIGRTMAX-12",
      "SIGRTMAX-13",
      "SIGRTMAX-14",
      "SIGRTMAX-2",
      "SIGRTMAX-3",
      "SIGRTMAX-4",
      "SIGRTMAX-5",
      "SIGRTMAX-6",
      "SIGRTMAX-7",
      "SIGRTMAX-8",
      "SIGRTMAX-9",
      "SIGRTMIN",
      "SIGRTMIN+1",
      "SIGRTMIN+10",
      "SIGRTMIN+11",
      "SIGRTMIN+12",
      "SIGRTMIN+13",
      "SIGRTMIN+14",
      "SIGRTMIN+15",
      "SIGRTMIN+2",
      "SIGRTMIN+3",
      "SIGRTMIN+4",
      "SIGRTMIN+5",
      "SIGRTMIN+6",
      "SIGRTMIN+7",
      "SIGRTMIN+8",
      "SIGRTMIN+9",
      "SIGSEGV",
      "SIGSTKFLT",
      "SIGSTOP",
      "SIGSYS",
      "SIGTERM",
      "SIGTRAP",
      "SIGTSTP",
      "SIGTTIN",
      "SIGTTOU",
      "SIGURG",
      "SIGUSR1",
      "SIGUSR2",
      "SIGVTALRM",
      "SIGWINCH",
      "SIGXCPU",
      "SIGXFSZ",
    ],
    { alias: "Signal", proto: 15, optional: true, pointer: true, gate: "ContainerStopSignals" },
  ),
}));

export type ContainerState = ObjectOf<typeof containerState>;

export const containerState = s.struct("core.v1.ContainerState", () => ({
  waiting: s.of(containerStateWaiting, { proto: 1, optional: true, pointer: true }),
  running: s.of(containerStateRunning, { proto: 2, optional: true, pointer: true }),
  terminated: s.of(containerStateTerminated, { proto: 3, optional: true, pointer: true }),
}));

export type ContainerStateWaiting = ObjectOf<typeof containerStateWaiting>;

export const containerStateWaiting = s.struct("core.v1.ContainerStateWaiting", () => ({
  reason: s.string({ proto: 1, optional: true }),
  message: s.string({ proto: 2, optional: true }),
}));

export type ContainerStateRunning = ObjectOf<typeof containerStateRunning>;

export const containerStateRunning = s.struct("core.v1.ContainerStateRunning", () => ({
  startedAt: s.time({ proto: 1, required: false }),
}));

export type ContainerStateTerminated = ObjectOf<typeof containerStateTerminated>;

export const containerStateTerminated = s.struct("core.v1.ContainerStateTerminated", () => ({
  exitCode: s.int32({ proto: 1 }),
  signal: s.int32({ proto: 2, optional: true }),
  reason: s.string({ proto: 3, optional: true }),
  message: s.string({ proto: 4, optional: true }),
  startedAt: s.time({ proto: 5, required: false }),
  finishedAt: s.time({ proto: 6, required: false }),
  containerID: s.string({ proto: 7, optional: true }),
}));

export type VolumeMountStatus = ObjectOf<typeof volumeMountStatus>;

export const volumeMountStatus = s.struct("core.v1.VolumeMountStatus", () => ({
  name: s.string({ proto: 1 }),
  mountPath: s.string({ proto: 2 }),
  readOnly: s.boolean({ proto: 3, optional: true }),
  recursiveReadOnly: s.string({
    alias: "RecursiveReadOnlyMode",
    proto: 4,
    optional: true,
    pointer: true,
    gate: "RecursiveReadOnlyMounts",
  }),
}));

export type ContainerUser = ObjectOf<typeof containerUser>;

export const containerUser = s.struct("core.v1.ContainerUser", () => ({
  linux: s.of(linuxContainerUser, { proto: 1, optional: true, pointer: true }),
}));

export type LinuxContainerUser = ObjectOf<typeof linuxContainerUser>;

export const linuxContainerUser = s.struct("core.v1.LinuxContainerUser", () => ({
  uid: s.int64({ proto: 1 }),
  gid: s.int64({ proto: 2 }),
  supplementalGroups: s.list("int64", { proto: 3, optional: true, listType: "atomic" }),
}));

export type ResourceStatus = ObjectOf<typeof resourceStatus>;

export const resourceStatus = s.struct("core.v1.ResourceStatus", () => ({
  name: s.string({ alias: "ResourceName", proto: 1 }),
  resources: s.list(resourceHealth, { proto: 2, optional: true, listType: "map", mapKeys: ["resourceID"] }),
}));

export type ResourceHealth = ObjectOf<typeof resourceHealth>;

export const resourceHealth = s.struct("core.v1.ResourceHealth", () => ({
  resourceID: s.string({ alias: "ResourceID", proto: 1 }),
  health: s.string({ alias: "ResourceHealthStatus", proto: 2, optional: true }),
}));

export type PodResourceClaimStatus = ObjectOf<typeof podResourceClaimStatus>;

export const podResourceClaimStatus = s.struct("core.v1.PodResourceClaimStatus", () => ({
  name: s.string({ proto: 1 }),
  resourceClaimName: s.string({ proto: 2, optional: true, pointer: true }),
}));

export type PodExtendedResourceClaimStatus = ObjectOf<typeof podExtendedResourceClaimStatus>;

export const podExtendedResourceClaimStatus = s.struct("core.v1.PodExtendedResourceClaimStatus", () => ({
  requestMappings: s.list(containerExtendedResourceRequest, { proto: 1, listType: "atomic" }),
  resourceClaimName: s.string({ proto: 2 }),
}));

export type ContainerExtendedResourceRequest = ObjectOf<typeof containerExtendedResourceRequest>;

export const containerExtendedResourceRequest = s.struct("core.v1.ContainerExtendedResourceRequest", () => ({
  containerName: s.string({ proto: 1 }),
  resourceName: s.string({ proto: 2 }),
  requestName: s.string({ proto: 3 }),
}));
