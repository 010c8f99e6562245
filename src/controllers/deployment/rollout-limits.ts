// How many pods a rollout may have too many or too few.

import type { Deployment } from "../../kinds/apps/deployment.ts";
import { scaledAmount } from "../pods-of-owner/scaled-amount.ts";

export interface RolloutLimits {
  readonly replicas: number;
  /** Beyond the replicas. */
  readonly maxSurge: number;
  /** Of the replicas. */
  readonly maxUnavailable: number;
}

/** More are never meant: the largest number of 32 bits stands for none. */
const NO_LIMIT = 2 ** 31 - 1;

export function rolloutLimits({ spec }: Deployment): RolloutLimits {
  const replicas = Math.max(0, spec.replicas ?? 1);
  const { type, rollingUpdate } = spec.strategy;
  if (type !== "RollingUpdate") return { replicas, maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = Math.max(0, scaledAmount(rollingUpdate?.maxSurge, replicas, "up"));
  let maxUnavailable = Math.max(0, scaledAmount(rollingUpdate?.maxUnavailable, replicas, "down"));
  // A small percentage of few replicas is nothing: then nothing would ever move.
  if (maxSurge === 0 && maxUnavailable === 0) maxUnavailable = 1;
  return { replicas, maxSurge, maxUnavailable: Math.min(maxUnavailable, replicas) };
}

/** After how many seconds without progress a rollout has failed; undefined when nobody wants to know. */
export function progressDeadlineSeconds({ spec }: Deployment): number | undefined {
  const { progressDeadlineSeconds: seconds } = spec;
  return seconds === undefined || seconds === NO_LIMIT ? undefined : seconds;
}

/** How many old sets are kept; undefined for all. */
export function historyLimit({ spec }: Deployment): number | undefined {
  const { revisionHistoryLimit: limit } = spec;
  return limit === undefined || limit === NO_LIMIT ? undefined : limit;
}
