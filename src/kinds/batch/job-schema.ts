// The schema of Job.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { jobSpec } from "./job-spec.ts";

export type Job = ObjectOf<typeof jobSchema>;

export const jobSchema = objectSchema(
  "batch.v1.Job",
  { doc: "Runs pods until enough of them have succeeded." },
  () => ({
    spec: s.of(jobSpec, { proto: 2, optional: true, doc: "The pods to run and when the job counts as done." }),
    status: s.of(jobStatus, { proto: 3, optional: true, doc: "How far the job has come; written by the controller." }),
  }),
);

export type JobStatus = ObjectOf<typeof jobStatus>;

export const jobStatus = s.struct("batch.v1.JobStatus", { doc: "How far a job has come." }, () => ({
  conditions: s.list(jobCondition, {
    proto: 1,
    optional: true,
    listType: "atomic",
    patchStrategy: ["merge"],
    patchMergeKey: "type",
    doc: "The present state by aspect; Complete or Failed with status True means that the job has finished.",
  }),
  startTime: s.time({
    proto: 2,
    optional: true,
    pointer: true,
    doc: "When the controller began with the job; reset whenever a suspended job resumes.",
  }),
  completionTime: s.time({
    proto: 3,
    optional: true,
    pointer: true,
    doc: "When the job succeeded; not set if it failed.",
  }),
  active: s.int32({ proto: 4, optional: true, doc: "Pods that are pending or running and not ending." }),
  succeeded: s.int32({ proto: 5, optional: true, doc: "Pods that ended with success." }),
  failed: s.int32({ proto: 6, optional: true, doc: "Pods that ended with failure." }),
  terminating: s.int32({ proto: 11, optional: true, pointer: true, doc: "Pods that are ending but not yet gone." }),
  completedIndexes: s.string({
    proto: 7,
    optional: true,
    doc: 'The indexes of an Indexed job that succeeded, as numbers and ranges: "1,3-5,7".',
  }),
  failedIndexes: s.string({
    proto: 10,
    optional: true,
    pointer: true,
    doc: "The indexes that failed for good, as numbers and ranges; only if backoffLimitPerIndex is set.",
  }),
  uncountedTerminatedPods: s.of(uncountedTerminatedPods, {
    proto: 8,
    optional: true,
    pointer: true,
    doc: "Pods that have ended but are not in the counts yet.",
  }),
  ready: s.int32({ proto: 9, optional: true, pointer: true, doc: "Active pods that are ready." }),
}));

export type JobCondition = ObjectOf<typeof jobCondition>;

export const jobCondition = s.struct("batch.v1.JobCondition", { doc: "One aspect of the state of a job." }, () => ({
  type: s.string({
    alias: "JobConditionType",
    proto: 1,
    doc: "Complete, Failed, Suspended, FailureTarget or SuccessCriteriaMet.",
  }),
  status: s.string({ alias: "ConditionStatus", proto: 2, doc: "Whether the condition holds: True, False or Unknown." }),
  lastProbeTime: s.time({ proto: 3, required: false, doc: "When the condition was last checked." }),
  lastTransitionTime: s.time({ proto: 4, required: false, doc: "When the status last became what it is." }),
  reason: s.string({ proto: 5, optional: true, doc: "One word for programs: why it became so." }),
  message: s.string({ proto: 6, optional: true, doc: "Details for people." }),
}));

export type UncountedTerminatedPods = ObjectOf<typeof uncountedTerminatedPods>;

export const uncountedTerminatedPods = s.struct(
  "batch.v1.UncountedTerminatedPods",
  { doc: "Ended pods on their way into the counts, noted so that none is counted twice." },
  () => ({
    succeeded: s.list("string", {
      alias: "types.UID",
      proto: 1,
      optional: true,
      listType: "set",
      doc: "The uids of pods that succeeded.",
    }),
    failed: s.list("string", {
      alias: "types.UID",
      proto: 2,
      optional: true,
      listType: "set",
      doc: "The uids of pods that failed.",
    }),
  }),
);
