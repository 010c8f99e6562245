// Brings one CronJob up to date: what its jobs have become, what is too old to keep, and the start that is due.

import { goQuote } from "../../base/go-quote.ts";
import { cloneJson, equalJson } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Stored } from "../../client/informer.ts";
import type { CronJob } from "../../kinds/batch/cron-job.ts";
import { type CronSchedule, parseSchedule, timeZoneProblem } from "../../kinds/batch/cron-schedule.ts";
import type { Job } from "../../kinds/batch/job.ts";
import { timeOfMs } from "../../meta/time.ts";
import { againAfterMs, type ControllerContext, done, type Outcome } from "../framework/controller.ts";
import { finishedAs } from "../job/finished-job.ts";
import { type JobReference, jobsBeyondHistory, observeJobs } from "./cronjob-status.ts";
import { type DueStart, dueStart } from "./due-start.ts";
import { jobName, jobOfStart } from "./job-of-start.ts";

/** Clocks differ a little: just before its moment a start would not be due. */
const LATER_MS = 100;

type Status = NonNullable<CronJob["status"]>;

interface LastStart {
  /** Of the CronJob. */
  readonly uid: string;
  readonly ms: number;
  /** The job that runs since. */
  readonly job: JobReference | undefined;
  /** Whether a status that tells of it has been written. */
  isTold: boolean;
}

export class CronJobSync {
  readonly #context: ControllerContext;
  readonly #jobsOf: (uid: string) => readonly Stored<Job>[];
  /** The last start of each CronJob by key: the cache may not show it yet, and the job of it may be gone already. */
  readonly #lastStarts = new Map<string, LastStart>();

  /** `jobsOf` knows the jobs that an object controls, by its uid. */
  constructor(context: ControllerContext, jobsOf: (uid: string) => readonly Stored<Job>[]) {
    this.#context = context;
    this.#jobsOf = jobsOf;
  }

  forget(key: string): void {
    this.#lastStarts.delete(key);
  }

  async run(key: string, cronJob: Stored<CronJob>): Promise<Outcome> {
    const { client } = this.#context;
    const cronJobs = client.batch.v1.cronJobs(cronJob.metadata.namespace);
    let current = cronJob;
    const jobs = this.#jobsOf(cronJob.metadata.uid);
    let known = this.#knownOf(key, current);
    let observed = observeJobs(known, jobs);
    if (observed.unexpected.length > 0) {
      // The list may be newer than the cache.
      const newest = await cronJobs.find(cronJob.metadata.name);
      if (newest?.metadata.uid !== cronJob.metadata.uid) return done;
      current = newest;
      known = this.#knownOf(key, current);
      observed = observeJobs(known, jobs);
    }
    const status: Status = cloneJson(known);
    status.active = await this.#withoutMissing(current, observed.active, observed.unseen);
    if (observed.lastSuccessfulTime !== undefined) status.lastSuccessfulTime = observed.lastSuccessfulTime;
    const cleared = await this.#clearHistory(current, jobs);
    const { completed, unexpected } = observed;
    // Of what history has no room for, its end is not told.
    this.#report(current, { completed: completed.filter((job) => !cleared.has(job)), unexpected });
    let outcome: Outcome = done;
    try {
      outcome = await this.#start(key, current, status);
    } finally {
      if (status.active.length === 0) delete status.active;
      if (!equalJson(status, current.status ?? {})) await cronJobs.status.update({ ...current, status });
      this.#noteTold(key);
    }
    return outcome;
  }

