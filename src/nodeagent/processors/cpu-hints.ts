// Near which NUMA nodes a container could have processors for itself. Pure.

import type { CpuSet } from "../config/cpu-set.ts";
import type { NumaHint } from "../topology/merge-hints.ts";
import { countOf, everyMask, type NumaMask } from "../topology/numa-mask.ts";
import type { CpuTopology } from "./cpu-topology.ts";

interface CpuWish {
  readonly free: CpuSet;
  /** What the pod has already and uses again: it is not left behind. */
  readonly reusable: CpuSet;
  readonly count: number;
  /** Nodes of one socket count as near to each other. */
  readonly alignsBySocket?: boolean;
}

/** Preferred are those with the fewest nodes, or sockets, that could ever do, free or not. */
export function cpuHints(topology: CpuTopology, wish: CpuWish): NumaHint[] {
  const { free, reusable, count, alignsBySocket = false } = wish;
  const nodes = [...new Set(topology.map(({ numaNode }) => numaNode))].sort((a, b) => a - b);
  const nodeOf = new Map(topology.map(({ id, numaNode }) => [id, numaNode]));
  const near = (mask: NumaMask, cpus: Iterable<number>) =>
    [...cpus].filter((cpu) => mask & (1 << (nodeOf.get(cpu) ?? 0))).length;
  let fewest = nodes.length;
  const masks: NumaMask[] = [];
  for (const mask of everyMask(nodes)) {
    if (near(mask, nodeOf.keys()) >= count) fewest = Math.min(fewest, countOf(mask));
    if (near(mask, reusable) === reusable.length && near(mask, free) >= count) masks.push(mask);
  }
  const fewestSockets = Math.ceil((fewest * socketsNear(topology, undefined).size) / nodes.length);
  const isInFewestSockets = (mask: NumaMask) => alignsBySocket && socketsNear(topology, mask).size === fewestSockets;
  return masks.map((mask) => ({ mask, isPreferred: countOf(mask) === fewest || isInFewestSockets(mask) }));
}

/** The sockets that the nodes belong to; all of them where no nodes are named. */
export function socketsNear(topology: CpuTopology, mask: NumaMask | undefined): ReadonlySet<number> {
  const near = topology.filter(({ numaNode }) => mask === undefined || mask & (1 << numaNode));
  return new Set(near.map(({ socket }) => socket));
}
