// A container that needs the processors of several NUMA nodes gets about as many of each (distribute-cpus-across-numa):
// the fewest nodes that can share evenly, and of these the ones that leave the machine most in balance. Pure: upstream's
// rule.
//
//   8 wanted in groups of 2 of nodes with 6, 6 and 4 free: two nodes do; (6, 6) leaves 2, 2, 4 and (6, 4) leaves 2, 6, 0,
//   so the first two give 4 each.

import { type CpuSet, without } from "../config/cpu-set.ts";
import type { CpuTopology } from "./cpu-topology.ts";
import { type TakeRules, takeCpus } from "./take-cpus.ts";

/** Processors are given in groups: the threads of a core, or one by one. Undefined where there are not enough. */
export function takeOverNodes(
  topology: CpuTopology,
  free: CpuSet,
  { count, groupSize, rules }: { readonly count: number; readonly groupSize: number; readonly rules: TakeRules },
): CpuSet | undefined {
  if (free.length < count) return undefined;
  const shares = count % groupSize === 0 ? sharesOf(topology, free, { count, groupSize }) : undefined;
  if (shares === undefined) return takeCpus(topology, free, count, rules);
  const nodeOf = new Map(topology.map(({ id, numaNode }) => [id, numaNode]));
  let left = free;
  const take = (node: number, amount: number) => {
    const near = left.filter((cpu) => nodeOf.get(cpu) === node);
    left = without(left, takeCpus(topology, near, amount, rules) ?? []);
  };
  for (const { node, even, rest } of shares) {
    take(node, even);
    for (let given = 0; given < rest; given += groupSize) take(node, groupSize);
  }
  return without(free, left);
}

interface Share {
  readonly node: number;
  readonly even: number;
  /** What is given besides, because the number does not divide. */
  readonly rest: number;
}

interface Wish {
  readonly count: number;
  readonly groupSize: number;
}

/** Undefined where no number of nodes can share. */
function sharesOf(topology: CpuTopology, free: CpuSet, wish: Wish): readonly Share[] | undefined {
  const { count, groupSize } = wish;
  const freeIn = freeByNode(topology, free);
  const nodes = [...freeIn.keys()];
  const allNodes = new Set(topology.map(({ numaNode }) => numaNode)).size;
  const groups = Math.ceil(count / groupSize);
  const groupsPerNode = Math.ceil(Math.ceil(topology.length / groupSize) / allNodes);
  const most = Math.min(groups, nodes.length);
  for (let size = Math.ceil(groups / groupsPerNode); size <= most; size += 1) {
    let best: { readonly shares: readonly Share[]; readonly imbalance: number } | undefined;
    for (const chosen of combinations(nodes, size))
      for (const shares of waysToShare(freeIn, chosen, wish)) {
        const imbalance = imbalanceAfter(freeIn, shares);
        if (best === undefined || imbalance < best.imbalance) best = { shares, imbalance };
      }
    if (best !== undefined) return best.shares;
  }
  return undefined;
}

/** The nodes with the fewest free processors first, those of one socket together. */
function freeByNode(topology: CpuTopology, free: CpuSet): ReadonlyMap<number, number> {
  const isFree = new Set(free);
  const [byNode, bySocket, socketOf] = [
    new Map<number, number>(),
    new Map<number, number>(),
    new Map<number, number>(),
  ];
  for (const { id, numaNode, socket } of topology) {
    if (!isFree.has(id)) continue;
    byNode.set(numaNode, (byNode.get(numaNode) ?? 0) + 1);
    bySocket.set(socket, (bySocket.get(socket) ?? 0) + 1);
    socketOf.set(numaNode, socket);
  }
  const sockets = new Set(topology.map(({ socket }) => socket)).size;
  const spansNodes = sockets < new Set(topology.map(({ numaNode }) => numaNode)).size;
  return new Map(
    [...byNode].sort(([a, freeA], [b, freeB]) => {
      const [socketA, socketB] = [socketOf.get(a)!, socketOf.get(b)!];
      const bySockets = spansNodes ? bySocket.get(socketA)! - bySocket.get(socketB)! || socketA - socketB : 0;
      return bySockets || freeA - freeB || a - b;
    }),
  );
}

/** Every way in which these nodes can give as many as are wanted; what does not divide is spread over as many as can be. */
function* waysToShare(
  freeIn: ReadonlyMap<number, number>,
  nodes: readonly number[],
  { count, groupSize }: Wish,
): Generator<readonly Share[]> {
  const wholeGroups = (amount: number) => Math.floor(amount / groupSize) * groupSize;
  const even = wholeGroups(Math.floor(count / nodes.length));
  const left = new Map(nodes.map((node) => [node, freeIn.get(node)! - even]));
  if ([...left.values()].some((amount) => amount < 0)) return;
  const remainder = count - even * nodes.length;
  const share = (rest: ReadonlyMap<number, number>) => nodes.map((node) => ({ node, even, rest: rest.get(node) ?? 0 }));
  if (remainder === 0) {
    yield share(new Map());
    return;
  }
  const able = nodes.filter((node) => left.get(node)! >= groupSize);
  for (let size = able.length; size >= 1; size -= 1)
    for (const givers of combinations(able, size)) {
      const rest = inTurns(givers, { remainder, groupSize, room: (node) => wholeGroups(left.get(node)!) });
      if (rest !== undefined) yield share(rest);
    }
}

/** One group of each after the other. Undefined where they have not enough. */
function inTurns(
  givers: readonly number[],
  wish: { readonly remainder: number; readonly groupSize: number; readonly room: (node: number) => number },
): Map<number, number> | undefined {
  const { remainder, groupSize, room } = wish;
  if (givers.reduce((sum, node) => sum + room(node), 0) < remainder) return undefined;
  const rest = new Map<number, number>();
  for (let given = 0; given < remainder; )
    for (const node of givers) {
      const now = rest.get(node) ?? 0;
      if (given >= remainder || room(node) - now < groupSize) continue;
      rest.set(node, now + groupSize);
      given += groupSize;
    }
  return rest;
}

/** The sum of all that stays free is the same whatever is chosen: the sum of its squares says how uneven it is. */
function imbalanceAfter(freeIn: ReadonlyMap<number, number>, shares: readonly Share[]): number {
  const given = new Map(shares.map(({ node, even, rest }) => [node, even + rest]));
  let squares = 0;
  for (const [node, free] of freeIn) squares += (free - (given.get(node) ?? 0)) ** 2;
  return squares;
}

function* combinations(all: readonly number[], size: number, start = 0): Generator<readonly number[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let index = start; index <= all.length - size; index += 1)
    for (const others of combinations(all, size - 1, index + 1)) yield [all[index]!, ...others];
}
