// What became of a pod.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { resourceRequirements } from "./container.ts";

export type PodStatus = ObjectOf<typeof podStatus>;

export const podStatus = s.struct("core.v1.PodStatus", { doc: "What became of a pod." }, () => ({
  observedGeneration: s.int64({
    proto: 17,
    optional: true,
    gate: "PodObservedGenerationTracking",
    doc: "Generation of the pod at which this status was written.",
  }),
  phase: s.enumOf(["Failed", "Pending", "Running", "Succeeded", "Unknown"], {
    alias: "PodPhase",
    proto: 1,
    optional: true,
    doc: "`Pending` until containers start, `Running`, `Succeeded` or `Failed` when all have ended, `Unknown` when its node is silent.",
  }),
  conditions: s.list(podCondition, {
    proto: 2,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
    doc: "What is known of the pod, such as `PodScheduled` or `Ready`.",
  }),
  message: s.string({ proto: 3, optional: true, doc: "Why the pod is in this state, for people." }),
  reason: s.string({
    proto: 4,
    optional: true,
    doc: "Why the pod is in this state, in one word for programs, such as `Evicted`.",
  }),
  nominatedNodeName: s.string({
    proto: 11,
    optional: true,
    doc: "Node on which pods are being removed to make room for this one. It may still be scheduled elsewhere.",
  }),
  hostIP: s.string({
    proto: 5,
    optional: true,
    doc: "Address of the node. Set once the pod has been accepted by one.",
  }),
  hostIPs: s.list(hostIP, {
    proto: 16,
    optional: true,
    listType: "atomic",
    patchStrategy: ["merge"],
    patchMergeKey: "ip",
    doc: "Addresses of the node, at most one per family; the first is `hostIP`.",
  }),
  podIP: s.string({ proto: 6, optional: true, doc: "Address of the pod in the cluster. Empty until it has one." }),
  podIPs: s.list(podIP, {
    proto: 12,
    optional: true,
    listType: "map",
    mapKeys: ["ip"],
    patchStrategy: ["merge"],
    patchMergeKey: "ip",
    doc: "Addresses of the pod, at most one per family; the first is `podIP`.",
  }),
  startTime: s.time({
    proto: 7,
    optional: true,
    pointer: true,
    doc: "When the node agent accepted the pod, before images were pulled.",
  }),
  initContainerStatuses: s.list(containerStatus, {
    proto: 10,
    optional: true,
    listType: "atomic",
    doc: "What became of each init container.",
  }),
  containerStatuses: s.list(containerStatus, {
    proto: 8,
    optional: true,
    listType: "atomic",
    doc: "What became of each container.",
  }),
  qosClass: s.enumOf(["BestEffort", "Burstable", "Guaranteed"], {
    alias: "PodQOSClass",
    proto: 9,
    optional: true,
    doc: "Class that follows from requests and limits: `Guaranteed`, `Burstable` or `BestEffort`, the last being evicted first.",
  }),
  ephemeralContainerStatuses: s.list(containerStatus, {
    proto: 13,
    optional: true,
    listType: "atomic",
    doc: "What became of each ephemeral container.",
  }),
  resize: s.string({
    alias: "PodResizeStatus",
    proto: 14,
    optional: true,
    gate: "InPlacePodVerticalScaling",
    doc: "How far a change of resources has come. Deprecated: conditions tell it now.",
  }),
  resourceClaimStatuses: s.list(podResourceClaimStatus, {
    proto: 15,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge", "retainKeys"],
    patchMergeKey: "name",
    gate: "DynamicResourceAllocation",
    doc: "Claims that were made from templates for this pod.",
  }),
  extendedResourceClaimStatus: s.of(podExtendedResourceClaimStatus, {
    proto: 18,
    optional: true,
    pointer: true,
    gate: "DRAExtendedResource",
    doc: "The claim that was made for extended resources which drivers provide as devices.",
  }),
}));

export type PodCondition = ObjectOf<typeof podCondition>;

export const podCondition = s.struct("core.v1.PodCondition", { doc: "One aspect of the state of a pod." }, () => ({
  type: s.string({
    alias: "PodConditionType",
    proto: 1,
    doc: "What is told: `PodScheduled`, `Initialized`, `ContainersReady`, `Ready`, or one of your own.",
  }),
  observedGeneration: s.int64({
    proto: 7,
    optional: true,
    gate: "PodObservedGenerationTracking",
    doc: "Generation of the pod at which this condition was written.",
  }),
  status: s.string({ alias: "ConditionStatus", proto: 2, doc: "`True`, `False` or `Unknown`." }),
  lastProbeTime: s.time({ proto: 3, required: false, doc: "When it was last checked." }),
  lastTransitionTime: s.time({ proto: 4, required: false, doc: "When the status last changed." }),
  reason: s.string({ proto: 5, optional: true, doc: "Why, in one word for programs." }),
  message: s.string({ proto: 6, optional: true, doc: "Why, for people." }),
}));

