// What a Job's pods say about it: how many have succeeded and failed, which indexes, and whether it is decided. Pure.

import type { Stored } from "../../client/informer.ts";
import type { Job } from "../../kinds/batch/job.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";
import { isActive, isTerminating } from "../pods-of-owner/pod-state.ts";
import { IndexSet } from "./index-set.ts";
import { completionIndex, failuresBefore } from "./job-pod.ts";
import { type BackoffRecord, finishedAtMs, nextBackoff } from "./pod-backoff.ts";
import { failurePolicyAction } from "./pod-failure-policy.ts";
import { metSuccessRule } from "./success-policy.ts";

export interface JobState {
  readonly job: Stored<Job>;
  /** Those that belong to the job. */
  readonly pods: readonly Stored<Pod>[];
  /** Uids of pods whose finalizer is gone, although the cache still shows it. */
  readonly released: ReadonlySet<string>;
  readonly backoff: BackoffRecord;
  readonly names: Names;
  readonly nowMs: number;
}

/** The end of a job, decided and not yet reached: its pods have to go first. */
export interface Verdict {
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
}

export interface Assessment {
  readonly active: readonly Stored<Pod>[];
  readonly terminating: readonly Stored<Pod>[];
  /** Everything that ended, counted in the status or not; for Indexed jobs, of indexes. */
  readonly succeeded: number;
  readonly failed: number;
  /** Of Indexed jobs. */
  readonly completedIndexes: IndexSet;
  /** Of jobs with a limit per index. */
  readonly failedIndexes: IndexSet | undefined;
  /** By index: pods whose finalizer stays until they are replaced, because the next one learns its count from them. */
  readonly toReplace: ReadonlyMap<number, Stored<Pod>>;
  readonly backoff: BackoffRecord;
  readonly verdict: Verdict | undefined;
}

export function assessJob(state: JobState): Assessment {
  const { job, pods, names } = state;
  const { status } = job;
  const active = pods.filter(isActive);
  const uncounted = status.uncountedTerminatedPods;
  const newOf = (known: readonly string[] | undefined, ended: (pod: Stored<Pod>) => boolean) => {
    const knownUids = new Set(known);
    return pods.filter(
      (pod) => isTracked(state, pod) && !knownUids.has(pod.metadata.uid) && hasPlace(state, pod) && ended(pod),
    );
  };
  const newSucceeded = newOf(uncounted?.succeeded, ({ status: { phase } }) => phase === "Succeeded");
  const newFailed = newOf(uncounted?.failed, (pod) => isFailed(pod, job));
  const counted = newFailed.filter((pod) => failurePolicyAction(job.spec.podFailurePolicy, pod)?.action !== "Ignore");
  const completedIndexes = isIndexed(job) ? completedIndexesOf(state) : IndexSet.EMPTY;
  const failedIndexes = hasLimitPerIndex(job) ? failedIndexesOf(state) : undefined;
  const numbers = {
    succeeded: isIndexed(job)
      ? completedIndexes.size
      : (status.succeeded ?? 0) + newSucceeded.length + (uncounted?.succeeded?.length ?? 0),
    failed: (status.failed ?? 0) + counted.length + (uncounted?.failed?.length ?? 0),
    completedIndexes,
    failedIndexes,
  };
  return {
    ...numbers,
    active,
    terminating: pods.filter(isTerminating),
    toReplace: failedIndexes === undefined ? new Map() : podsToReplace(state, active, completedIndexes, failedIndexes),
    backoff: nextBackoff(state.backoff, newSucceeded, newFailed),
    verdict: verdictOf(state, numbers),
  };

  function completedIndexesOf({ job }: JobState): IndexSet {
    const done = pods.filter(
      (pod) => pod.status.phase === "Succeeded" && hasFinalizer(pod, names) && hasPlace(state, pod),
    );
    const known = IndexSet.parse(job.status.completedIndexes, job.spec.completions ?? 0);
    return known.union(IndexSet.of(done.map((pod) => completionIndex(pod, names)!)));
  }
}

/** Whether the pod still has to be taken into account. */
export function isTracked({ names, released }: JobState, pod: Stored<Pod>): boolean {
  return hasFinalizer(pod, names) && !released.has(pod.metadata.uid);
}

export function hasFinalizer({ metadata }: Pick<Pod, "metadata">, names: Names): boolean {
  return metadata.finalizers?.includes(names.jobTrackingFinalizer) === true;
}

/** Where only failed pods are replaced, one that ends has not failed yet; else it is given up for lost. */
export function isFailed({ metadata, status }: Stored<Pod>, job: Job): boolean {
  if (status.phase === "Failed") return true;
  if (job.spec.podReplacementPolicy === "Failed") return false;
  return metadata.deletionTimestamp !== undefined && status.phase !== "Succeeded";
}

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === "Indexed";
}

/** In an Indexed job, only pods with an index that it has count. */
export function hasPlace({ job, names }: JobState, pod: Stored<Pod>): boolean {
  if (!isIndexed(job)) return true;
  const index = completionIndex(pod, names);
  return index !== undefined && index < (job.spec.completions ?? 0);
}

