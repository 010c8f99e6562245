// The schema of Job.

import { type ObjectOf, opt, ptr, s, shown } from "../../../schema/builder.ts";
import { aspectMembers } from "../../meta/condition.ts";
import { objectSchema } from "../../meta/object-schema.ts";
import { jobSpec } from "./spec.ts";

export type Job = ObjectOf<typeof jobSchema>;

export const jobSchema = objectSchema("batch.v1.Job", "Runs pods until enough of them have succeeded.", () => ({
  spec: opt.of(jobSpec, 2, "The pods to run and when the job counts as done."),
  status: opt.of(jobStatus, 3, "How far the job has come; written by the controller."),
}));

export type JobStatus = ObjectOf<typeof jobStatus>;

const jobStatus = s.struct("batch.v1.JobStatus", "How far a job has come.", () => ({
  conditions: opt.atomic(
    jobCondition,
    1,
    "The present state by aspect; Complete or Failed with status True means that the job has finished.",
    { patchStrategy: ["merge"], patchMergeKey: "type" },
  ),
  startTime: ptr.time(2, "When the controller began with the job; reset whenever a suspended job resumes."),
  completionTime: ptr.time(3, "When the job succeeded; not set if it failed."),
  active: opt.int32(4, "Pods that are pending or running and not ending."),
  succeeded: opt.int32(5, "Pods that ended with success."),
  failed: opt.int32(6, "Pods that ended with failure."),
  terminating: ptr.int32(11, "Pods that are ending but not yet gone."),
  completedIndexes: opt.string(7, 'The indexes of an Indexed job that succeeded, as numbers and ranges: "1,3-5,7".'),
  failedIndexes: ptr.string(
    10,
    "The indexes that failed for good, as numbers and ranges; only if backoffLimitPerIndex is set.",
  ),
  uncountedTerminatedPods: ptr.of(uncountedTerminatedPods, 8, "Pods that have ended but are not in the counts yet."),
  ready: ptr.int32(9, "Active pods that are ready."),
}));

const jobCondition = s.struct("batch.v1.JobCondition", "One aspect of the state of a job.", () =>
  aspectMembers("JobConditionType", "Complete, Failed, Suspended, FailureTarget or SuccessCriteriaMet.", 4, {
    lastProbeTime: shown.time(3, "When the condition was last checked."),
  }),
);

const uncountedTerminatedPods = s.struct(
  "batch.v1.UncountedTerminatedPods",
  "Ended pods on their way into the counts, noted so that none is counted twice.",
  () => ({
    succeeded: opt.set("string", 1, "The uids of pods that succeeded.", { alias: "types.UID" }),
    failed: opt.set("string", 2, "The uids of pods that failed.", { alias: "types.UID" }),
  }),
);
