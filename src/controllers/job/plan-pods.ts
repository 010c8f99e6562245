// Which pods a Job has too many of, and which it lacks. Pure.

import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { rankForDeletion } from "../pods-of-owner/rank-pods.ts";
import { type Assessment, hasLimitPerIndex, isIndexed, isSuspended, type JobState } from "./assess-job.ts";
import { IndexSet } from "./index-set.ts";
import { completionIndex, failuresBefore } from "./job-pod.ts";
import { backoffLeftMs, finishedAtMs } from "./pod-backoff.ts";

interface PodsPlan {
  /** Either these, */
  readonly excess: readonly Stored<Pod>[];
  /** or so many; each with its index in an Indexed job. */
  readonly missing: readonly (number | undefined)[];
  /** More are missing, and may be created after so long. */
  readonly waitMs?: number;
}

/** In one go, so that large jobs do not keep others waiting. */
const MAX_PER_SYNC = 500;

const NOTHING: PodsPlan = { excess: [], missing: [] };

export function planPods(state: JobState, assessment: Assessment): PodsPlan {
  const { job } = state;
  const { active } = assessment;
  if (isSuspended(job)) return { ...NOTHING, excess: active };

  const wanted = wantedActive(state, assessment);
  const excess = excessPods(state, active, Math.max(0, active.length - wanted));
  // Only one of the two at a time: what is deleted may make room.
  if (excess.length > 0) return { ...NOTHING, excess: excess.slice(0, MAX_PER_SYNC) };

  // Where only failed pods are replaced, those that end still hold their place.
  const ending = job.spec.podReplacementPolicy === "Failed" ? assessment.terminating.length : 0;
  const lacking = Math.min(wanted - ending - active.length, MAX_PER_SYNC);
  if (lacking <= 0) return NOTHING;
  if (hasLimitPerIndex(job)) return planIndexes(state, assessment, lacking);
  const waitMs = backoffLeftMs(assessment.backoff, state.nowMs);
  if (waitMs > 0) return { ...NOTHING, waitMs };
  if (isIndexed(job)) return { ...NOTHING, missing: missingIndexes(state, assessment, lacking) };
  return { ...NOTHING, missing: Array.from({ length: lacking }, () => undefined) };
}

function wantedActive({ job: { spec } }: JobState, { active, succeeded }: Assessment): number {
  const parallelism = spec.parallelism ?? 1;
  // Without a number of completions, the first success ends it: what runs may run on.
  if (spec.completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(spec.completions - succeeded, parallelism));
}

/** Every index waits on its own. */
function planIndexes(state: JobState, assessment: Assessment, lacking: number): PodsPlan {
  const { names, nowMs } = state;
  const missing: number[] = [];
  let waitMs: number | undefined;
  for (const index of missingIndexes(state, assessment, lacking)) {
    const replaced = assessment.toReplace.get(index);
    const leftMs = replaced === undefined ? 0 : leftMsAfter(replaced);
    if (leftMs === 0) missing.push(index);
    else waitMs = Math.min(waitMs ?? leftMs, leftMs);
  }
  return { ...NOTHING, missing, ...(waitMs === undefined ? {} : { waitMs }) };

  function leftMsAfter(pod: Stored<Pod>): number {
    const { counted, ignored } = failuresBefore(pod, names);
    return backoffLeftMs({ failures: counted + ignored + 1, lastFailureMs: finishedAtMs(pod) }, nowMs);
  }
}

function missingIndexes({ job, names }: JobState, assessment: Assessment, count: number): number[] {
  const { active, terminating, completedIndexes, failedIndexes = IndexSet.EMPTY } = assessment;
  const holding = job.spec.podReplacementPolicy === "Failed" ? [...active, ...terminating] : active;
  const held = IndexSet.of(holding.map((pod) => completionIndex(pod, names)).filter((index) => index !== undefined));
  return held
    .union(completedIndexes)
    .union(failedIndexes)
    .firstMissing(count, job.spec.completions ?? 0);
}

/** At least so many; in an Indexed job also all that have no place, or share one. */
function excessPods(state: JobState, active: readonly Stored<Pod>[], atLeast: number): readonly Stored<Pod>[] {
  const { job, names, nowMs } = state;
  const ranked = rankForDeletion(active, { nowMs });
  if (!isIndexed(job)) return ranked.slice(0, atLeast);
  const placeless: Stored<Pod>[] = [];
  const kept = new Map<number, Stored<Pod>>();
  // The one that costs most stays.
  for (const pod of ranked.reverse()) {
    const index = completionIndex(pod, names);
    if (index === undefined || index >= (job.spec.completions ?? 0) || kept.has(index)) placeless.push(pod);
    else kept.set(index, pod);
  }
  const more = Math.max(0, atLeast - placeless.length);
  return [...placeless, ...[...kept.values()].reverse().slice(0, more)];
}