  /** What the status says, and of a start that it could not be told of. */
  #knownOf(key: string, { metadata, status = {} }: Stored<CronJob>): Status {
    const last = this.#lastStarts.get(key);
    if (last === undefined || last.isTold || last.uid !== metadata.uid) return status;
    return { ...status, ...startIn(status, last.ms, last.job) };
  }

  #noteTold(key: string): void {
    const last = this.#lastStarts.get(key);
    if (last !== undefined) last.isTold = true;
  }

  #report(
    cronJob: Stored<CronJob>,
    { completed, unexpected }: Pick<ReturnType<typeof observeJobs>, "completed" | "unexpected">,
  ): void {
    const { events } = this.#context;
    for (const job of completed) {
      const message = `Saw completed job: ${job.metadata.name}, condition: ${finishedAs(job)}`;
      events.normal(cronJob, "SawCompletedJob", message);
    }
    for (const { metadata } of unexpected) {
      const message = `Saw a job that the controller did not create or forgot: ${metadata.name}`;
      events.warning(cronJob, "UnexpectedJob", message);
    }
  }

  /** The server is asked for what the cache does not show: it may be behind. */
  async #withoutMissing(
    cronJob: Stored<CronJob>,
    active: readonly JobReference[],
    unseen: readonly JobReference[],
  ): Promise<JobReference[]> {
    const missing = new Set<JobReference>();
    for (const reference of unseen) {
      const job = await this.#context.client.batch.v1.jobs(cronJob.metadata.namespace).find(reference.name ?? "");
      if (job !== undefined && job.metadata.uid === reference.uid && isControlledBy(job, cronJob)) continue;
      this.#context.events.normal(cronJob, "MissingJob", `Active job went missing: ${reference.name}`);
      missing.add(reference);
    }
    return active.filter((reference) => !missing.has(reference));
  }

  async #clearHistory(cronJob: Stored<CronJob>, jobs: readonly Stored<Job>[]): Promise<ReadonlySet<Stored<Job>>> {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
    const limits = { successful: successfulJobsHistoryLimit, failed: failedJobsHistoryLimit };
    const cleared = new Set(jobsBeyondHistory(jobs, limits));
    for (const { metadata } of cleared) {
      if (metadata.deletionTimestamp !== undefined) continue;
      // One that cannot be deleted, as an event says, is no reason not to start the next.
      await this.#delete(cronJob, metadata).catch(() => undefined);
    }
    return cleared;
  }

  async #delete(cronJob: Stored<CronJob>, { name = "", uid = "" }: Pick<JobReference, "name" | "uid">): Promise<void> {
    const { client, events } = this.#context;
    try {
      const jobs = client.batch.v1.jobs(cronJob.metadata.namespace);
      await jobs.delete(name, { preconditions: { uid }, propagationPolicy: "Background" });
    } catch (error) {
      if (isApiError(error, "NotFound", "Conflict")) return;
      events.warning(cronJob, "FailedDelete", `Deleted job: ${(error as Error).message}`);
      throw error;
    }
    events.normal(cronJob, "SuccessfulDelete", `Deleted job ${name}`);
  }

  /** Starts what is due, and notes it in the status. */
  async #start(key: string, cronJob: Stored<CronJob>, status: Status): Promise<Outcome> {
    const { clock, events } = this.#context;
    const { spec, metadata } = cronJob;
    if (metadata.deletionTimestamp !== undefined || spec.suspend === true) return done;
    const schedule = this.#scheduleOf(cronJob);
    if (schedule === undefined) return done;

    const nowMs = clock.nowMs();
    const start = dueStart(questionOf(cronJob, schedule, nowMs));
    if (start.dueMs === undefined && start.nextMs === undefined) {
      const message = `invalid schedule: ${spec.schedule} : ${NO_MOMENT}`;
      events.warning(cronJob, "InvalidSchedule", message);
      return done;
    }
    const next = start.nextMs === undefined ? done : againAfterMs(start.nextMs - nowMs + LATER_MS);
    if (start.dueMs === undefined || this.#isServed(key, cronJob, status, start.dueMs)) return next;
    await this.#startAt(key, cronJob, status, { ...start, dueMs: start.dueMs });
    return next;
  }

  async #startAt(
    key: string,
    cronJob: Stored<CronJob>,
    status: Status,
    { dueMs, tooManyMissed }: DueStart & { readonly dueMs: number },
  ): Promise<void> {
    const { events } = this.#context;
    const { spec, metadata } = cronJob;
    if (tooManyMissed) {
      const advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
      events.warning(cronJob, "TooManyMissedTimes", `too many missed start times. ${advice}`);
    }
    const active = status.active ?? [];
    if (spec.concurrencyPolicy === "Forbid" && active.length > 0) {
      const why = "prior execution is running and concurrency policy is Forbid";
      events.normal(cronJob, "JobAlreadyActive", `Not starting job because ${why}`);
      return;
    }
    if (spec.concurrencyPolicy === "Replace") {
      for (const reference of active) await this.#delete(cronJob, reference);
      status.active = [];
    }
    const created = await this.#create(cronJob, dueMs);
    const job = created && referenceTo(created);
    this.#lastStarts.set(key, { uid: metadata.uid, ms: dueMs, job, isTold: false });
    Object.assign(status, startIn(status, dueMs, job));
  }

  /** The job that runs now; undefined when the one of this start has ended already, or is somebody else's. */
  async #create(cronJob: Stored<CronJob>, dueMs: number): Promise<Stored<Job> | undefined> {
    const { client, clock, events, metrics, names } = this.#context;
    const jobs = client.batch.v1.jobs(cronJob.metadata.namespace);
    const draft = jobOfStart(cronJob, dueMs, names);
    try {
      const job = await jobs.create(draft);
      events.normal(cronJob, "SuccessfulCreate", `Created job ${job.metadata.name}`);
      metrics.jobCreated(Math.max(0, clock.nowMs() - dueMs) / 1000);
      return job;
    } catch (error) {
      if (!isApiError(error, "AlreadyExists")) {
        events.warning(cronJob, "FailedCreate", `Error creating job: ${(error as Error).message}`);
        throw error;
      }
      // Created before, and not noted: a crash came between.
      const job = await jobs.get(jobName(cronJob.metadata.name, dueMs));
      return isControlledBy(job, cronJob) && finishedAs(job) === undefined ? job : undefined;
    }
  }

  #isServed(key: string, { metadata }: Stored<CronJob>, status: Status, dueMs: number): boolean {
    const remembered = this.#lastStarts.get(key);
    if (remembered?.uid === metadata.uid && remembered.ms >= dueMs) return true;
    const name = jobName(metadata.name, dueMs);
    return (status.active ?? []).some((each) => each.name === name);
  }

  /** Undefined, and said in an event, when the CronJob's words make none. */
  #scheduleOf(cronJob: Stored<CronJob>): CronSchedule | undefined {
    const { events, names } = this.#context;
    const { schedule: text, timeZone } = cronJob.spec;
    const zoneProblem = timeZone === undefined ? undefined : timeZoneProblem(timeZone);
    if (zoneProblem !== undefined) {
      events.warning(cronJob, "UnknownTimeZone", `invalid timeZone: ${goQuote(timeZone ?? "")}: ${zoneProblem}`);
      return undefined;
    }
    if (text.includes("TZ")) {
      const what = `CRON_TZ or TZ used in schedule ${goQuote(text)} is not officially supported`;
      events.warning(cronJob, "UnsupportedSchedule", `${what}, see ${names.cronJobDocs} for more details`);
    }
    const schedule = parseSchedule(text);
    if (typeof schedule !== "string") return schedule;
    events.warning(cronJob, "UnparseableSchedule", `unparseable schedule: ${goQuote(text)} : ${schedule}`);
    return undefined;
  }
}

