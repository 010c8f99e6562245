// The schema of Job.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { jobSpec } from "./job-spec.ts";

export type Job = ObjectOf<typeof jobSchema>;

export const jobSchema = objectSchema(
  "batch.v1.Job",
  { doc: "Runs pods until enough of them have succeeded." },
  () => ({
    spec: s.of(jobSpec, { proto: 2, optional: true }),
    status: s.of(jobStatus, { proto: 3, optional: true }),
  }),
);

export type JobStatus = ObjectOf<typeof jobStatus>;

export const jobStatus = s.struct("batch.v1.JobStatus", () => ({
  conditions: s.list(jobCondition, {
    proto: 1,
    optional: true,
    listType: "atomic",
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
  startTime: s.time({ proto: 2, optional: true, pointer: true }),
  completionTime: s.time({ proto: 3, optional: true, pointer: true }),
  active: s.int32({ proto: 4, optional: true }),
  succeeded: s.int32({ proto: 5, optional: true }),
  failed: s.int32({ proto: 6, optional: true }),
  terminating: s.int32({ proto: 11, optional: true, pointer: true }),
  completedIndexes: s.string({ proto: 7, optional: true }),
  failedIndexes: s.string({ proto: 10, optional: true, pointer: true }),
  uncountedTerminatedPods: s.of(uncountedTerminatedPods, { proto: 8, optional: true, pointer: true }),
  ready: s.int32({ proto: 9, optional: true, pointer: true }),
}));

export type JobCondition = ObjectOf<typeof jobCondition>;

export const jobCondition = s.struct("batch.v1.JobCondition", () => ({
  type: s.string({ alias: "JobConditionType", proto: 1 }),
  status: s.string({ alias: "ConditionStatus", proto: 2 }),
  lastProbeTime: s.time({ proto: 3, required: false }),
  lastTransitionTime: s.time({ proto: 4, required: false }),
  reason: s.string({ proto: 5, optional: true }),
  message: s.string({ proto: 6, optional: true }),
}));

export type UncountedTerminatedPods = ObjectOf<typeof uncountedTerminatedPods>;

export const uncountedTerminatedPods = s.struct("batch.v1.UncountedTerminatedPods", () => ({
  succeeded: s.list("string", { alias: "types.UID", proto: 1, optional: true, listType: "set" }),
  failed: s.list("string", { alias: "types.UID", proto: 2, optional: true, listType: "set" }),
}));
