// How pods that have ended get into the counts of a Job, each exactly once whatever fails between the steps:
//
//   1. the status names the pod's uid as uncounted,
//   2. the pod loses its finalizer, and may go,
//   3. the status counts it, and does not name it any more: in one write.
//
// A pod that has its finalizer is not counted yet; one that has none and is named has still to be counted; one that has
// none and is not named has been. Pure.

import type { Stored } from "../../client/informer.ts";
import type { JobStatus } from "../../kinds/batch/job/schema.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import {
  type Assessment,
  hasLimitPerIndex,
  hasPlace,
  isFailed,
  isIndexed,
  isTracked,
  type JobState,
  type Verdict,
} from "./assess-job.ts";
import { IndexSet } from "./index-set.ts";
import { completionIndex } from "./job-pod.ts";
import { failurePolicyAction } from "./pod-failure-policy.ts";

interface Accounting {
  /** To be written before any finalizer is taken away. */
  readonly status: JobStatus;
  /** The pods that lose their finalizer then. */
  readonly release: readonly Stored<Pod>[];
  /** Uids of all pods that still have theirs, those included. */
  readonly tracked: ReadonlySet<string>;
  /** More pods have ended than one status can name: the rest comes with the next turn. */
  readonly full: boolean;
}

/** Keeps the names of uncounted pods below 20 kB. */
const MAX_UNCOUNTED = 500;

/**
 * `verdict` is how the job ends, `finishes` that it does so now: all its pods are let go. `status` is the job's, with
 * everything else in it.
 */
export function accountPods(
  state: JobState,
  { completedIndexes, failedIndexes, toReplace }: Assessment,
  status: JobStatus,
  { verdict, finishes }: { readonly verdict: Verdict | undefined; readonly finishes: boolean },
): Accounting {
  const { job, names } = state;
  const indexed = isIndexed(job);
  const trackedPods = state.pods.filter((pod) => isTracked(state, pod));
  const tracked = new Set(trackedPods.map(({ metadata }) => metadata.uid));
  const known = countReleased(status, tracked);
  const succeeded = new Set(known.uncountedTerminatedPods?.succeeded);
  const failed = new Set(known.uncountedTerminatedPods?.failed);
  const before = IndexSet.parse(job.status.completedIndexes, job.spec.completions ?? 0);
  const newIndexes = new Set<number>();
  const release: Stored<Pod>[] = [];
  let full = false;

  // When a job has succeeded, pods that only end because of that have not failed.
  const hasFailed = (pod: Stored<Pod>): boolean =>
    verdict?.type === "SuccessCriteriaMet" ? pod.status.phase === "Failed" : isFailed(pod, job);
  const mayGo = (pod: Stored<Pod>): boolean => {
    if (job.metadata.deletionTimestamp !== undefined || finishes) return true;
    if (pod.status.phase === "Succeeded") return true;
    if (!hasFailed(pod)) return false;
    const index = hasLimitPerIndex(job) ? completionIndex(pod, names) : undefined;
    return index === undefined || toReplace.get(index)?.metadata.uid !== pod.metadata.uid;
  };
  const count = (pod: Stored<Pod>): void => {
    const { uid } = pod.metadata;
    if (pod.status.phase === "Succeeded" && !failed.has(uid)) {
      if (!indexed) succeeded.add(uid);
      // The index itself keeps a pod from being counted twice.
      else if (hasPlace(state, pod) && !before.has(completionIndex(pod, names)!))
        newIndexes.add(completionIndex(pod, names)!);
      return;
    }
    // When a job has failed, whatever still ran has too.
    if (!hasFailed(pod) && !(finishes && verdict?.type === "FailureTarget")) return;
    if (!hasPlace(state, pod)) return;
    if (failurePolicyAction(job.spec.podFailurePolicy, pod)?.action !== "Ignore") failed.add(uid);
  };

  for (const pod of indexed ? inOrderOfIndex(trackedPods, state) : trackedPods) {
    if (!mayGo(pod)) continue;
    release.push(pod);
    count(pod);
    full = newIndexes.size + succeeded.size + failed.size >= MAX_UNCOUNTED;
    if (full) break;
  }
  return {
    status: {
      ...known,
      ...(indexed ? indexCounts(completedIndexes.union(IndexSet.of(newIndexes)), failedIndexes) : {}),
      uncountedTerminatedPods: {
        ...(succeeded.size === 0 ? {} : { succeeded: [...succeeded] }),
        ...(failed.size === 0 ? {} : { failed: [...failed] }),
      },
    },
    release,
    tracked,
    full,
  };
}

/** Counts the pods that are named in the status and have no finalizer any more. `tracked` are the uids of those that have. */
export function countReleased(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const stillSucceeded = succeeded.filter((uid) => tracked.has(uid));
  const stillFailed = failed.filter((uid) => tracked.has(uid));
  return withoutZeros({
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - stillSucceeded.length,
    failed: (status.failed ?? 0) + failed.length - stillFailed.length,
    uncountedTerminatedPods: {
      ...(stillSucceeded.length === 0 ? {} : { succeeded: stillSucceeded }),
      ...(stillFailed.length === 0 ? {} : { failed: stillFailed }),
    },
  });
}

/** The status of a job that has ended; undefined while something of it is still to be counted, or to go. */
export function finishedStatus(status: JobStatus, { type, reason, message }: Verdict, nowMs: number) {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0 || (status.terminating ?? 0) > 0) return undefined;
  const at = timeOfMs(nowMs);
  const end = type === "SuccessCriteriaMet" ? "Complete" : "Failed";
  return {
    ...status,
    conditions: withJobCondition(status.conditions, { type: end, status: "True", reason, message }, nowMs),
    ...(end === "Complete" ? { completionTime: at } : {}),
  };
}

type JobCondition = NonNullable<JobStatus["conditions"]>[number];

/** The list with this condition in it; as it was when that says nothing new. */
export function withJobCondition(
  conditions: JobStatus["conditions"],
  condition: Pick<JobCondition, "type" | "status"> & { readonly reason: string; readonly message: string },
  nowMs: number,
): JobCondition[] {
  const list = conditions ?? [];
  const at = timeOfMs(nowMs);
  const fresh: JobCondition = { ...condition, lastProbeTime: at, lastTransitionTime: at };
  const known = list.find(({ type }) => type === condition.type);
  if (known === undefined) return [...list, fresh];
  const same =
    known.status === condition.status &&
    (known.reason ?? "") === condition.reason &&
    (known.message ?? "") === condition.message;
  return list.map((each) => (each === known && !same ? fresh : each));
}

/** As the server stores it: numbers that are zero, and empty texts, are left out. */
export function withoutZeros(status: JobStatus): JobStatus {
  const { active = 0, succeeded = 0, failed = 0, completedIndexes = "", ...rest } = status;
  return {
    ...rest,
    ...(active === 0 ? {} : { active }),
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(failed === 0 ? {} : { failed }),
    ...(completedIndexes === "" ? {} : { completedIndexes }),
  };
}

function indexCounts(completed: IndexSet, failed: IndexSet | undefined): Partial<JobStatus> {
  return {
    succeeded: completed.size,
    completedIndexes: completed.text,
    ...(failed === undefined ? {} : { failedIndexes: failed.text }),
  };
}

function inOrderOfIndex(pods: readonly Stored<Pod>[], { names }: JobState): Stored<Pod>[] {
  const indexOf = (pod: Stored<Pod>) => completionIndex(pod, names) ?? -1;
  return [...pods].sort((a, b) => indexOf(a) - indexOf(b));
}
