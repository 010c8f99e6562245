// The schema of CronJob.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectReference } from "../core/object-reference.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { jobSpec } from "./job-spec.ts";

export type CronJob = ObjectOf<typeof cronJobSchema>;

export const cronJobSchema = objectSchema("batch.v1.CronJob", { doc: "Starts jobs by a schedule." }, () => ({
  spec: s.of(cronJobSpec, { proto: 2, optional: true }),
  status: s.of(cronJobStatus, { proto: 3, optional: true }),
}));

export type CronJobSpec = ObjectOf<typeof cronJobSpec>;

export const cronJobSpec = s.struct("batch.v1.CronJobSpec", { doc: "When to start which job." }, () => ({
  schedule: s.string({ proto: 1 }),
  timeZone: s.string({ proto: 8, optional: true, pointer: true }),
  startingDeadlineSeconds: s.int64({ proto: 2, optional: true, pointer: true }),
  concurrencyPolicy: s.enumOf(["Allow", "Forbid", "Replace"], { alias: "ConcurrencyPolicy", proto: 3, optional: true }),
  suspend: s.boolean({ proto: 4, optional: true, pointer: true }),
  jobTemplate: s.of(jobTemplateSpec, { proto: 5 }),
  successfulJobsHistoryLimit: s.int32({ proto: 6, optional: true, pointer: true }),
  failedJobsHistoryLimit: s.int32({ proto: 7, optional: true, pointer: true }),
}));

export type JobTemplateSpec = ObjectOf<typeof jobTemplateSpec>;

export const jobTemplateSpec = s.struct("batch.v1.JobTemplateSpec", () => ({
  metadata: s.of(objectMeta, { proto: 1, optional: true }),
  spec: s.of(jobSpec, { proto: 2, optional: true }),
}));

export type CronJobStatus = ObjectOf<typeof cronJobStatus>;

export const cronJobStatus = s.struct("batch.v1.CronJobStatus", () => ({
  active: s.list(objectReference, { proto: 1, optional: true, listType: "atomic" }),
  lastScheduleTime: s.time({ proto: 4, optional: true, pointer: true }),
  lastSuccessfulTime: s.time({ proto: 5, optional: true, pointer: true }),
}));
