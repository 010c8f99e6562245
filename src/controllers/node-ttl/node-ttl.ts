// How long agents may keep what they have read: the longer, the more nodes there are. Pure.

/** Steps overlap, so that a cluster at a border does not change with every node. */
const STEPS = [
  { fewest: 0, most: 100, ttlSeconds: 0 },
  { fewest: 90, most: 500, ttlSeconds: 15 },
  { fewest: 450, most: 1_000, ttlSeconds: 30 },
  { fewest: 900, most: 2_000, ttlSeconds: 60 },
  { fewest: 1_800, most: Number.POSITIVE_INFINITY, ttlSeconds: 300 },
] as const;

/** The step for so many nodes, from the step before. */
export function ttlStep(step: number, nodes: number): number {
  let next = step;
  while (nodes > STEPS[next]!.most) next += 1;
  while (nodes < STEPS[next]!.fewest) next -= 1;
  return next;
}

export function ttlSecondsOf(step: number): number {
  return STEPS[step]!.ttlSeconds;
}