export type HostIP = ObjectOf<typeof hostIP>;

export const hostIP = s.struct("core.v1.HostIP", { doc: "An address of the node of a pod." }, () => ({
  ip: s.string({ proto: 1, doc: "The address." }),
}));

export type PodIP = ObjectOf<typeof podIP>;

export const podIP = s.struct("core.v1.PodIP", { doc: "An address of a pod." }, () => ({
  ip: s.string({ proto: 1, doc: "The address." }),
}));

export type ContainerStatus = ObjectOf<typeof containerStatus>;

export const containerStatus = s.struct("core.v1.ContainerStatus", { doc: "What became of a container." }, () => ({
  name: s.string({ proto: 1, doc: "Name of the container in the pod." }),
  state: s.of(containerState, { proto: 2, optional: true, doc: "What the container does now." }),
  lastState: s.of(containerState, {
    proto: 3,
    optional: true,
    doc: "How its last run ended. Empty while it has not restarted.",
  }),
  ready: s.boolean({
    proto: 4,
    doc: "Whether the container passes its readiness probe; without one, whether it has started.",
  }),
  restartCount: s.int32({
    proto: 5,
    doc: "How often the container has been restarted. May start again from a lower number when records of old runs are gone.",
  }),
  image: s.string({ proto: 6, doc: "Image that runs. May be another name of it than the one that was asked for." }),
  imageID: s.string({ proto: 7, doc: "Identity of the image, usually a digest." }),
  containerID: s.string({ proto: 8, optional: true, doc: "Identity of the container, as `<runtime>://<id>`." }),
  started: s.boolean({
    proto: 9,
    optional: true,
    pointer: true,
    doc: "Whether the container runs and has passed its startup probe, if it has one.",
  }),
  allocatedResources: s.map("quantity", {
    alias: "ResourceList",
    proto: 10,
    optional: true,
    gate: "InPlacePodVerticalScalingAllocatedStatus",
    doc: "What the node has set aside for the container, by resource.",
  }),
  resources: s.of(resourceRequirements, {
    proto: 11,
    optional: true,
    pointer: true,
    gate: "InPlacePodVerticalScaling",
    doc: "Requests and limits that are in force for the container.",
  }),
  volumeMounts: s.list(volumeMountStatus, {
    proto: 12,
    optional: true,
    listType: "map",
    mapKeys: ["mountPath"],
    patchStrategy: ["merge"],
    patchMergeKey: "mountPath",
    gate: "RecursiveReadOnlyMounts",
    doc: "How volumes are mounted in the container.",
  }),
  user: s.of(containerUser, {
    proto: 13,
    optional: true,
    pointer: true,
    gate: "SupplementalGroupsPolicy",
    doc: "User and groups that the container's first process got at its start.",
  }),
  allocatedResourcesStatus: s.list(resourceStatus, {
    proto: 14,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
    gate: "ResourceHealthStatus",
    doc: "Health of the devices that the container was given.",
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
    {
      alias: "Signal",
      proto: 15,
      optional: true,
      pointer: true,
      gate: "ContainerStopSignals",
      doc: "Signal by which the container is stopped.",
    },
  ),
}));

export type ContainerState = ObjectOf<typeof containerState>;

export const containerState = s.struct(
  "core.v1.ContainerState",
  { doc: "What a container does; exactly one member is set, and `waiting` if none is." },
  () => ({
    waiting: s.of(containerStateWaiting, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The container does not run yet.",
    }),
    running: s.of(containerStateRunning, { proto: 2, optional: true, pointer: true, doc: "The container runs." }),
    terminated: s.of(containerStateTerminated, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "The container has ended.",
    }),
  }),
);

export type ContainerStateWaiting = ObjectOf<typeof containerStateWaiting>;

export const containerStateWaiting = s.struct(
  "core.v1.ContainerStateWaiting",
  { doc: "A container that does not run yet." },
  () => ({
    reason: s.string({ proto: 1, optional: true, doc: "Why, in one word for programs, such as `ImagePullBackOff`." }),
    message: s.string({ proto: 2, optional: true, doc: "Why, for people." }),
  }),
);

export type ContainerStateRunning = ObjectOf<typeof containerStateRunning>;

export const containerStateRunning = s.struct(
  "core.v1.ContainerStateRunning",
  { doc: "A container that runs." },
  () => ({
    startedAt: s.time({ proto: 1, required: false, doc: "When it was last started." }),
  }),
);

export type ContainerStateTerminated = ObjectOf<typeof containerStateTerminated>;

