// What a score is: of the nodes on which a pod can run, how good each is, from 0 to 100.

import type { Surroundings } from "../filters/filter.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";

export const BEST = 100;

/**
 * Writes a number for each node, in their order; false when all are equal, and what is written does not count. `places`: of the
 * nodes among all.
 */
export type Score = (
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  surroundings: Surroundings,
  places: readonly number[],
  points: Float64Array,
) => boolean;

export interface WeightedScore {
  readonly score: Score;
  readonly weight: number;
}

/** Stretches what was counted to the range from 0 to 100, the most being the best, or the worst. */
export function stretch(counts: Float64Array, most: "best" | "worst"): void {
  let max = 0;
  for (const count of counts) max = Math.max(max, count);
  for (let index = 0; index < counts.length; index += 1) {
    const share = max === 0 ? 0 : Math.trunc((BEST * counts[index]!) / max);
    counts[index] = most === "best" ? share : BEST - share;
  }
}
