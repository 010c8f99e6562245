// Scores by how much of some resources would be used on a node, as a profile says: the more or the less, or as a curve says.
// Pure. The usual one, of CPU and memory, stands in resources.ts.

import type { Amounts } from "../state/amounts.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";
import { BEST, type Score } from "./score.ts";

interface WeightedResource {
  readonly name: string;
  readonly weight: number;
}

interface ScoringStrategy {
  readonly type: "LeastAllocated" | "MostAllocated" | "RequestedToCapacityRatio";
  readonly resources: readonly WeightedResource[];
  /** For the last: from utilization (0 to 100) to score (0 to 10), straight lines between. */
  readonly requestedToCapacityRatio: {
    readonly shape: readonly { readonly utilization: number; readonly score: number }[];
  };
}

/** Upstream's factor between its scores and those of curves. */
const CURVE_SCALE = BEST / 10;

export function allocationScore({ type, resources, requestedToCapacityRatio: { shape } }: ScoringStrategy): Score {
  const curve = shape.map(({ utilization, score }) => ({ utilization, score: score * CURVE_SCALE }));
  const isCurve = type === "RequestedToCapacityRatio";
  const rate = (used: number, all: number): number => {
    if (type === "LeastAllocated") return used > all ? 0 : Math.trunc(((all - used) * BEST) / all);
    if (type === "MostAllocated") return Math.trunc((Math.min(used, all) * BEST) / all);
    return onCurve(curve, used > all ? BEST : Math.trunc((used * BEST) / all));
  };
  const scoreOf = (pod: PodInfo, node: NodeInfo): number => {
    let sum = 0;
    let weights = 0;
    for (const { name, weight } of resources) {
      const { used, all } = usage(name, pod, node, "guessed");
      if (all === 0) continue;
      const score = rate(used, all);
      // As upstream: what a curve gives nothing for does not count.
      if (isCurve && score === 0) continue;
      sum += score * weight;
      weights += weight;
    }
    if (weights === 0) return 0;
    return isCurve ? Math.round(sum / weights) : Math.trunc(sum / weights);
  };
  return (pod, nodes, _surroundings, _places, points) => {
    for (const [index, node] of nodes.entries()) points[index] = scoreOf(pod, node);
    return true;
  };
}

/** How near to each other the used shares of the resources would be. Pods that ask for none of them change nothing. */
export function balanceScore(resources: readonly WeightedResource[]): Score {
  return (pod, nodes, _surroundings, _places, points) => {
    if (resources.every(({ name }) => amountOf(pod.requests, name) === 0)) return false;
    for (const [index, node] of nodes.entries()) {
      const shares = resources.flatMap(({ name }) => {
        const { used, all } = usage(name, pod, node, "requested");
        return all === 0 ? [] : [Math.min(1, used / all)];
      });
      points[index] = Math.trunc((1 - deviation(shares)) * BEST);
    }
    return true;
  };
}

/** With the pod on it. Of extended resources, those that the pod does not ask for do not count. */
function usage(
  name: string,
  pod: PodInfo,
  { allocatable, requested, guessed }: NodeInfo,
  by: "requested" | "guessed",
): { used: number; all: number } {
  const isGuessed = by === "guessed";
  const own = amountOf(isGuessed ? pod.guessedRequests : pod.requests, name);
  if (own === 0 && !STANDARD.has(name)) return { used: 0, all: 0 };
  return { used: amountOf(isGuessed ? guessed : requested, name) + own, all: amountOf(allocatable, name) };
}

const STANDARD: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

function amountOf({ cpu, memory, ephemeralStorage, others }: Amounts, name: string): number {
  if (name === "cpu") return cpu;
  if (name === "memory") return memory;
  return name === "ephemeral-storage" ? ephemeralStorage : (others?.get(name) ?? 0);
}

function onCurve(curve: ScoringStrategy["requestedToCapacityRatio"]["shape"], at: number): number {
  const after = curve.findIndex(({ utilization }) => at <= utilization);
  if (after < 0) return curve.at(-1)?.score ?? 0;
  const to = curve[after]!;
  const from = curve[after - 1];
  if (from === undefined) return to.score;
  return (
    from.score + Math.trunc(((to.score - from.score) * (at - from.utilization)) / (to.utilization - from.utilization))
  );
}

/** Standard deviation; of two, half of what is between them. */
function deviation(shares: readonly number[]): number {
  if (shares.length < 2) return 0;
  const mean = shares.reduce((sum, each) => sum + each, 0) / shares.length;
  return Math.sqrt(shares.reduce((sum, each) => sum + (each - mean) ** 2, 0) / shares.length);
}
