// What a score is: of the nodes on which a pod can run, how good each is, from 0 to 100.

import type { Surroundings } from "../filters/filter.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";

export const BEST = 100;

/** A number for each node, in their order; undefined when all are equal. `places`: of the nodes among all. */
export type Score = (
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  surroundings: Surroundings,
  places: readonly number[],
) => readonly number[] | undefined;

/** Stretches what was counted to the range from 0 to 100, the most being the best, or the worst. */
export function stretched(counts: readonly number[], most: "best" | "worst"): readonly number[] {
  let max = 0;
  for (const count of counts) max = Math.max(max, count);
  if (max === 0) return counts.map(() => (most === "best" ? 0 : BEST));
  return counts.map((count) => {
    const share = Math.trunc((BEST * count) / max);
    return most === "best" ? share : BEST - share;
  });
}
