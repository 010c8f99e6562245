// Scores: nodes with much room left, and nodes whose CPU and memory are used evenly. Pure.

import { BEST, type Score } from "./score.ts";

/** How much of CPU and memory would be left, on average. */
export const leastAllocated: Score = ({ guessedRequests }, _nodes, { state: { rows } }, places, points) => {
  const { cpu, memory } = guessedRequests;
  for (let index = 0; index < places.length; index += 1) {
    const place = places[index]!;
    const allCpu = rows.cpu(place);
    const allMemory = rows.memory(place);
    const sum = left(rows.guessedCpu(place) + cpu, allCpu) + left(rows.guessedMemory(place) + memory, allMemory);
    // A node that has none of one counts by the other.
    points[index] = allCpu === 0 || allMemory === 0 ? sum : Math.trunc(sum / 2);
  }
  return true;
};

/** How near to each other the used shares of CPU and memory would be. Pods that ask for nothing change nothing. */
export const balancedAllocation: Score = (
  { requests: { cpu, memory } },
  _nodes,
  { state: { rows } },
  places,
  points,
) => {
  if (cpu === 0 && memory === 0) return false;
  for (let index = 0; index < places.length; index += 1) {
    const place = places[index]!;
    const allCpu = rows.cpu(place);
    const allMemory = rows.memory(place);
    if (allCpu === 0 || allMemory === 0) {
      points[index] = BEST;
      continue;
    }
    const ofCpu = Math.min(1, (rows.requestedCpu(place) + cpu) / allCpu);
    const ofMemory = Math.min(1, (rows.requestedMemory(place) + memory) / allMemory);
    points[index] = Math.trunc((1 - Math.abs(ofCpu - ofMemory) / 2) * BEST);
  }
  return true;
};

/** In percent; nothing where there is nothing. */
function left(requested: number, capacity: number): number {
  return requested > capacity || capacity === 0 ? 0 : Math.trunc(((capacity - requested) * BEST) / capacity);
}
