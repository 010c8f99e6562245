// The schema of CronJob.

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { objectReference } from "../core/object-reference.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { jobSpec } from "./job-spec.ts";

export type CronJob = ObjectOf<typeof cronJobSchema>;

export const cronJobSchema = objectSchema("batch.v1.CronJob", "Starts jobs by a schedule.", () => ({
  spec: opt.of(cronJobSpec, 2, "The schedule and the job to start."),
  status: opt.of(cronJobStatus, 3, "Which jobs run and when the last was started; written by the controller."),
}));

export type CronJobSpec = ObjectOf<typeof cronJobSpec>;

const cronJobSpec = s.struct("batch.v1.CronJobSpec", "When to start which job.", () => ({
  schedule: s.string(
    1,
    "When to start, in cron's five fields (minute, hour, day, month, weekday) or a word like @daily.",
  ),
  timeZone: ptr.string(
    8,
    "The time zone of the schedule by its IANA name, as in Europe/Berlin; not set, that of the controller.",
  ),
  startingDeadlineSeconds: ptr.int64(
    2,
    "A start missed by more than this many seconds is skipped; not set, there is no limit.",
  ),
  concurrencyPolicy: opt.enumOf(
    "ConcurrencyPolicy",
    ["Allow", "Forbid", "Replace"],
    3,
    "If the last job still runs: Allow (the default) starts another, Forbid skips this one, Replace ends the old one.",
  ),
  suspend: ptr.boolean(4, "While true no new jobs are started; those that run go on. False if not set."),
  jobTemplate: s.of(jobTemplateSpec, 5, "The job to create at each start."),
  successfulJobsHistoryLimit: ptr.int32(6, "How many succeeded jobs are kept; 3 if not set, 0 keeps none."),
  failedJobsHistoryLimit: ptr.int32(7, "How many failed jobs are kept; 1 if not set, 0 keeps none."),
}));

const jobTemplateSpec = s.struct(
  "batch.v1.JobTemplateSpec",
  "The job that is created when the schedule says so.",
  () => ({
    metadata: opt.of(objectMeta, 1, "Labels and annotations that each created job gets."),
    spec: opt.of(jobSpec, 2, "What each created job shall do."),
  }),
);

const cronJobStatus = s.struct("batch.v1.CronJobStatus", "What a cron job has started.", () => ({
  active: opt.atomic(objectReference, 1, "The jobs that run now."),
  lastScheduleTime: ptr.time(4, "The time of the schedule at which a job was last started."),
  lastSuccessfulTime: ptr.time(5, "When a job last completed successfully."),
}));
