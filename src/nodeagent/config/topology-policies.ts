// How near to each other processors, memory and devices of a pod are put.

export const TOPOLOGY_POLICIES = ["none", "best-effort", "restricted", "single-numa-node"] as const;
export type TopologyPolicy = (typeof TOPOLOGY_POLICIES)[number];
