// Sets of NUMA nodes as bits, the lowest for node 0: 0b101 is {0, 2}. Pure.

export type NumaMask = number;

const MAX_NUMA_NODE = 29;

/** Every set of them is looked at, so that there cannot be many. */
export const canLookAt = (nodes: readonly number[]): boolean =>
  nodes.length <= 16 && nodes.every((node) => node <= MAX_NUMA_NODE);

export const maskOf = (nodes: Iterable<number>): NumaMask => [...nodes].reduce((mask, node) => mask | (1 << node), 0);

export function nodesOf(mask: NumaMask): number[] {
  const nodes: number[] = [];
  for (let node = 0; node <= MAX_NUMA_NODE; node += 1) if (mask & (1 << node)) nodes.push(node);
  return nodes;
}

export function countOf(mask: NumaMask): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count += 1;
  return count;
}

/** Every set of these nodes but the empty one, those with the fewest nodes first. */
export function everyMask(nodes: readonly number[]): NumaMask[] {
  const masks: NumaMask[] = [];
  for (let bits = 1; bits < 1 << nodes.length; bits += 1)
    masks.push(maskOf(nodes.filter((_, index) => bits & (1 << index))));
  return masks.sort((a, b) => countOf(a) - countOf(b) || a - b);
}

/** Fewer nodes; of as many, the lower ones. */
export function isNarrower(mask: NumaMask, than: NumaMask): boolean {
  return (countOf(mask) - countOf(than) || mask - than) < 0;
}
