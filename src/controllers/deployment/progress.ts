// Whether a rollout gets on: the condition Progressing, and when to look whether it still does.

import type { Deployment } from "../../kinds/apps/deployment.ts";
import {
  conditionIn,
  type DeploymentCondition,
  newCondition,
  PROGRESSING,
  withDeploymentCondition,
  withoutCondition,
} from "./conditions.ts";
import { progressDeadlineSeconds } from "./rollout-limits.ts";

type Conditions = readonly DeploymentCondition[];
export type Counts = Pick<
  Deployment["status"],
  "replicas" | "updatedReplicas" | "readyReplicas" | "availableReplicas" | "observedGeneration"
>;

const DONE = "NewReplicaSetAvailable";
const TIMED_OUT = "ProgressDeadlineExceeded";
const PAUSED = "DeploymentPaused";

/** While a deployment is paused nobody counts the time: it says so, and when it goes on again. */
export function pausedConditions(deployment: Deployment, conditions: Conditions, nowMs: number): Conditions {
  const condition = conditionIn(conditions, PROGRESSING);
  if (progressDeadlineSeconds(deployment) === undefined || condition?.reason === TIMED_OUT) return conditions;
  const saysPaused = condition?.reason === PAUSED;
  if ((deployment.spec.paused ?? false) === saysPaused) return conditions;
  const said = saysPaused
    ? newCondition(PROGRESSING, "Unknown", "DeploymentResumed", "Deployment is resumed", nowMs)
    : newCondition(PROGRESSING, "Unknown", PAUSED, "Deployment is paused", nowMs);
  return withDeploymentCondition(conditions, said);
}

/** The set of a new template is there: made just now, found, or refused. */
export function newSetConditions(
  deployment: Deployment,
  conditions: Conditions,
  news: { readonly type: "created" | "found" | "refused"; readonly message: string },
  nowMs: number,
): Conditions {
  if (progressDeadlineSeconds(deployment) === undefined) return conditions;
  switch (news.type) {
    case "created":
      return withDeploymentCondition(
        conditions,
        newCondition(PROGRESSING, "True", "NewReplicaSetCreated", news.message, nowMs),
      );
    case "found":
      if (conditionIn(conditions, PROGRESSING) !== undefined) return conditions;
      return withDeploymentCondition(
        conditions,
        newCondition(PROGRESSING, "True", "FoundNewReplicaSet", news.message, nowMs),
      );
    case "refused":
      return withDeploymentCondition(
        conditions,
        newCondition(PROGRESSING, "False", "ReplicaSetCreateError", news.message, nowMs),
      );
  }
}

/** `before` are the counts that were last said, `now` those that are about to be. */
export function progressConditions(
  deployment: Deployment,
  conditions: Conditions,
  { before, now, subject }: { readonly before: Counts; readonly now: Counts; readonly subject: string },
  nowMs: number,
): Conditions {
  if (progressDeadlineSeconds(deployment) === undefined) return withoutCondition(conditions, PROGRESSING);
  const condition = conditionIn(conditions, PROGRESSING);
  // Finished before: what its pods do later is no matter of the rollout.
  if ((now.replicas ?? 0) === (now.updatedReplicas ?? 0) && condition?.reason === DONE) return conditions;
  if (isComplete(deployment, now)) {
    const message = `${subject} has successfully progressed.`;
    return withDeploymentCondition(conditions, newCondition(PROGRESSING, "True", DONE, message, nowMs));
  }
  if (hasProgressed(before, now)) {
    const said = newCondition(PROGRESSING, "True", "ReplicaSetUpdated", `${subject} is progressing.`, nowMs);
    // Every step is news, so that the time runs from the last one.
    const since = condition?.status === "True" ? condition.lastTransitionTime : said.lastTransitionTime;
    return [...withoutCondition(conditions, PROGRESSING), { ...said, lastTransitionTime: since }];
  }
  if (hasTimedOut(deployment, condition, nowMs)) {
    const message = `${subject} has timed out progressing.`;
    return withDeploymentCondition(conditions, newCondition(PROGRESSING, "False", TIMED_OUT, message, nowMs));
  }
  return conditions;
}

/** All replicas are of the current template and available, and none is left of another. */
export function isComplete({ metadata, spec }: Deployment, counts: Counts): boolean {
  const replicas = spec.replicas ?? 1;
  return (
    (counts.updatedReplicas ?? 0) === replicas &&
    (counts.replicas ?? 0) === replicas &&
    (counts.availableReplicas ?? 0) === replicas &&
    (counts.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}

/** After how long a rollout that stands still has to be looked at; undefined when nobody waits for it. */
export function msUntilDeadline(
  deployment: Deployment,
  conditions: Conditions,
  counts: Counts,
  nowMs: number,
): number | undefined {
  const condition = conditionIn(conditions, PROGRESSING);
  const seconds = progressDeadlineSeconds(deployment);
  if (seconds === undefined || condition === undefined || deployment.spec.paused === true) return undefined;
  if (condition.reason === TIMED_OUT || condition.reason === DONE || isComplete(deployment, counts)) return undefined;
  // A second more: only what is past is too late.
  return Math.max(0, lastWordMs(condition) + seconds * 1_000 - nowMs) + 1_000;
}

function hasProgressed(before: Counts, now: Counts): boolean {
  const old = (counts: Counts) => (counts.replicas ?? 0) - (counts.updatedReplicas ?? 0);
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function hasTimedOut(deployment: Deployment, condition: DeploymentCondition | undefined, nowMs: number): boolean {
  const seconds = progressDeadlineSeconds(deployment);
  if (seconds === undefined || condition === undefined || condition.reason === DONE) return false;
  return condition.reason === TIMED_OUT || lastWordMs(condition) + seconds * 1_000 < nowMs;
}

function lastWordMs({ lastUpdateTime, lastTransitionTime }: DeploymentCondition): number {
  const ms = Date.parse(lastUpdateTime ?? lastTransitionTime ?? "");
  return Number.isNaN(ms) ? 0 : ms;
}
