// Brings one Job up to date: looks at its pods, creates and deletes some, and takes those that have ended into account.

import { equalJson } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Stored } from "../../client/informer.ts";
import type { JobStatus } from "../../kinds/batch/job/schema.ts";
import type { Job } from "../../kinds/batch/job.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import { compareResourceVersions } from "../../meta/resource-version.ts";
import { timeOfMs } from "../../meta/time.ts";
import { againAfterMs, type ControllerContext, done, type Outcome } from "../framework/controller.ts";
import type { JobTurn } from "../framework/controller-metrics.ts";
import { type OwnedPods, SETTLED_AFTER_MS } from "../pods-of-owner/owned-pods.ts";
import { isReady } from "../pods-of-owner/pod-state.ts";
import { accountPods, countReleased, finishedStatus, withJobCondition, withoutZeros } from "./account-pods.ts";
import {
  type Assessment,
  assessJob,
  deadlineLeftMs,
  hasFinalizer,
  isSuspended,
  type JobState,
  type Verdict,
} from "./assess-job.ts";
import { finishedAs } from "./finished-job.ts";
import { podOfJob } from "./job-pod.ts";
import { creationReason, measureIndexes, measurePods, modeOf } from "./measure-job.ts";
import { planPods } from "./plan-pods.ts";
import { type BackoffRecord, NO_FAILURES } from "./pod-backoff.ts";

/** Many writes at once gain nothing. */
const MAX_RELEASES_AT_ONCE = 64;

/** A cache that is further behind what was written shows a store that was put back: it is believed. */
const MAX_LAG_MS = 60_000;

interface Written {
  readonly job: Stored<Job>;
  readonly atMs: number;
}

/** What a turn did with pods, for who measures it. */
interface Turn {
  action: JobTurn["action"];
}

interface AccountParts {
  /** The job as the server has it. */
  readonly current: Stored<Job>;
  readonly status: JobStatus;
  readonly verdict: Verdict | undefined;
  readonly finishes: boolean;
  readonly released: Set<string>;
}

/** What became of the pods in this turn. */
interface PodsOutcome {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  /** Whether all that was wanted was done. */
  readonly failure?: { readonly error: unknown };
  readonly waitMs?: number | undefined;
}

export class JobSync {
  readonly #context: ControllerContext;
  readonly #pods: OwnedPods<Job>;
  readonly #backoffs = new Map<string, BackoffRecord>();
  /** By the uid of the job: those of pods that have lost their finalizer, until the cache shows it. */
  readonly #released = new Map<string, Set<string>>();
  /** By uid: jobs as they were last written here, until the cache shows that. */
  readonly #written = new Map<string, Written>();

  constructor(context: ControllerContext, pods: OwnedPods<Job>) {
    this.#context = context;
    this.#pods = pods;
  }

  forgetJob({ metadata: { uid } }: Stored<Job>): void {
    this.#backoffs.delete(uid);
    this.#released.delete(uid);
    this.#written.delete(uid);
  }

  /** The cache shows the pod without its finalizer, or not at all any more. */
  releaseSeen({ metadata: { uid, ownerReferences = [] } }: Stored<Pod>): void {
    for (const owner of ownerReferences) this.#released.get(owner.uid)?.delete(uid);
  }

  async run(cached: Stored<Job>, selector: LabelSelector): Promise<Outcome> {
    const { clock, metrics } = this.#context;
    if (finishedAs(cached) !== undefined) {
      this.forgetJob(cached);
      return done;
    }
    const known = this.#newest(cached);
    // Should the cache never show it, it has to be looked at once more.
    if (finishedAs(known) !== undefined) return againAfterMs(MAX_LAG_MS);
    const startMs = clock.monotonicMs();
    const turn: Turn = { action: "reconciling" };
    let result: JobTurn["result"] = "error";
    try {
      const outcome = await this.#turn(known, selector, turn);
      result = "success";
      return outcome;
    } finally {
      const seconds = (clock.monotonicMs() - startMs) / 1000;
      metrics.jobSynced({ ...turn, completionMode: modeOf(known), result, seconds });
    }
  }

  async #turn(known: Stored<Job>, selector: LabelSelector, turn: Turn): Promise<Outcome> {
    const { clock, names } = this.#context;
    const { uid } = known.metadata;
    const nowMs = clock.nowMs();
    // Before the pods are read: those that appear between are only seen the next time.
    const settled = this.#pods.settled(known);
    const released = this.#released.get(uid) ?? new Set<string>();
    this.#released.set(uid, released);
    // As it is when the pods are read: one that loses its finalizer while they are claimed would count twice.
    const releasedBefore = new Set(released);
    const pods = await this.#pods.claim(known, selector);
    const backoff = this.#backoffs.get(uid) ?? NO_FAILURES;
    const before: JobState = { job: begun(known, nowMs), pods, released: releasedBefore, backoff, names, nowMs };
    const assessment = assessJob(before);
    const current = await this.#decide(known, assessment.verdict, nowMs);
    const job = begun(current, nowMs);
    const state = { ...before, job };

