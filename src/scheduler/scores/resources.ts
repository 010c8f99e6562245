// Scores: nodes with much room left, and nodes whose CPU and memory are used evenly. Pure.

import { BEST, type Score } from "./score.ts";

/** How much of CPU and memory would be left, on average. */
export const leastAllocated: Score = ({ guessedRequests: { cpu, memory } }, nodes) =>
  nodes.map((node) => {
    const { allocatable, guessed } = node;
    const sum = left(guessed.cpu + cpu, allocatable.cpu) + left(guessed.memory + memory, allocatable.memory);
    // A node that has none of one counts by the other.
    return allocatable.cpu === 0 || allocatable.memory === 0 ? sum : Math.trunc(sum / 2);
  });

/** How near to each other the used shares of CPU and memory would be. Pods that ask for nothing change nothing. */
export const balancedAllocation: Score = ({ requests: { cpu, memory } }, nodes) => {
  if (cpu === 0 && memory === 0) return undefined;
  return nodes.map((node) => {
    const { allocatable, requested } = node;
    if (allocatable.cpu === 0 || allocatable.memory === 0) return BEST;
    const ofCpu = Math.min(1, (requested.cpu + cpu) / allocatable.cpu);
    const ofMemory = Math.min(1, (requested.memory + memory) / allocatable.memory);
    return Math.trunc((1 - Math.abs(ofCpu - ofMemory) / 2) * BEST);
  });
};

/** In percent; nothing where there is nothing. */
function left(requested: number, capacity: number): number {
  return requested > capacity || capacity === 0 ? 0 : Math.trunc(((capacity - requested) * BEST) / capacity);
}
