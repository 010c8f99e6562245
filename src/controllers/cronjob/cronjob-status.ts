// What a CronJob's jobs say about it: which are active, which have ended, which are too many to keep. Pure.

import type { Stored } from "../../client/informer.ts";
import type { CronJob } from "../../kinds/batch/cron-job.ts";
import type { Job } from "../../kinds/batch/job.ts";
import { finishedAs } from "../job/finished-job.ts";

export type JobReference = NonNullable<NonNullable<CronJob["status"]>["active"]>[number];

interface Observation {
  /** The references that stay, those of jobs that are nowhere to be seen included. */
  readonly active: readonly JobReference[];
  /** In the list until now, and ended. */
  readonly completed: readonly Stored<Job>[];
  /** Not ended, ours, and not in the list. */
  readonly unexpected: readonly Stored<Job>[];
  /** In the list, and nowhere to be seen. */
  readonly unseen: readonly JobReference[];
  readonly lastSuccessfulTime: string | undefined;
}

/** `jobs` are those that the CronJob controls. */
export function observeJobs(status: CronJob["status"] | undefined, jobs: readonly Stored<Job>[]): Observation {
  const listed = status?.active ?? [];
  const listedUids = new Set(listed.map(({ uid }) => uid));
  const byUid = new Map(jobs.map((job) => [job.metadata.uid, job]));
  const completed = jobs.filter((job) => listedUids.has(job.metadata.uid) && finishedAs(job) !== undefined);
  const completedUids = new Set(completed.map(({ metadata }) => metadata.uid));
  return {
    active: listed.filter(({ uid }) => !completedUids.has(uid ?? "")),
    completed,
    unexpected: jobs.filter((job) => !listedUids.has(job.metadata.uid) && finishedAs(job) === undefined),
    unseen: listed.filter(({ uid }) => !byUid.has(uid ?? "")),
    lastSuccessfulTime: latestSuccess(status?.lastSuccessfulTime ?? undefined, jobs),
  };
}

/** The oldest of those that have ended, as far as they are more than the limits allow. Not set: no limit. */
export function jobsBeyondHistory(
  jobs: readonly Stored<Job>[],
  limits: { readonly successful: number | undefined; readonly failed: number | undefined },
): readonly Stored<Job>[] {
  const beyond = (as: "Complete" | "Failed", limit: number | undefined) => {
    if (limit === undefined) return [];
    const ended = jobs.filter((job) => finishedAs(job) === as).sort(byStart);
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...beyond("Complete", limits.successful), ...beyond("Failed", limits.failed)];
}

/** Those that never began come last. */
function byStart(a: Stored<Job>, b: Stored<Job>): number {
  const startMs = ({ status }: Stored<Job>) =>
    status?.startTime ? Date.parse(status.startTime) : Number.MAX_SAFE_INTEGER;
  return startMs(a) - startMs(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

function latestSuccess(known: string | undefined, jobs: readonly Stored<Job>[]): string | undefined {
  let latest = known;
  for (const job of jobs) {
    const at = job.status?.completionTime;
    if (!at || finishedAs(job) !== "Complete") continue;
    if (latest === undefined || Date.parse(at) > Date.parse(latest)) latest = at;
  }
  return latest;
}