export const containerStateTerminated = s.struct(
  "core.v1.ContainerStateTerminated",
  { doc: "A container that has ended." },
  () => ({
    exitCode: s.int32({ proto: 1, doc: "Exit code of the container." }),
    signal: s.int32({ proto: 2, optional: true, doc: "Signal that ended the container." }),
    reason: s.string({
      proto: 3,
      optional: true,
      doc: "Why, in one word for programs, such as `Completed` or `OOMKilled`.",
    }),
    message: s.string({ proto: 4, optional: true, doc: "Last message of the container." }),
    startedAt: s.time({ proto: 5, required: false, doc: "When this run started." }),
    finishedAt: s.time({ proto: 6, required: false, doc: "When this run ended." }),
    containerID: s.string({ proto: 7, optional: true, doc: "Identity of the container, as `<runtime>://<id>`." }),
  }),
);

export type VolumeMountStatus = ObjectOf<typeof volumeMountStatus>;

export const volumeMountStatus = s.struct(
  "core.v1.VolumeMountStatus",
  { doc: "How a volume is mounted in a container." },
  () => ({
    name: s.string({ proto: 1, doc: "Name of the mount, that of its volume." }),
    mountPath: s.string({ proto: 2, doc: "Directory of the container at which the volume appears." }),
    readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the container may only read." }),
    recursiveReadOnly: s.string({
      alias: "RecursiveReadOnlyMode",
      proto: 4,
      optional: true,
      pointer: true,
      gate: "RecursiveReadOnlyMounts",
      doc: "Whether mounts inside the volume are read-only too: `Disabled` or `Enabled`. Not set where it was not asked for.",
    }),
  }),
);

export type ContainerUser = ObjectOf<typeof containerUser>;

export const containerUser = s.struct(
  "core.v1.ContainerUser",
  { doc: "User and groups of a container's first process." },
  () => ({
    linux: s.of(linuxContainerUser, { proto: 1, optional: true, pointer: true, doc: "User and groups on Linux." }),
  }),
);

export type LinuxContainerUser = ObjectOf<typeof linuxContainerUser>;

export const linuxContainerUser = s.struct(
  "core.v1.LinuxContainerUser",
  { doc: "User and groups of a process on Linux." },
  () => ({
    uid: s.int64({ proto: 1, doc: "Number of the user." }),
    gid: s.int64({ proto: 2, doc: "Number of the primary group." }),
    supplementalGroups: s.list("int64", {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Numbers of further groups.",
    }),
  }),
);

export type ResourceStatus = ObjectOf<typeof resourceStatus>;

export const resourceStatus = s.struct(
  "core.v1.ResourceStatus",
  { doc: "Health of what a container was given of one resource." },
  () => ({
    name: s.string({
      alias: "ResourceName",
      proto: 1,
      doc: "Name of the resource. For devices of a claim `claim:<claim>` or `claim:<claim>/<request>`.",
    }),
    resources: s.list(resourceHealth, {
      proto: 2,
      optional: true,
      listType: "map",
      mapKeys: ["resourceID"],
      doc: "Health of the single devices.",
    }),
  }),
);

export type ResourceHealth = ObjectOf<typeof resourceHealth>;

export const resourceHealth = s.struct("core.v1.ResourceHealth", { doc: "Health of one device." }, () => ({
  resourceID: s.string({ alias: "ResourceID", proto: 1, doc: "Identity of the device, unique for its resource." }),
  health: s.string({
    alias: "ResourceHealthStatus",
    proto: 2,
    optional: true,
    doc: "`Healthy`, `Unhealthy` or `Unknown`.",
  }),
}));

export type PodResourceClaimStatus = ObjectOf<typeof podResourceClaimStatus>;

export const podResourceClaimStatus = s.struct(
  "core.v1.PodResourceClaimStatus",
  { doc: "A claim that was made from a template for a pod." },
  () => ({
    name: s.string({ proto: 1, doc: "Name of the entry in `resourceClaims` of the pod." }),
    resourceClaimName: s.string({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The ResourceClaim in the namespace of the pod. Not set, none was needed.",
    }),
  }),
);

export type PodExtendedResourceClaimStatus = ObjectOf<typeof podExtendedResourceClaimStatus>;

export const podExtendedResourceClaimStatus = s.struct(
  "core.v1.PodExtendedResourceClaimStatus",
  { doc: "A claim that was made for the extended resources of a pod." },
  () => ({
    requestMappings: s.list(containerExtendedResourceRequest, {
      proto: 1,
      listType: "atomic",
      doc: "Which request of the claim serves which resource of which container.",
    }),
    resourceClaimName: s.string({ proto: 2, doc: "The ResourceClaim in the namespace of the pod." }),
  }),
);

export type ContainerExtendedResourceRequest = ObjectOf<typeof containerExtendedResourceRequest>;

export const containerExtendedResourceRequest = s.struct(
  "core.v1.ContainerExtendedResourceRequest",
  { doc: "The request of a claim that serves an extended resource of a container." },
  () => ({
    containerName: s.string({ proto: 1, doc: "The container." }),
    resourceName: s.string({ proto: 2, doc: "The extended resource of the container." }),
    requestName: s.string({ proto: 3, doc: "The request of the claim." }),
  }),
);
