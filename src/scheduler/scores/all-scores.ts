// The sum of scores for each node. Pure.

import type { Surroundings } from "../filters/filter.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";
import type { WeightedScore } from "./score.ts";

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
    scores: readonly WeightedScore[],
  ): Readonly<Float64Array> {
    if (nodes.length > this.#points.length) {
      this.#points = new Float64Array(nodes.length);
      this.#totals = new Float64Array(nodes.length);
    }
    const points = this.#points.subarray(0, nodes.length);
    const totals = this.#totals.subarray(0, nodes.length).fill(0);
    for (const { score, weight } of scores) {
      if (!score(pod, nodes, surroundings, places, points)) continue;
      for (let index = 0; index < totals.length; index += 1) totals[index]! += weight * points[index]!;
    }
    return totals;
  }
}