    const managed = settled && job.metadata.deletionTimestamp === undefined;
    const outcome = await this.#act(state, assessment, { managed, turn });
    const verdict = endOf(state, assessment, outcome);
    // While pods may exist that the cache does not show, the job cannot end.
    const finish = outcome.failure === undefined && settled ? verdict : undefined;
    const status = this.#nextStatus(state, assessment, outcome, { managed, verdict: finish });
    await this.#account(state, assessment, { current, status, verdict, finishes: finish !== undefined, released });
    if (outcome.failure !== undefined) throw outcome.failure.error;

    const waitMs = Math.min(
      this.#pods.settled(known) ? Number.POSITIVE_INFINITY : SETTLED_AFTER_MS,
      outcome.waitMs ?? Number.POSITIVE_INFINITY,
      (verdict === undefined ? deadlineLeftMs({ ...job, status }, nowMs) : undefined) ?? Number.POSITIVE_INFINITY,
    );
    return Number.isFinite(waitMs) ? againAfterMs(Math.max(1, waitMs)) : done;
  }

  /** Takes the finalizer from pods that no job will ask for any more. */
  async release(pod: Stored<Pod>): Promise<void> {
    const { client, names } = this.#context;
    const { namespace, name, uid } = pod.metadata;
    if (!hasFinalizer(pod, names)) return;
    try {
      const finalizers = { "$deleteFromPrimitiveList/finalizers": [names.jobTrackingFinalizer] };
      await client.core.v1.pods(namespace).patch(name, { strategic: { metadata: { uid, ...finalizers } } });
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
    }
  }

  /** The end is written down before anything is done about it: pods that are deleted then do not count against it. */
  async #decide(job: Stored<Job>, verdict: Verdict | undefined, nowMs: number): Promise<Stored<Job>> {
    if (verdict === undefined) return job;
    const { status } = begun(job, nowMs);
    const conditions = withJobCondition(status.conditions, { ...verdict, status: "True" }, nowMs);
    return this.#write(job, { ...status, conditions });
  }

  /** Creates or deletes. What fails is thrown at the end of the turn: what has ended is accounted for first. */
  async #act(
    { job, names, ...state }: JobState,
    assessment: Assessment,
    { managed, turn }: { readonly managed: boolean; readonly turn: Turn },
  ): Promise<PodsOutcome> {
    const { active, terminating, verdict, toReplace } = assessment;
    const before = { active: active.length, ready: active.filter(isReady).length, terminating: terminating.length };
    const without = (pods: readonly Stored<Pod>[]) => ({
      active: before.active - pods.length,
      ready: before.ready - pods.filter(isReady).length,
      terminating: before.terminating + pods.length,
    });
    try {
      if (verdict !== undefined) {
        await this.#pods.delete(job, active);
        return without(active);
      }
      if (!managed) return before;
      const { excess, missing, waitMs } = planPods({ job, names, ...state }, assessment);
      turn.action = missing.length > 0 ? "pods_created" : "tracking";
      if (excess.length > 0) {
        turn.action = "pods_deleted";
        // Nobody asks what became of them: they are not counted.
        await eachOf(excess, (pod) => this.release(pod));
        await this.#pods.delete(job, excess);
        return without(excess);
      }
      await this.#create(job, assessment, missing.length, (at) => {
        const index = missing[at];
        return podOfJob(job, names, index, index === undefined ? undefined : toReplace.get(index));
      });
      return { ...before, active: before.active + missing.length, waitMs };
    } catch (error) {
      return { ...before, failure: { error } };
    }
  }

  async #create(
    job: Stored<Job>,
    assessment: Assessment,
    count: number,
    draft: (at: number) => ReturnType<typeof podOfJob>,
  ): Promise<void> {
    const { metrics } = this.#context;
    const reason = creationReason(job, assessment);
    try {
      await this.#pods.create(job, count, draft);
    } catch (error) {
      // How many of them came to be shows in their events; the turn as a whole has failed.
      metrics.jobPodsCreated(reason, "failed", count);
      throw error;
    }
    metrics.jobPodsCreated(reason, "succeeded", count);
  }

  #nextStatus(
    { job, nowMs }: JobState,
    { verdict: early }: Assessment,
    { active, ready, terminating }: PodsOutcome,
    { managed, verdict }: { readonly managed: boolean; readonly verdict: Verdict | undefined },
  ): JobStatus {
    const { events } = this.#context;
    const status: JobStatus = withoutZeros({ ...job.status, active, ready, terminating });
    if (verdict !== undefined) {
      status.conditions = withJobCondition(status.conditions, { ...verdict, status: "True" }, nowMs);
      return status;
    }
    if (!managed || early !== undefined) return status;
    const was = status.conditions?.find(({ type }) => type === "Suspended")?.status === "True";
    const is = isSuspended(job);
    if (is === was) return status;
    const [reason, message] = is ? ["JobSuspended", "Job suspended"] : ["JobResumed", "Job resumed"];
    events.normal(job, is ? "Suspended" : "Resumed", message);
    const suspended = { type: "Suspended", status: is ? ("True" as const) : ("False" as const), reason, message };
    status.conditions = withJobCondition(status.conditions, suspended, nowMs);
    // The time that a job may run begins anew.
    if (!is) status.startTime = timeOfMs(nowMs);
    return status;
  }

  /** The three steps of account-pods.ts. */
  async #account(
    state: JobState,
    assessment: Assessment,
    { current, status, verdict, finishes, released }: AccountParts,
  ): Promise<void> {
    const accounting = accountPods(state, assessment, status, { verdict, finishes });
    const named = await this.#write(current, withoutZeros(accounting.status));
    measureIndexes(this.#context.metrics, state.job, assessment);
    this.#backoffs.set(current.metadata.uid, assessment.backoff);

    const tracked = new Set(accounting.tracked);
    let failure: { readonly error: unknown } | undefined;
    for (const { metadata } of accounting.release) released.add(metadata.uid);
    await eachOf(accounting.release, async (pod) => {
      try {
        await this.release(pod);
        tracked.delete(pod.metadata.uid);
      } catch (error) {
        released.delete(pod.metadata.uid);
        failure ??= { error };
      }
    });

    const counted = countReleased(named.status, tracked);
    const ends = verdict !== undefined && finishes && failure === undefined && !accounting.full;
    const ended = ends ? finishedStatus(counted, verdict, state.nowMs) : undefined;
    await this.#write(named, ended ?? counted);
    measurePods(this.#context.metrics, state.job, { before: named.status, after: counted, ended: accounting.release });
    if (ended !== undefined && verdict !== undefined) this.#end(state.job, ended, verdict);
    if (failure !== undefined) throw failure.error;
  }

  #end(job: Stored<Job>, { succeeded = 0 }: JobStatus, { type, reason, message }: Verdict): void {
    const { events, metrics } = this.#context;
    const hasFailed = type === "FailureTarget";
    metrics.jobFinished(modeOf(job), hasFailed ? "failed" : "succeeded", reason);
    if (hasFailed) {
      events.warning(job, reason, message);
      return;
    }
    if (job.spec.completions !== undefined && succeeded > job.spec.completions) {
      const what = "Too many succeeded pods running after completion count reached";
      events.warning(job, "TooManySucceededPods", what);
    }
    events.normal(job, "Completed", "Job completed");
  }

  /** With the version of the job that it was worked out from: whoever counts with an old one is refused. */
  async #write(job: Stored<Job>, status: JobStatus): Promise<Stored<Job>> {
    if (equalJson(status, job.status)) return job;
    const jobs = this.#context.client.batch.v1.jobs(job.metadata.namespace);
    const written = await jobs.status.update({ ...job, status });
    this.#written.set(job.metadata.uid, { job: written, atMs: this.#context.clock.monotonicMs() });
    return written;
  }

  /** A cache that is behind would not show pods as counted that are: others would be started in their place. */
  #newest(cached: Stored<Job>): Stored<Job> {
    const { uid, resourceVersion } = cached.metadata;
    const written = this.#written.get(uid);
    if (written === undefined) return cached;
    const isBehind = this.#context.clock.monotonicMs() - written.atMs < MAX_LAG_MS;
    const { job } = written;
    const isNewer = (compareResourceVersions(job.metadata.resourceVersion, resourceVersion) ?? 0) > 0;
    if (isNewer && isBehind) return job;
    this.#written.delete(uid);
    // Nor have pods lost what they have lost in a store that is no more.
    if (isNewer) this.#released.delete(uid);
    return cached;
  }
}

/** A job's time begins when it is first looked at and not suspended. */
function begun(job: Stored<Job>, nowMs: number): Stored<Job> {
  if (job.status.startTime || isSuspended(job)) return job;
  return { ...job, status: { ...job.status, startTime: timeOfMs(nowMs) } };
}

/** Enough have succeeded, and none runs any more. */
function endOf({ job: { spec } }: JobState, assessment: Assessment, { active }: PodsOutcome): Verdict | undefined {
  if (assessment.verdict !== undefined) return assessment.verdict;
  if (active > 0 || assessment.succeeded < (spec.completions ?? 1)) return undefined;
  const message = "Reached expected number of succeeded pods";
  return { type: "SuccessCriteriaMet", reason: "CompletionsReached", message };
}

async function eachOf(pods: readonly Stored<Pod>[], act: (pod: Stored<Pod>) => Promise<void>): Promise<void> {
  for (let first = 0; first < pods.length; first += MAX_RELEASES_AT_ONCE)
    await Promise.all(pods.slice(first, first + MAX_RELEASES_AT_ONCE).map(act));
}
