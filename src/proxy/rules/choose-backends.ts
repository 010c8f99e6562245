// Which backends of a port get traffic from this node: those of the whole cluster, narrowed by hints, and those of the node
// alone; when nobody is ready, those that end but still answer.
// Requirements: document 3, "Service" (traffic policies, trafficDistribution) and "EndpointSlice" (conditions, hints).

import type { Backend, NodeFacts } from "./backends.ts";

export interface PortPolicies {
  readonly isInternalLocal: boolean;
  readonly isExternalLocal: boolean;
  /** Whether anything but the cluster IP leads to the port. */
  readonly isReachableFromOutside: boolean;
}

interface ChosenBackends {
  /** For traffic that may go to any node. */
  readonly cluster: readonly Backend[];
  /** For traffic that must stay on this node; empty when no policy asks for it. */
  readonly local: readonly Backend[];
  /** Whether anybody anywhere takes traffic: without, clients hear of it at once; with, a policy only drops. */
  readonly hasAny: boolean;
}

export function chooseBackends(all: readonly Backend[], policies: PortPolicies, node: NodeFacts): ChosenBackends {
  const { isInternalLocal, isExternalLocal, isReachableFromOutside } = policies;
  // Also with an external policy of Local: what comes from this node's own pods goes anywhere.
  const usesCluster = !isInternalLocal || isReachableFromOutside;
  const usesLocal = isInternalLocal || (isExternalLocal && isReachableFromOutside);
  const cluster = usesCluster ? clusterBackends(all, node) : [];
  const local = usesLocal ? bestOf(all.filter(({ isLocal }) => isLocal)) : [];
  const hasAny = cluster.length > 0 || local.length > 0 || (!usesCluster && bestOf(all).length > 0);
  return { cluster, local, hasAny };
}

function clusterBackends(all: readonly Backend[], node: NodeFacts): readonly Backend[] {
  const ready = all.filter(({ isReady }) => isReady);
  return ready.length > 0 ? closest(ready, node) : bestOf(all);
}

/** Those that are ready, or else those that end and still answer. */
function bestOf(backends: readonly Backend[]): readonly Backend[] {
  const ready = backends.filter(({ isReady }) => isReady);
  return ready.length > 0 ? ready : backends.filter(({ isServing, isTerminating }) => isServing && isTerminating);
}

/** Hints count when every backend has them and one is meant for this node: half a set of hints would overload the few. */
function closest(ready: readonly Backend[], { name, zone, followsNodeHints }: NodeFacts): readonly Backend[] {
  const forNode = followsNodeHints ? hinted(ready, ({ forNodes }) => forNodes, name) : [];
  if (forNode.length > 0) return forNode;
  const forZone = hinted(ready, ({ forZones }) => forZones, zone);
  return forZone.length > 0 ? forZone : ready;
}

function hinted(
  ready: readonly Backend[],
  hintsOf: (backend: Backend) => readonly string[],
  place: string,
): readonly Backend[] {
  if (place === "" || ready.some((backend) => hintsOf(backend).length === 0)) return [];
  return ready.filter((backend) => hintsOf(backend).includes(place));
}
