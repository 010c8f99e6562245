// Scores: nodes with much room left, and nodes whose CPU and memory are used evenly. Pure.

import type { NodeInfo } from "../state/node-info.ts";
import { BEST, type Score } from "./score.ts";

/** How much of CPU and memory would be left, on average. */
export const leastAllocated: Score = ({ guessedRequests }, nodes) =>
  nodes.map(({ allocatable, guessed }) => {
    let sum = 0;
    let weights = 0;
    if (allocatable.cpu > 0) {
      sum += left(guessed.cpu + guessedRequests.cpu, allocatable.cpu);
      weights += 1;
    }
    if (allocatable.memory > 0) {
      sum += left(guessed.memory + guessedRequests.memory, allocatable.memory);
      weights += 1;
    }
    return weights === 0 ? 0 : Math.trunc(sum / weights);
  });

/** How near to each other the used shares of CPU and memory would be. Pods that ask for nothing change nothing. */
export const balancedAllocation: Score = ({ requests }, nodes) => {
  if (requests.cpu === 0 && requests.memory === 0) return undefined;
  return nodes.map((node) => {
    const cpu = share(node, "cpu", requests.cpu);
    const memory = share(node, "memory", requests.memory);
    const deviation = cpu === undefined || memory === undefined ? 0 : Math.abs(cpu - memory) / 2;
    return Math.trunc((1 - deviation) * BEST);
  });
};

function left(requested: number, capacity: number): number {
  return requested > capacity ? 0 : Math.trunc(((capacity - requested) * BEST) / capacity);
}

function share({ allocatable, requested }: NodeInfo, resource: "cpu" | "memory", more: number): number | undefined {
  const capacity = allocatable[resource];
  return capacity === 0 ? undefined : Math.min(1, (requested[resource] + more) / capacity);
}
