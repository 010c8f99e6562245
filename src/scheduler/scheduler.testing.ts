// Pods, nodes and clusters for tests of the scheduler's rules, as short as tests want to write them.

import type { Stored } from "../client/informer.ts";
import type { Node } from "../kinds/core/node.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { FILTER_NAMES, filterFor, refusalOf } from "./filters/all-filters.ts";
import type { NodeRefusal, Surroundings, TopologyLabels } from "./filters/filter.ts";
import { defaultProfile } from "./profiles/default-profile.ts";
import { schedulerGates } from "./scheduler-gates.ts";
import { ClusterState } from "./state/cluster-state.ts";
import type { DeviceLookup } from "./state/devices.ts";
import type { DriverLookup } from "./state/drivers.ts";
import { type PodInfo, podInfo } from "./state/pod-info.ts";
import type { VolumeLookup } from "./state/volumes.ts";

const LABELS: TopologyLabels = {
  hostname: "hostname",
  zone: "zone",
  unschedulableTaint: "unschedulable",
  volumeZones: new Map([
    ["zone", "zone"],
    ["old-zone", "zone"],
  ]),
};

const PROFILE = defaultProfile(0);

/** For tests of what chooses nodes. */
export const profileOf =
  (percentageOfNodesToScore = 0) =>
  () => ({ ...PROFILE, percentageOfNodesToScore });

/** JSON that tests write freely. */
type Loose = Readonly<Record<string, unknown>>;

export interface LoosePod {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: Loose;
  readonly spec?: Loose;
  readonly status?: Loose;
  /** Of its one container. */
  readonly requests?: Readonly<Record<string, string>>;
  readonly priority?: number;
}

export function testPod(parts: LoosePod = {}): PodInfo {
  const { name = "pod", namespace = "default", labels = {}, metadata, spec, status, requests, priority } = parts;
  const resources = requests === undefined ? {} : { resources: { requests } };
  return podInfo({
    metadata: { name, namespace, uid: `${namespace}/${name}`, resourceVersion: "1", labels, ...metadata },
    spec: {
      containers: [{ name: "app", image: "app", ...resources }],
      ...(priority === undefined ? {} : { priority }),
      ...spec,
    },
    status: { ...status },
  } as unknown as Stored<Pod>);
}

export interface LooseNode {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Loose;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly status?: Loose;
}

export function testNode({ name = "node", labels = {}, spec = {}, allocatable, status = {} }: LooseNode = {}): Node {
  const has = { cpu: "4", memory: "8Gi", pods: "110", "ephemeral-storage": "100Gi", ...allocatable };
  return {
    metadata: { name, labels: { hostname: name, ...labels } },
    spec,
    status: { allocatable: has, ...status },
  } as unknown as Node;
}

/** Nodes, and pods by the name of the node that they are on. */
export function testCluster(
  nodes: readonly LooseNode[],
  pods: Readonly<Record<string, readonly LoosePod[]>> = {},
  volumes: Partial<VolumeLookup> = {},
  devices: Partial<DeviceLookup> = {},
): Surroundings {
  const evaluations = new Float64Array(FILTER_NAMES.length);
  const state = new ClusterState({ zoneLabel: LABELS.zone });
  for (const node of nodes) state.setNode(testNode(node));
  let number = 0;
  for (const [node, placed] of Object.entries(pods))
    for (const pod of placed) state.place(testPod({ name: `placed-${number++}`, ...pod }), node);
  return {
    state,
    volumes: { ...NO_VOLUMES, ...volumes },
    devices: { ...NO_DEVICES, ...devices },
    labels: LABELS,
    evaluationsOf: () => evaluations,
    filtersOf: () => PROFILE.filters,
  };
}

/** Why each node refuses the pod; empty for those that will do. */
export function reasonsByNode(pod: PodInfo, surroundings: Surroundings): Readonly<Record<string, string>> {
  const check = filterFor(pod, surroundings);
  return Object.fromEntries(
    surroundings.state.nodes.map((node) => {
      const refused: NodeRefusal | undefined =
        typeof check === "function" ? refusalOf(pod, node, check, surroundings) : check.refusesAll;
      return [node.name, refused?.reasons.join("; ") ?? ""];
    }),
  );
}

export const NO_DRIVERS: DriverLookup = {
  limitsOf: () => new Map(),
  attachmentsTo: () => [],
  tellsCapacity: () => false,
  capacitiesNear: () => [],
};

const NO_VOLUMES: VolumeLookup = {
  claim: () => undefined,
  volume: () => undefined,
  volumesOf: () => [],
  storageClass: () => undefined,
  promisedTo: () => undefined,
  drivers: NO_DRIVERS,
  annotations: { bindCompleted: "", selectedNode: "", betaClass: "" },
  noProvisioner: "",
};

/** Rules are tested with everything that they can do. */
export const ALL_GATES = schedulerGates(() => true);

const NO_DEVICES: DeviceLookup = {
  claim: () => undefined,
  deviceClass: () => undefined,
  classOfResource: () => undefined,
  extendedClaimOf: () => undefined,
  slicesFor: () => [],
  isTaken: () => false,
  sharesOf: () => undefined,
  newShareId: () => "share",
  taintsOf: ({ taints }) => taints ?? [],
  nowMs: () => 0,
  gates: ALL_GATES,
  isBeingAllocated: () => false,
  dialect: "platform",
};
