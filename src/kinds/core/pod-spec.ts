// What a pod shall be.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { affinity } from "./affinity.ts";
import { container, resourceRequirements } from "./container.ts";
import { ephemeralContainer } from "./ephemeral-container.ts";
import { localObjectReference } from "./object-reference.ts";
import { podSecurityContext } from "./security-context.ts";
import { toleration } from "./toleration.ts";
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
  }),
  initContainers: s.list(container, {
    proto: 20,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
  }),
  containers: s.list(container, {
    proto: 2,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
  }),
  ephemeralContainers: s.list(ephemeralContainer, {
    proto: 34,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
  }),
  restartPolicy: s.enumOf(["Always", "Never", "OnFailure"], { alias: "RestartPolicy", proto: 3, optional: true }),
  terminationGracePeriodSeconds: s.int64({ proto: 4, optional: true, pointer: true }),
  activeDeadlineSeconds: s.int64({ proto: 5, optional: true, pointer: true }),
  dnsPolicy: s.enumOf(["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"], {
    alias: "DNSPolicy",
    proto: 6,
    optional: true,
  }),
  nodeSelector: s.map("string", { proto: 7, optional: true, mapType: "atomic" }),
  serviceAccountName: s.string({ proto: 8, optional: true }),
  serviceAccount: s.string({ proto: 9, optional: true }),
  automountServiceAccountToken: s.boolean({ proto: 21, optional: true, pointer: true }),
  nodeName: s.string({ proto: 10, optional: true }),
  hostNetwork: s.boolean({ proto: 11, optional: true }),
  hostPID: s.boolean({ proto: 12, optional: true }),
  hostIPC: s.boolean({ proto: 13, optional: true }),
  shareProcessNamespace: s.boolean({ proto: 27, optional: true, pointer: true }),
  securityContext: s.of(podSecurityContext, { proto: 14, optional: true, pointer: true }),
  imagePullSecrets: s.list(localObjectReference, {
    proto: 15,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
  }),
  hostname: s.string({ proto: 16, optional: true }),
  subdomain: s.string({ proto: 17, optional: true }),
  affinity: s.of(affinity, { proto: 18, optional: true, pointer: true }),
  schedulerName: s.string({ proto: 19, optional: true }),
  tolerations: s.list(toleration, { proto: 22, optional: true, listType: "atomic" }),
  hostAliases: s.list(hostAlias, {
    proto: 23,
    optional: true,
    listType: "map",
    mapKeys: ["ip"],
    patchStrategy: ["merge"],
    patchMergeKey: "ip",
  }),
  priorityClassName: s.string({ proto: 24, optional: true }),
  priority: s.int32({ proto: 25, optional: true, pointer: true }),
  dnsConfig: s.of(podDNSConfig, { proto: 26, optional: true, pointer: true }),
  readinessGates: s.list(podReadinessGate, { proto: 28, optional: true, listType: "atomic" }),
  runtimeClassName: s.string({ proto: 29, optional: true, pointer: true }),
  enableServiceLinks: s.boolean({ proto: 30, optional: true, pointer: true }),
  preemptionPolicy: s.enumOf(["Never", "PreemptLowerPriority"], {
    alias: "PreemptionPolicy",
    proto: 31,
    optional: true,
    pointer: true,
  }),
  overhead: s.map("quantity", { alias: "ResourceList", proto: 32, optional: true }),
  topologySpreadConstraints: s.list(topologySpreadConstraint, {
    proto: 33,
    optional: true,
    listType: "map",
    mapKeys: ["topologyKey", "whenUnsatisfiable"],
    patchStrategy: ["merge"],
    patchMergeKey: "topologyKey",
  }),
  setHostnameAsFQDN: s.boolean({ proto: 35, optional: true, pointer: true }),
  os: s.of(podOS, { proto: 36, optional: true, pointer: true }),
  hostUsers: s.boolean({ proto: 37, optional: true, pointer: true }),
  schedulingGates: s.list(podSchedulingGate, {
    proto: 38,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
  }),
  resourceClaims: s.list(podResourceClaim, {
    proto: 39,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge", "retainKeys"],
    patchMergeKey: "name",
    gate: "DynamicResourceAllocation",
  }),
  resources: s.of(resourceRequirements, { proto: 40, optional: true, pointer: true, gate: "PodLevelResources" }),
  hostnameOverride: s.string({ proto: 41, optional: true, pointer: true, gate: "HostnameOverride" }),
}));

export type HostAlias = ObjectOf<typeof hostAlias>;

export const hostAlias = s.struct("core.v1.HostAlias", () => ({
  ip: s.string({ proto: 1 }),
  hostnames: s.list("string", { proto: 2, optional: true, listType: "atomic" }),
}));

export type PodDNSConfig = ObjectOf<typeof podDNSConfig>;

export const podDNSConfig = s.struct("core.v1.PodDNSConfig", () => ({
  nameservers: s.list("string", { proto: 1, optional: true, listType: "atomic" }),
  searches: s.list("string", { proto: 2, optional: true, listType: "atomic" }),
  options: s.list(podDNSConfigOption, { proto: 3, optional: true, listType: "atomic" }),
}));

export type PodDNSConfigOption = ObjectOf<typeof podDNSConfigOption>;

export const podDNSConfigOption = s.struct("core.v1.PodDNSConfigOption", () => ({
  name: s.string({ proto: 1, optional: true }),
  value: s.string({ proto: 2, optional: true, pointer: true }),
}));

export type PodReadinessGate = ObjectOf<typeof podReadinessGate>;

export const podReadinessGate = s.struct("core.v1.PodReadinessGate", () => ({
  conditionType: s.string({ alias: "PodConditionType", proto: 1 }),
}));

export type TopologySpreadConstraint = ObjectOf<typeof topologySpreadConstraint>;

export const topologySpreadConstraint = s.struct("core.v1.TopologySpreadConstraint", () => ({
  maxSkew: s.int32({ proto: 1 }),
  topologyKey: s.string({ proto: 2 }),
  whenUnsatisfiable: s.enumOf(["DoNotSchedule", "ScheduleAnyway"], {
    alias: "UnsatisfiableConstraintAction",
    proto: 3,
  }),
  labelSelector: s.of(labelSelector, { proto: 4, optional: true, pointer: true }),
  minDomains: s.int32({ proto: 5, optional: true, pointer: true }),
  nodeAffinityPolicy: s.enumOf(["Honor", "Ignore"], {
    alias: "NodeInclusionPolicy",
    proto: 6,
    optional: true,
    pointer: true,
  }),
  nodeTaintsPolicy: s.enumOf(["Honor", "Ignore"], {
    alias: "NodeInclusionPolicy",
    proto: 7,
    optional: true,
    pointer: true,
  }),
  matchLabelKeys: s.list("string", { proto: 8, optional: true, listType: "atomic" }),
}));

export type PodOS = ObjectOf<typeof podOS>;

export const podOS = s.struct("core.v1.PodOS", () => ({
  name: s.string({ alias: "OSName", proto: 1 }),
}));

export type PodSchedulingGate = ObjectOf<typeof podSchedulingGate>;

export const podSchedulingGate = s.struct("core.v1.PodSchedulingGate", () => ({
  name: s.string({ proto: 1 }),
}));

export type PodResourceClaim = ObjectOf<typeof podResourceClaim>;

export const podResourceClaim = s.struct("core.v1.PodResourceClaim", () => ({
  name: s.string({ proto: 1 }),
  resourceClaimName: s.string({ proto: 3, optional: true, pointer: true }),
  resourceClaimTemplateName: s.string({ proto: 4, optional: true, pointer: true }),
}));
