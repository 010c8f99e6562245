// What became of a pod.

import { opt, ptr, s, shown } from "../../../schema/builder.ts";
import { containerStatus } from "./container-status.ts";
import { podExtendedResourceClaimStatus, podResourceClaimStatus } from "./resource-claim.ts";

export const podStatus = s.struct("core.v1.PodStatus", "What became of a pod.", () => ({
  observedGeneration: opt.int64(17, "Generation of the pod at which this status was written.", {
    gate: "PodObservedGenerationTracking",
  }),
  phase: opt.enumOf(
    "PodPhase",
    ["Failed", "Pending", "Running", "Succeeded", "Unknown"],
    1,
    "`Pending` until containers start, `Running`, `Succeeded` or `Failed` when all have ended, `Unknown` when its node is silent.",
  ),
  conditions: opt.listBy("type", podCondition, 2, "What is known of the pod, such as `PodScheduled` or `Ready`."),
  message: opt.string(3, "Why the pod is in this state, for people."),
  reason: opt.string(4, "Why the pod is in this state, in one word for programs, such as `Evicted`."),
  nominatedNodeName: opt.string(
    11,
    "Node on which pods are being removed to make room for this one. It may still be scheduled elsewhere.",
  ),
  hostIP: opt.string(5, "Address of the node. Set once the pod has been accepted by one."),
  hostIPs: opt.atomic(hostIP, 16, "Addresses of the node, at most one per family; the first is `hostIP`.", {
    patchStrategy: ["merge"],
    patchMergeKey: "ip",
  }),
  podIP: opt.string(6, "Address of the pod in the cluster. Empty until it has one."),
  podIPs: opt.listBy("ip", podIP, 12, "Addresses of the pod, at most one per family; the first is `podIP`."),
  startTime: ptr.time(7, "When the node agent accepted the pod, before images were pulled."),
  initContainerStatuses: opt.atomic(containerStatus, 10, "What became of each init container."),
  containerStatuses: opt.atomic(containerStatus, 8, "What became of each container."),
  qosClass: opt.enumOf(
    "PodQOSClass",
    ["BestEffort", "Burstable", "Guaranteed"],
    9,
    "Class that follows from requests and limits: `Guaranteed`, `Burstable` or `BestEffort`, the last being evicted first.",
  ),
  ephemeralContainerStatuses: opt.atomic(containerStatus, 13, "What became of each ephemeral container."),
  resize: opt.named(
    "PodResizeStatus",
    14,
    "How far a change of resources has come. Deprecated: conditions tell it now.",
    { gate: "InPlacePodVerticalScaling" },
  ),
  resourceClaimStatuses: opt.listBy(
    "name",
    podResourceClaimStatus,
    15,
    "Claims that were made from templates for this pod.",
    { patchStrategy: ["merge", "retainKeys"], gate: "DynamicResourceAllocation" },
  ),
  extendedResourceClaimStatus: ptr.of(
    podExtendedResourceClaimStatus,
    18,
    "The claim that was made for extended resources which drivers provide as devices.",
    { gate: "DRAExtendedResource" },
  ),
}));

const podCondition = s.struct("core.v1.PodCondition", "One aspect of the state of a pod.", () => ({
  type: s.named(
    "PodConditionType",
    1,
    "What is told: `PodScheduled`, `Initialized`, `ContainersReady`, `Ready`, or one of your own.",
  ),
  observedGeneration: opt.int64(7, "Generation of the pod at which this condition was written.", {
    gate: "PodObservedGenerationTracking",
  }),
  status: s.named("ConditionStatus", 2, "`True`, `False` or `Unknown`."),
  lastProbeTime: shown.time(3, "When it was last checked."),
  lastTransitionTime: shown.time(4, "When the status last changed."),
  reason: opt.string(5, "Why, in one word for programs."),
  message: opt.string(6, "Why, for people."),
}));

const hostIP = s.struct("core.v1.HostIP", "An address of the node of a pod.", () => ({
  ip: s.string(1, "The address."),
}));

const podIP = s.struct("core.v1.PodIP", "An address of a pod.", () => ({
  ip: s.string(1, "The address."),
}));
