// What became of a pod.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { containerStatus } from "./container-status.ts";
import { podExtendedResourceClaimStatus, podResourceClaimStatus } from "./pod-resource-claim.ts";

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
