// What is measured of Jobs and what makes and ends them, under upstream's names.

import { ALPHA, BETA, doubled, STABLE } from "../../../base/metric-words.ts";
import type { Metrics } from "../../../base/metrics.ts";

type JobSyncAction = "reconciling" | "tracking" | "pods_created" | "pods_deleted";
type PodCreationReason = "new" | "recreate_terminating_or_failed" | "recreate_failed";

/** How a turn of a Job went. */
export interface JobTurn {
  readonly completionMode: string;
  readonly result: "success" | "error";
  /** "reconciling": it waited to see what it had done before. */
  readonly action: JobSyncAction;
  readonly seconds: number;
}

export interface JobMetrics {
  jobSynced(turn: JobTurn): void;
  jobFinished(completionMode: string, result: "succeeded" | "failed", reason: string): void;
  /** Pods that have ended and are counted. */
  jobPodsFinished(completionMode: string, result: "succeeded" | "failed", count: number): void;
  jobIndexesFinished(status: "succeeded" | "failed", limit: "perIndex" | "global", count: number): void;
  jobPodsCreated(reason: PodCreationReason, status: "succeeded" | "failed", count: number): void;
  /** A rule of the Job says what the failure of a pod means. */
  jobFailurePolicyApplied(action: string): void;
  /** A pod that has ended has the finalizer of its Job, or has it no more. */
  jobFinalizerSeen(event: "add" | "delete"): void;
  jobOfOthers(controllerName: string): void;
  /** Between the moment that a schedule names and the creation of the Job. */
  jobCreated(skewSeconds: number): void;
  /** Between the moment that its time was over and its deletion. */
  finishedJobDeleted(seconds: number): void;
}

/** Names of controllers are users' text: so many have a series, the others share one. */
const MAX_CONTROLLER_NAMES = 64;

export function jobMetrics(metrics: Metrics): JobMetrics {
  const turns = ["completion_mode", "result", "action"];
  const durations = metrics.histogram({
    ...STABLE,
    name: "job_controller_job_sync_duration_seconds",
    help: "The time it took to sync a job",
    labels: turns,
    buckets: doubled(0.004, 15),
  });
  const syncs = metrics.counter({
    ...STABLE,
    name: "job_controller_job_syncs_total",
    help: "The number of job syncs",
    labels: turns,
  });
  const finishedJobs = metrics.counter({
    ...STABLE,
    name: "job_controller_jobs_finished_total",
    help: "The number of finished jobs",
    labels: ["completion_mode", "result", "reason"],
  });
  const finishedPods = metrics.counter({
    ...STABLE,
    name: "job_controller_job_pods_finished_total",
    help: "The number of finished Pods that are fully tracked",
    labels: ["completion_mode", "result"],
  });
  const finishedIndexes = metrics.counter({
    ...ALPHA,
    name: "job_controller_job_finished_indexes_total",
    help: 'The number of finished indexes. Possible values for the status label are: "succeeded", "failed". Possible values for the backoffLimit label are: "perIndex" and "global"',
    labels: ["status", "backoffLimit"],
  });
  const createdPods = metrics.counter({
    ...ALPHA,
    name: "job_controller_job_pods_creation_total",
    help: "The number of Pods created by the Job controller, by the reason for the creation and its outcome",
    labels: ["reason", "status"],
  });
  const handledFailures = metrics.counter({
    ...BETA,
    name: "job_controller_pod_failures_handled_by_failure_policy_total",
    help: "The number of failed Pods handled by failure policy, by the action of the rule that matched",
    labels: ["action"],
  });
  const finalizers = metrics.counter({
    ...BETA,
    name: "job_controller_terminated_pods_tracking_finalizer_total",
    help: 'The number of terminated pods (phase=Failed|Succeeded) that have the finalizer of job tracking. The event label can be "add" or "delete".',
    labels: ["event"],
  });
  const ofOthers = metrics.counter({
    ...ALPHA,
    name: "job_controller_jobs_by_external_controller_total",
    help: "The number of Jobs managed by an external controller",
    labels: ["controller_name"],
  });
  const skews = metrics.histogram({
    ...STABLE,
    name: "cronjob_controller_job_creation_skew_duration_seconds",
    help: "Time between when a cronjob is scheduled to be run, and when the corresponding job is created",
    buckets: doubled(1, 10),
  });
  const deletions = metrics.histogram({
    ...ALPHA,
    name: "ttl_after_finished_controller_job_deletion_duration_seconds",
    help: "The time it took to delete the job since it became eligible for deletion",
    buckets: doubled(0.1, 14),
  });
  const controllerNames = new Set<string>();
  return {
    jobSynced({ completionMode, result, action, seconds }) {
      durations.with(completionMode, result, action).observe(seconds);
      syncs.with(completionMode, result, action).inc();
    },
    jobFinished: (mode, result, reason) => finishedJobs.with(mode, result, reason).inc(),
    jobPodsFinished(mode, result, count) {
      if (count > 0) finishedPods.with(mode, result).inc(count);
    },
    jobIndexesFinished(status, limit, count) {
      if (count > 0) finishedIndexes.with(status, limit).inc(count);
    },
    jobPodsCreated(reason, status, count) {
      if (count > 0) createdPods.with(reason, status).inc(count);
    },
    jobFailurePolicyApplied: (action) => handledFailures.with(action).inc(),
    jobFinalizerSeen: (event) => finalizers.with(event).inc(),
    jobOfOthers(name) {
      if (controllerNames.size < MAX_CONTROLLER_NAMES) controllerNames.add(name);
      ofOthers.with(controllerNames.has(name) ? name : "other").inc();
    },
    jobCreated: (seconds) => skews.with().observe(seconds),
    finishedJobDeleted: (seconds) => deletions.with().observe(seconds),
  };
}
