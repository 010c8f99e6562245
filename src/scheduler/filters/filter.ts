// What a filter is: it looks at a pod once, and then says of one node after the other why the pod cannot run there.

import type { Names } from "../../meta/names.ts";
import type { ClusterState } from "../state/cluster-state.ts";
import type { DeviceLookup } from "../state/devices.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";
import type { VolumeLookup } from "../state/volumes.ts";

/** Upstream's names of them. */
export type FilterName =
  | "NodeUnschedulable"
  | "NodeName"
  | "TaintToleration"
  | "NodeAffinity"
  | "NodePorts"
  | "NodeResourcesFit"
  | "VolumeRestrictions"
  | "NodeVolumeLimits"
  | "VolumeBinding"
  | "VolumeZone"
  | "PodTopologySpread"
  | "InterPodAffinity"
  | "DynamicResources"
  /** Other servers that are asked: no filter of ours. */
  | "Extender";

export interface NodeRefusal {
  readonly filter: FilterName;
  /** In upstream's words; they are counted over nodes. */
  readonly reasons: readonly string[];
  /** Whether it could help that pods leave the node. */
  readonly helpedByRemoval: boolean;
}

/** `place`: of the node among all, where the caller knows it. */
export type NodeCheck = (node: NodeInfo, place?: number) => NodeRefusal | undefined;

/** The names of labels that filters look at; they differ between dialects. */
export interface TopologyLabels {
  readonly hostname: string;
  readonly zone: string;
  readonly unschedulableTaint: string;
  /** Labels of volumes for zones and regions, old and new: by their names, what each is called now. */
  readonly volumeZones: ReadonlyMap<string, string>;
}

export function topologyLabels(names: Names): TopologyLabels {
  const { hostnameLabel, zoneLabel, regionLabel, unschedulableTaint, betaZoneLabel, betaRegionLabel } = names;
  return {
    hostname: hostnameLabel,
    zone: zoneLabel,
    unschedulableTaint,
    volumeZones: new Map([
      [zoneLabel, zoneLabel],
      [regionLabel, regionLabel],
      [betaZoneLabel, zoneLabel],
      [betaRegionLabel, regionLabel],
    ]),
  };
}

export interface Surroundings {
  readonly state: ClusterState;
  readonly volumes: VolumeLookup;
  readonly devices: DeviceLookup;
  readonly labels: TopologyLabels;
  /** Those that count for a pod, in their order. */
  filtersOf(pod: PodInfo): readonly ActiveFilter[];
  /** How often each filter was asked about a node for pods of this one's profile, in the order of FILTER_NAMES. */
  evaluationsOf(pod: PodInfo): Float64Array;
}

type FilterOutcome =
  /** Nothing to ask of any node. */
  | undefined
  | NodeCheck
  /** No node will do, whichever. */
  | { readonly refusesAll: NodeRefusal };

export type Filter = (pod: PodInfo, surroundings: Surroundings) => FilterOutcome;

export interface ActiveFilter {
  readonly name: FilterName;
  readonly filter: Filter;
  /** Its place among FILTER_NAMES. */
  readonly at: number;
}

export function refusal(filter: FilterName, reason: string, helpedByRemoval = false): NodeRefusal {
  return { filter, reasons: [reason], helpedByRemoval };
}
