// All scores with their weights, and their sum for each node. Pure.

import type { Surroundings } from "../filters/filter.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";
import { imageLocality, preferredNodes, taintPreference } from "./node-preferences.ts";
import { podPreferences } from "./pod-preferences.ts";
import { balancedAllocation, leastAllocated } from "./resources.ts";
import type { Score } from "./score.ts";
import { spread } from "./spread.ts";

/** Upstream's weights. */
const SCORES: readonly { readonly score: Score; readonly weight: number }[] = [
  { score: taintPreference, weight: 3 },
  { score: preferredNodes, weight: 2 },
  { score: spread, weight: 2 },
  { score: podPreferences, weight: 2 },
  { score: leastAllocated, weight: 1 },
  { score: balancedAllocation, weight: 1 },
  { score: imageLocality, weight: 1 },
];

/** One for all decisions: what its numbers stand in is used again and again. */
export class TotalScores {
  #points = new Float64Array(0);
  #totals = new Float64Array(0);

  /** For each node, in their order; until the next question. */
  of(
    pod: PodInfo,
    nodes: readonly NodeInfo[],
    surroundings: Surroundings,
    places: readonly number[],
  ): Readonly<Float64Array> {
    if (nodes.length > this.#points.length) {
      this.#points = new Float64Array(nodes.length);
      this.#totals = new Float64Array(nodes.length);
    }
    const points = this.#points.subarray(0, nodes.length);
    const totals = this.#totals.subarray(0, nodes.length).fill(0);
    for (const { score, weight } of SCORES) {
      if (!score(pod, nodes, surroundings, places, points)) continue;
      for (let index = 0; index < totals.length; index += 1) totals[index]! += weight * points[index]!;
    }
    return totals;
  }
}
