// From what metrics ask for to what is done: steadied by what was asked for lately, held to limits and to a pace.

import type {
  HorizontalPodAutoscaler,
  HPAScalingRules,
} from "../../kinds/autoscaling/horizontal-pod-autoscaler/v2-schema.ts";
import type { ScalingHistory } from "./scaling-history.ts";

interface Reason {
  readonly reason: string;
  readonly message: string;
}

interface LimitedScaling {
  readonly replicas: number;
  /** Of AbleToScale, which is true. */
  readonly steadied: Reason;
  readonly limited: boolean;
  /** Of ScalingLimited. */
  readonly limit: Reason;
}

export interface ScalingRequest {
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: HorizontalPodAutoscaler["spec"]["behavior"];
  /** So long wishes count on the way down, where the autoscaler does not say it. */
  readonly downWindowSeconds: number;
}

/** Also remembers what was asked for. `nowMs`: by a clock that never jumps, as the history. */
export function limitScaling(request: ScalingRequest, history: ScalingHistory, nowMs: number): LimitedScaling {
  const steady = steadied(request, history, nowMs);
  history.recommend(request.desired, nowMs);
  const stabilized = request.desired >= request.current ? UP_STABILIZED : DOWN_STABILIZED;
  const [replicas, limit] = held({ ...request, desired: steady }, history, nowMs);
  return {
    replicas,
    steadied: steady === request.desired ? READY : request.behavior === undefined ? DOWN_STABILIZED : stabilized,
    limited: replicas !== steady,
    limit,
  };
}

/** Up to the lowest wish of the one window, down to the highest of the other. */
function steadied(request: ScalingRequest, history: ScalingHistory, nowMs: number): number {
  const { current, desired, behavior, downWindowSeconds } = request;
  const downSeconds = behavior?.scaleDown?.stabilizationWindowSeconds ?? downWindowSeconds;
  const within = (seconds: number) =>
    history.recommendations.filter(({ atMs }) => atMs > nowMs - seconds * 1_000).map(({ replicas }) => replicas);
  const highest = within(downSeconds).reduce((most, each) => Math.max(most, each), desired);
  if (behavior === undefined) return highest;
  const upSeconds = behavior.scaleUp?.stabilizationWindowSeconds ?? 0;
  const lowest = within(upSeconds).reduce((least, each) => Math.min(least, each), desired);
  return Math.min(Math.max(current, lowest), highest);
}

type Held = readonly [replicas: number, limit: Reason];

function held(request: ScalingRequest, history: ScalingHistory, nowMs: number): Held {
  const { current, desired, min, max, behavior } = request;
  if (behavior === undefined) {
    // Wrong measurements must not multiply a workload in one step.
    const pace = Math.max(2 * current, 4);
    if (desired < min) return [min, TOO_FEW];
    if (desired > Math.min(max, pace)) return max > pace ? [pace, UP_LIMIT] : [max, TOO_MANY];
    return [desired, IN_RANGE];
  }
  if (desired > current) {
    const pace = Math.max(current, paceOf(behavior.scaleUp, "up", current, history, nowMs));
    if (desired > Math.min(max, pace)) return max > pace ? [pace, UP_LIMIT] : [max, TOO_MANY];
  } else if (desired < current) {
    const pace = Math.min(current, paceOf(behavior.scaleDown, "down", current, history, nowMs));
    if (desired < Math.max(min, pace)) return min < pace ? [pace, DOWN_LIMIT] : [min, TOO_FEW];
  }
  return [desired, IN_RANGE];
}

/** How far the policies let the replicas go from `current`. */
function paceOf(
  rules: HPAScalingRules | undefined,
  way: "up" | "down",
  current: number,
  history: ScalingHistory,
  nowMs: number,
): number {
  if (rules?.selectPolicy === "Disabled") return current;
  const allowed = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const before = history.replicasBefore(current, periodSeconds, nowMs);
    if (type === "Pods") return way === "up" ? before + value : before - value;
    // Up is rounded up: a small percentage of few replicas must still be something.
    return way === "up" ? Math.ceil((before * (100 + value)) / 100) : Math.trunc((before * (100 - value)) / 100);
  });
  const farthest = (rules?.selectPolicy ?? "Max") !== "Min";
  const most = (a: number, b: number) => Math.max(a, b);
  const least = (a: number, b: number) => Math.min(a, b);
  return allowed.length === 0 ? current : allowed.reduce((way === "up") === farthest ? most : least);
}

const READY = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const UP_STABILIZED = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const DOWN_STABILIZED = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const IN_RANGE = { reason: "DesiredWithinRange", message: "the desired count is within the acceptable range" };
const TOO_FEW = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const TOO_MANY = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const UP_LIMIT = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const DOWN_LIMIT = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};
