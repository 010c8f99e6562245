// Which changes of the cluster could help a pod that no node would take: by what refused it. Pure.

import { equalJson } from "../../base/json.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { FilterName } from "../filters/filter.ts";

export type ClusterChange =
  | "node added"
  | "node allocatable"
  | "node labels"
  | "node taints"
  | "node unschedulable"
  | "node removed"
  | "pod placed"
  | "pod changed"
  | "pod gone"
  | "volumes"
  | "devices"
  | "device classes"
  | "namespace labels";

const HELPS: Readonly<Record<ClusterChange, Set<FilterName> | "all">> = {
  "node added": "all",
  "node allocatable": new Set(["NodeResourcesFit", "DynamicResources"]),
  "node labels": new Set([
    "NodeAffinity",
    "InterPodAffinity",
    "PodTopologySpread",
    "VolumeBinding",
    "VolumeZone",
    "DynamicResources",
  ]),
  "node taints": new Set(["TaintToleration", "PodTopologySpread"]),
  "node unschedulable": new Set(["NodeUnschedulable"]),
  // Fewer domains to be even with.
  "node removed": new Set(["PodTopologySpread"]),
  "pod placed": new Set(["InterPodAffinity", "PodTopologySpread"]),
  "pod changed": new Set(["InterPodAffinity", "PodTopologySpread", "NodeResourcesFit"]),
  "pod gone": new Set([
    "NodeResourcesFit",
    "NodePorts",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "InterPodAffinity",
    "PodTopologySpread",
  ]),
  volumes: new Set(["VolumeBinding", "VolumeZone", "VolumeRestrictions", "NodeVolumeLimits"]),
  devices: new Set(["DynamicResources"]),
  "device classes": new Set(["DynamicResources", "NodeResourcesFit"]),
  "namespace labels": new Set(["InterPodAffinity"]),
};

/** Upstream's names of changes; that of a whole group here is told by who knows which it was. */
const EVENTS: Readonly<Record<ClusterChange, string>> = {
  "node added": "NodeAdd",
  "node allocatable": "NodeUpdateNodeAllocatable",
  "node labels": "NodeUpdateNodeLabel",
  "node taints": "NodeUpdateNodeTaint",
  "node unschedulable": "NodeUpdateNodeTaint",
  "node removed": "NodeDelete",
  "pod placed": "AssignedPodAdd",
  "pod changed": "AssignedPodUpdate",
  "pod gone": "AssignedPodDelete",
  volumes: "PersistentVolumeClaimUpdate",
  devices: "ResourceClaimUpdate",
  "device classes": "DeviceClassUpdate",
  "namespace labels": "NamespaceUpdate",
};

export const eventOf = (change: ClusterChange): string => EVENTS[change];

// Of extenders nobody knows what they look at.
for (const filters of Object.values(HELPS)) if (filters !== "all") filters.add("Extender");

/** The filters that may decide otherwise now. */
export const helpedBy = (change: ClusterChange): Iterable<FilterName> | "all" => HELPS[change];

/** What of a node has changed, as far as it matters; heartbeats do not. */
export function nodeChanges(node: Node, before: Node): readonly ClusterChange[] {
  const changes: ClusterChange[] = [];
  if (!equalJson(node.status.allocatable, before.status.allocatable)) changes.push("node allocatable");
  if (!equalJson(node.metadata.labels, before.metadata.labels)) changes.push("node labels");
  if (!equalJson(node.spec.taints, before.spec.taints)) changes.push("node taints");
  if (before.spec.unschedulable === true && node.spec.unschedulable !== true) changes.push("node unschedulable");
  return changes;
}
