// The schema of CronJob.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectReference } from "../core/object-reference.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { jobSpec } from "./job-spec.ts";

export type CronJob = ObjectOf<typeof cronJobSchema>;

export const cronJobSchema = objectSchema("batch.v1.CronJob", { doc: "Starts jobs by a schedule." }, () => ({
  spec: s.of(cronJobSpec, { proto: 2, optional: true, doc: "The schedule and the job to start." }),
  status: s.of(cronJobStatus, {
    proto: 3,
    optional: true,
    doc: "Which jobs run and when the last was started; written by the controller.",
  }),
}));

export type CronJobSpec = ObjectOf<typeof cronJobSpec>;

export const cronJobSpec = s.struct("batch.v1.CronJobSpec", { doc: "When to start which job." }, () => ({
  schedule: s.string({
    proto: 1,
    doc: "When to start, in cron's five fields (minute, hour, day, month, weekday) or a word like @daily.",
  }),
  timeZone: s.string({
    proto: 8,
    optional: true,
    pointer: true,
    doc: "The time zone of the schedule by its IANA name, as in Europe/Berlin; not set, that of the controller.",
  }),
  startingDeadlineSeconds: s.int64({
    proto: 2,
    optional: true,
    pointer: true,
    doc: "A start missed by more than this many seconds is skipped; not set, there is no limit.",
  }),
  concurrencyPolicy: s.enumOf(["Allow", "Forbid", "Replace"], {
    alias: "ConcurrencyPolicy",
    proto: 3,
    optional: true,
    doc: "If the last job still runs: Allow (the default) starts another, Forbid skips this one, Replace ends the old one.",
  }),
  suspend: s.boolean({
    proto: 4,
    optional: true,
    pointer: true,
    doc: "While true no new jobs are started; those that run go on. False if not set.",
  }),
  jobTemplate: s.of(jobTemplateSpec, { proto: 5, doc: "The job to create at each start." }),
  successfulJobsHistoryLimit: s.int32({
    proto: 6,
    optional: true,
    pointer: true,
    doc: "How many succeeded jobs are kept; 3 if not set, 0 keeps none.",
  }),
  failedJobsHistoryLimit: s.int32({
    proto: 7,
    optional: true,
    pointer: true,
    doc: "How many failed jobs are kept; 1 if not set, 0 keeps none.",
  }),
}));

export type JobTemplateSpec = ObjectOf<typeof jobTemplateSpec>;

export const jobTemplateSpec = s.struct(
  "batch.v1.JobTemplateSpec",
  { doc: "The job that is created when the schedule says so." },
  () => ({
    metadata: s.of(objectMeta, { proto: 1, optional: true, doc: "Labels and annotations that each created job gets." }),
    spec: s.of(jobSpec, { proto: 2, optional: true, doc: "What each created job shall do." }),
  }),
);

export type CronJobStatus = ObjectOf<typeof cronJobStatus>;

export const cronJobStatus = s.struct("batch.v1.CronJobStatus", { doc: "What a cron job has started." }, () => ({
  active: s.list(objectReference, { proto: 1, optional: true, listType: "atomic", doc: "The jobs that run now." }),
  lastScheduleTime: s.time({
    proto: 4,
    optional: true,
    pointer: true,
    doc: "The time of the schedule at which a job was last started.",
  }),
  lastSuccessfulTime: s.time({
    proto: 5,
    optional: true,
    pointer: true,
    doc: "When a job last completed successfully.",
  }),
}));