/** How long until a CronJob's schedule names its next moment; 0 when it never does, or cannot be read. */
export function msUntilNext(cronJob: Stored<CronJob>, nowMs: number): number {
  const { schedule: text, timeZone } = cronJob.spec;
  const schedule = parseSchedule(text);
  if (typeof schedule === "string" || timeZoneProblem(timeZone ?? "") !== undefined) return 0;
  const { nextMs } = dueStart(questionOf(cronJob, schedule, nowMs));
  return nextMs === undefined ? 0 : nextMs - nowMs + LATER_MS;
}

function questionOf({ spec, status, metadata }: Stored<CronJob>, schedule: CronSchedule, nowMs: number) {
  return {
    schedule,
    zone: spec.timeZone,
    createdMs: Date.parse(metadata.creationTimestamp),
    lastStartMs: status?.lastScheduleTime ? Date.parse(status.lastScheduleTime) : undefined,
    startingDeadlineSeconds:
      spec.startingDeadlineSeconds === undefined ? undefined : Number(spec.startingDeadlineSeconds),
    nowMs,
  };
}

/** What the status says of a start. */
function startIn({ active = [] }: Status, ms: number, job: JobReference | undefined): Status {
  const isListed = job === undefined || active.some(({ uid }) => uid === job.uid);
  return { lastScheduleTime: timeOfMs(ms), active: isListed ? active : [...active, job] };
}

function isControlledBy({ metadata }: Stored<Job>, cronJob: Stored<CronJob>): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ uid, controller }) => controller === true && uid === cronJob.metadata.uid,
  );
}

function referenceTo({ metadata }: Stored<Job>): JobReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind: "Job",
    apiVersion: "batch/v1",
    ...(namespace === undefined ? {} : { namespace }),
    name,
    uid,
    resourceVersion,
  };
}

/** Of a schedule that names no moment in the next years, in the words that users know. */
const NO_MOMENT = "time difference between two schedules is less than 1 second";
