// What a turn of a Job adds to what is measured of all of them: everything counts once, when a status that says so is written.

import type { Stored } from "../../client/informer.ts";
import type { JobStatus } from "../../kinds/batch/job/schema.ts";
import type { Job } from "../../kinds/batch/job.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { ControllerMetrics } from "../framework/controller-metrics.ts";
import { type Assessment, hasLimitPerIndex, isFailed, isIndexed } from "./assess-job.ts";
import { IndexSet } from "./index-set.ts";
import { failurePolicyAction } from "./pod-failure-policy.ts";

export const modeOf = ({ spec }: Job): string => spec.completionMode ?? "NonIndexed";

/** Why pods are created that a Job lacks. */
export function creationReason({ spec }: Job, { failed, terminating }: Pick<Assessment, "failed" | "terminating">) {
  if (failed === 0 && terminating.length === 0) return "new";
  return spec.podReplacementPolicy === "Failed" ? "recreate_failed" : "recreate_terminating_or_failed";
}

interface CountedPods {
  readonly before: JobStatus;
  readonly after: JobStatus;
  /** Those that were let go between the two. */
  readonly ended: readonly Stored<Pod>[];
}

export function measurePods(metrics: ControllerMetrics, job: Stored<Job>, { before, after, ended }: CountedPods): void {
  const more = (count: "succeeded" | "failed"): number => (after[count] ?? 0) - (before[count] ?? 0);
  // In an Indexed job it is indexes that succeed.
  if (!isIndexed(job)) metrics.jobPodsFinished(modeOf(job), "succeeded", more("succeeded"));
  metrics.jobPodsFinished(modeOf(job), "failed", more("failed"));
  for (const pod of ended) {
    const matched = isFailed(pod, job) ? failurePolicyAction(job.spec.podFailurePolicy, pod) : undefined;
    if (matched !== undefined) metrics.jobFailurePolicyApplied(matched.action);
  }
}

/** Indexes that the job's status did not name before. */
export function measureIndexes(
  metrics: ControllerMetrics,
  job: Stored<Job>,
  { completedIndexes, failedIndexes }: Pick<Assessment, "completedIndexes" | "failedIndexes">,
): void {
  if (!isIndexed(job)) return;
  const limit = hasLimitPerIndex(job) ? "perIndex" : "global";
  const known = (text: string | undefined): number => IndexSet.parse(text, job.spec.completions ?? 0).size;
  const succeeded = completedIndexes.size - known(job.status.completedIndexes);
  metrics.jobPodsFinished(modeOf(job), "succeeded", succeeded);
  metrics.jobIndexesFinished("succeeded", limit, succeeded);
  metrics.jobIndexesFinished("failed", limit, (failedIndexes?.size ?? 0) - known(job.status.failedIndexes));
}
