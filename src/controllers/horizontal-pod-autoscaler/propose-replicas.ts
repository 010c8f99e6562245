// How many replicas a metric asks for: as many as bring its value to the target, unless it is near enough.

import type { PodGroups } from "./pod-groups.ts";

/** How far from the target nothing is done, as a part of it. */
export interface Tolerances {
  readonly up: number;
  readonly down: number;
}

interface Usage {
  /** Of the target: above 1 there are too few replicas. */
  readonly ratio: number;
  /** In percent of what is requested, for targets of that kind. */
  readonly utilization?: number;
  /** Per pod, in thousandths. */
  readonly average: number;
}

interface UsageRule {
  /** Fails when nothing can be made of the values. */
  usageOf(values: ReadonlyMap<string, number>): Usage;
  /** What a pod of which nothing is known is taken to use when that speaks against scaling down. */
  assumed(pod: string): number;
}

/** Use as a percentage of requests. */
export function utilizationRule(requests: ReadonlyMap<string, number>, targetPercent: number): UsageRule {
  return {
    usageOf(values) {
      let used = 0;
      let requested = 0;
      let count = 0;
      for (const [pod, value] of values) {
        const request = requests.get(pod);
        if (request === undefined) continue;
        used += value;
        requested += request;
        count += 1;
      }
      if (requested === 0) throw new Error("no metrics returned matched known pods");
      const utilization = Math.trunc((used * 100) / requested);
      return { ratio: utilization / targetPercent, utilization, average: Math.trunc(used / count) };
    },
    assumed: (pod) => Math.trunc(((requests.get(pod) ?? 0) * Math.max(100, targetPercent)) / 100),
  };
}

/** A value per pod. */
export function averageRule(target: number): UsageRule {
  return {
    usageOf(values) {
      let used = 0;
      for (const value of values.values()) used += value;
      const average = Math.trunc(used / values.size);
      return { ratio: average / target, average };
    },
    assumed: () => target,
  };
}

/**
 * What is not known must not drive scaling: pods without a value are taken to use all when there seem to be too many, and
 * nothing when there seem to be too few; pods that are not at work yet use nothing. Where that turns the direction, all
 * stays as it is.
 */
export function proposeByPods(
  { ready, unready, missing, measured }: PodGroups,
  rule: UsageRule,
  currentReplicas: number,
  tolerances: Tolerances,
): { readonly replicas: number; readonly usage: Usage } {
  if (measured.size === 0) throw new Error("did not receive metrics for targeted pods (pods might be unready)");
  const usage = rule.usageOf(measured);
  const growsWithUnready = unready.length > 0 && usage.ratio > 1;
  if (!growsWithUnready && missing.length === 0) {
    const replicas = isWithin(usage.ratio, tolerances) ? currentReplicas : Math.ceil(usage.ratio * ready);
    return { replicas, usage };
  }
  const values = new Map(measured);
  if (usage.ratio !== 1) for (const pod of missing) values.set(pod, usage.ratio < 1 ? rule.assumed(pod) : 0);
  if (growsWithUnready) for (const pod of unready) values.set(pod, 0);
  const { ratio } = rule.usageOf(values);
  const turned = (usage.ratio < 1 && ratio > 1) || (usage.ratio > 1 && ratio < 1);
  if (turned || isWithin(ratio, tolerances)) return { replicas: currentReplicas, usage };
  const replicas = Math.ceil(ratio * values.size);
  const against = (ratio < 1 && replicas > currentReplicas) || (ratio > 1 && replicas < currentReplicas);
  return { replicas: against ? currentReplicas : replicas, usage };
}

/** For one value of the whole. Without any replica there is nobody to share it, and no tolerance. */
export function proposeByRatio(
  ratio: number,
  currentReplicas: number,
  readyPods: () => number,
  tolerances: Tolerances,
): number {
  if (currentReplicas === 0) return Math.ceil(ratio);
  return isWithin(ratio, tolerances) ? currentReplicas : Math.ceil(ratio * readyPods());
}

/** For one value that the replicas share. */
export function proposeByShare(value: number, target: number, replicas: number, tolerances: Tolerances): number {
  return isWithin(value / (target * replicas), tolerances) ? replicas : Math.ceil(value / target);
}

function isWithin(ratio: number, { up, down }: Tolerances): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}