export function isSuspended({ spec }: Job): boolean {
  return spec.suspend === true;
}

export function hasLimitPerIndex(job: Job): boolean {
  return isIndexed(job) && job.spec.backoffLimitPerIndex !== undefined;
}

/** Undefined when the job has no deadline, or its time does not run. */
export function deadlineLeftMs({ spec, status }: Job, nowMs: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || !status.startTime || spec.suspend === true) return undefined;
  return Date.parse(status.startTime) + Number(spec.activeDeadlineSeconds) * 1000 - nowMs;
}

function failedIndexesOf(state: JobState): IndexSet {
  const { job, pods, names } = state;
  const known = IndexSet.parse(job.status.failedIndexes, job.spec.completions ?? 0);
  const failed = pods.filter((pod) => hasFinalizer(pod, names) && hasPlace(state, pod) && failsIndex(pod, job, names));
  return known.union(IndexSet.of(failed.map((pod) => completionIndex(pod, names)!)));
}

function failsIndex(pod: Stored<Pod>, job: Job, names: Names): boolean {
  if (!isFailed(pod, job)) return false;
  const action = failurePolicyAction(job.spec.podFailurePolicy, pod)?.action;
  if (action === "FailIndex") return true;
  return action !== "Ignore" && failuresBefore(pod, names).counted >= (job.spec.backoffLimitPerIndex ?? 0);
}

/** The last that failed of each index that neither runs nor is done with. */
function podsToReplace(
  state: JobState,
  active: readonly Stored<Pod>[],
  completed: IndexSet,
  failed: IndexSet,
): Map<number, Stored<Pod>> {
  const { job, pods, names } = state;
  const running = new Set(active.map((pod) => completionIndex(pod, names)));
  const lasts = new Map<number, Stored<Pod>>();
  for (const pod of pods) {
    if (!isTracked(state, pod) || !hasPlace(state, pod) || !isFailed(pod, job)) continue;
    const index = completionIndex(pod, names)!;
    if (running.has(index) || completed.has(index) || failed.has(index)) continue;
    const known = lasts.get(index);
    if (known === undefined || isLater(pod, known, names)) lasts.set(index, pod);
  }
  return lasts;
}

function isLater(a: Stored<Pod>, b: Stored<Pod>, names: Names): boolean {
  const failures = (pod: Stored<Pod>) => {
    const { counted, ignored } = failuresBefore(pod, names);
    return counted + ignored;
  };
  return failures(a) >= failures(b) && finishedAtMs(a) >= finishedAtMs(b);
}

type Numbers = Pick<Assessment, "succeeded" | "failed" | "completedIndexes" | "failedIndexes">;

/** What was decided before stays; then every way to fail, and the ways to succeed early. */
function verdictOf({ job, pods, nowMs }: JobState, numbers: Numbers): Verdict | undefined {
  const { spec, status } = job;
  for (const type of ["SuccessCriteriaMet", "FailureTarget"] as const) {
    const known = status.conditions?.find((each) => each.type === type && each.status === "True");
    if (known !== undefined) return { type, reason: known.reason ?? "", message: known.message ?? "" };
  }
  const fails = (reason: string, message: string): Verdict => ({ type: "FailureTarget", reason, message });
  const failJob = failJobMessage(job, pods);
  if (failJob !== undefined) return fails("PodFailurePolicy", failJob);
  if (numbers.failed > (spec.backoffLimit ?? 0) || hasTooManyRestarts(job, pods))
    return fails("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  if ((deadlineLeftMs(job, nowMs) ?? 1) <= 0)
    return fails("DeadlineExceeded", "Job was active longer than specified deadline");
  if (!isIndexed(job)) return undefined;
  const failedIndexes = numbers.failedIndexes?.size ?? 0;
  if (spec.maxFailedIndexes !== undefined && failedIndexes > spec.maxFailedIndexes)
    return fails("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  if (failedIndexes > 0 && failedIndexes + numbers.completedIndexes.size >= (spec.completions ?? 0))
    return fails("FailedIndexes", "Job has failed indexes");
  const met = metSuccessRule(job, numbers.completedIndexes);
  return met === undefined ? undefined : { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message: met };
}

function failJobMessage(job: Job, pods: readonly Stored<Pod>[]): string | undefined {
  if (job.spec.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    const matched = isFailed(pod, job) ? failurePolicyAction(job.spec.podFailurePolicy, pod) : undefined;
    if (matched?.action === "FailJob") return matched.message;
  }
  return undefined;
}

/** Where containers are restarted in place, their restarts are the failures. */
function hasTooManyRestarts({ spec }: Job, pods: readonly Stored<Pod>[]): boolean {
  if (spec.template.spec.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status.phase !== "Running" && status.phase !== "Pending") continue;
    for (const { restartCount } of status.initContainerStatuses ?? []) restarts += restartCount;
    for (const { restartCount } of status.containerStatuses ?? []) restarts += restartCount;
  }
  return spec.backoffLimit === 0 ? restarts > 0 : restarts >= (spec.backoffLimit ?? 0);
}
