// The conditions of a Deployment: a list with one for each aspect, each with the times of its last change and its last
// word.

import type { Deployment } from "../../kinds/apps/deployment.ts";
import { timeOfMs } from "../../meta/time.ts";

export type DeploymentCondition = NonNullable<Deployment["status"]["conditions"]>[number];

/** Upstream's words, which tools look for. */
export const PROGRESSING = "Progressing";
export const AVAILABLE = "Available";
export const REPLICA_FAILURE = "ReplicaFailure";

export function conditionIn(
  conditions: readonly DeploymentCondition[],
  wanted: string,
): DeploymentCondition | undefined {
  return conditions.find(({ type }) => type === wanted);
}

export function newCondition(
  type: string,
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
  nowMs: number,
): DeploymentCondition {
  const now = timeOfMs(nowMs);
  return { type, status, lastUpdateTime: now, lastTransitionTime: now, reason, message };
}

/** The same reason again is no news. The time of the transition stays while the status does. */
export function withDeploymentCondition(
  conditions: readonly DeploymentCondition[],
  condition: DeploymentCondition,
): readonly DeploymentCondition[] {
  const known = conditionIn(conditions, condition.type);
  if (known?.status === condition.status && known.reason === condition.reason) return conditions;
  const lastTransitionTime =
    known?.status === condition.status ? known.lastTransitionTime : condition.lastTransitionTime;
  return [...withoutCondition(conditions, condition.type), { ...condition, lastTransitionTime }];
}

export function withoutCondition(
  conditions: readonly DeploymentCondition[],
  unwanted: string,
): readonly DeploymentCondition[] {
  return conditions.some(({ type }) => type === unwanted)
    ? conditions.filter(({ type }) => type !== unwanted)
    : conditions;
}
