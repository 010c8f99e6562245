// Scores: nodes with much room left, and nodes whose CPU and memory are used evenly. Pure.

import { BEST, type Score } from "./score.ts";

/** How much of CPU and memory would be left, on average. */
export const leastAllocated: Score = ({ guessedRequests: { cpu, memory } }, _nodes, { state: { rows } }, places) =>
  places.map((place) => {
    const allCpu = rows.cpu(place);
    const allMemory = rows.memory(place);
    const sum = left(rows.guessedCpu(place) + cpu, allCpu) + left(rows.guessedMemory(place) + memory, allMemory);
    // A node that has none of one counts by the other.
    return allCpu === 0 || allMemory === 0 ? sum : Math.trunc(sum / 2);
  });

/** How near to each other the used shares of CPU and memory would be. Pods that ask for nothing change nothing. */
export const balancedAllocation: Score = ({ requests: { cpu, memory } }, _nodes, { state: { rows } }, places) => {
  if (cpu === 0 && memory === 0) return undefined;
  return places.map((place) => {
    const allCpu = rows.cpu(place);
    const allMemory = rows.memory(place);
    if (allCpu === 0 || allMemory === 0) return BEST;
    const ofCpu = Math.min(1, (rows.requestedCpu(place) + cpu) / allCpu);
    const ofMemory = Math.min(1, (rows.requestedMemory(place) + memory) / allMemory);
    return Math.trunc((1 - Math.abs(ofCpu - ofMemory) / 2) * BEST);
  });
};

/** In percent; nothing where there is nothing. */
function left(requested: number, capacity: number): number {
  return requested > capacity || capacity === 0 ? 0 : Math.trunc(((capacity - requested) * BEST) / capacity);
}
