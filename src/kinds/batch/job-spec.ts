// What a job shall do, shared by Job and CronJob.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { podTemplateSpec } from "../core/pod-template.ts";
import { labelSelector } from "../meta/label-selector.ts";

export type JobSpec = ObjectOf<typeof jobSpec>;

export const jobSpec = s.struct("batch.v1.JobSpec", { doc: "What a job shall do." }, () => ({
  parallelism: s.int32({
    proto: 1,
    optional: true,
    pointer: true,
    doc: "How many pods may run at the same time; fewer when little work is left. 1 if not set, 0 halts the job.",
  }),
  completions: s.int32({
    proto: 2,
    optional: true,
    pointer: true,
    doc: "How many pods must succeed. Not set, the success of any one pod ends the job and no further pods are started.",
  }),
  activeDeadlineSeconds: s.int64({
    proto: 3,
    optional: true,
    pointer: true,
    doc: "Seconds after the start, or after the last resumption, at which the job is ended as failed. Not set: no limit.",
  }),
  podFailurePolicy: s.of(podFailurePolicy, {
    proto: 11,
    optional: true,
    pointer: true,
    doc: "What a failed pod means, by its exit code or conditions. Not set, every failure counts against backoffLimit.",
  }),
  successPolicy: s.of(successPolicy, {
    proto: 16,
    optional: true,
    pointer: true,
    doc: "When an Indexed job succeeds early; not set, only when all completions are reached.",
  }),
  backoffLimit: s.int32({
    proto: 7,
    optional: true,
    pointer: true,
    doc: "Failures of pods after which the job fails; 6 if not set, or without limit when backoffLimitPerIndex is set.",
  }),
  backoffLimitPerIndex: s.int32({
    proto: 12,
    optional: true,
    pointer: true,
    doc: "Failures allowed for each index before that index fails; only for Indexed jobs whose pods never restart.",
  }),
  maxFailedIndexes: s.int32({
    proto: 13,
    optional: true,
    pointer: true,
    doc: "The job fails once more indexes than this have failed; not set, the other indexes run on. Needs backoffLimitPerIndex.",
  }),
  selector: s.of(labelSelector, {
    proto: 4,
    optional: true,
    pointer: true,
    doc: "Which pods belong to the job; leave it out, the server sets it.",
  }),
  manualSelector: s.boolean({
    proto: 5,
    optional: true,
    pointer: true,
    doc: "True to give selector and labels yourself; they must be unique, or jobs take each other's pods. False if not set.",
  }),
  template: s.of(podTemplateSpec, { proto: 6, doc: "The pod to run; its restart policy must be Never or OnFailure." }),
  ttlSecondsAfterFinished: s.int32({
    proto: 8,
    optional: true,
    pointer: true,
    doc: "Seconds after which the finished job and its pods are deleted; 0 at once. Not set, it stays.",
  }),
  completionMode: s.enumOf(["Indexed", "NonIndexed"], {
    alias: "CompletionMode",
    proto: 9,
    optional: true,
    pointer: true,
    doc: "NonIndexed (the default): any pods that succeed count. Indexed: each index from 0 on must succeed once.",
  }),
  suspend: s.boolean({
    proto: 10,
    optional: true,
    pointer: true,
    doc: "While true no pods run: those that do are deleted, and resuming starts the clock of the deadline anew.",
  }),
  podReplacementPolicy: s.enumOf(["Failed", "TerminatingOrFailed"], {
    alias: "PodReplacementPolicy",
    proto: 14,
    optional: true,
    pointer: true,
    doc: "TerminatingOrFailed replaces pods already while they end; Failed, the only choice with a podFailurePolicy, once they have failed.",
  }),
  managedBy: s.string({
    proto: 15,
    optional: true,
    pointer: true,
    doc: "The controller that works on the job, as a name with a domain; not set, the built-in one. Cannot change.",
  }),
}));

export type PodFailurePolicy = ObjectOf<typeof podFailurePolicy>;

export const podFailurePolicy = s.struct(
  "batch.v1.PodFailurePolicy",
  { doc: "What the failure of a pod means for its job." },
  () => ({
    rules: s.list(podFailurePolicyRule, {
      proto: 1,
      listType: "atomic",
      doc: "Tried in order; the first that matches decides. If none does, the failure counts as usual. At most 20.",
    }),
  }),
);

export type PodFailurePolicyRule = ObjectOf<typeof podFailurePolicyRule>;

export const podFailurePolicyRule = s.struct(
  "batch.v1.PodFailurePolicyRule",
  { doc: "What to do about failed pods that match; exactly one of onExitCodes and onPodConditions is set." },
  () => ({
    action: s.enumOf(["Count", "FailIndex", "FailJob", "Ignore"], {
      alias: "PodFailurePolicyAction",
      proto: 1,
      doc: "FailJob ends the job, FailIndex the index, Ignore replaces the pod without counting, Count counts as usual.",
    }),
    onExitCodes: s.of(podFailurePolicyOnExitCodesRequirement, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Matches by the exit codes of containers.",
    }),
    onPodConditions: s.list(podFailurePolicyOnPodConditionsPattern, {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Matches if the pod has any of these conditions. At most 20.",
    }),
  }),
);

export type PodFailurePolicyOnExitCodesRequirement = ObjectOf<typeof podFailurePolicyOnExitCodesRequirement>;

export const podFailurePolicyOnExitCodesRequirement = s.struct(
  "batch.v1.PodFailurePolicyOnExitCodesRequirement",
  { doc: "Matches failed pods by the exit codes of their containers; those that exited with 0 are left out." },
  () => ({
    containerName: s.string({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Look only at this container; not set, at all of them.",
    }),
    operator: s.enumOf(["In", "NotIn"], {
      alias: "PodFailurePolicyOnExitCodesOperator",
      proto: 2,
      doc: "In: the exit code of a container is among the values; NotIn: it is not.",
    }),
    values: s.list("int32", {
      proto: 3,
      listType: "set",
      doc: "The exit codes, in ascending order without repeats; 1 to 255 of them. In may not have 0.",
    }),
  }),
);

export type PodFailurePolicyOnPodConditionsPattern = ObjectOf<typeof podFailurePolicyOnPodConditionsPattern>;

export const podFailurePolicyOnPodConditionsPattern = s.struct(
  "batch.v1.PodFailurePolicyOnPodConditionsPattern",
  { doc: "Matches pods by one of their conditions." },
  () => ({
    type: s.string({
      alias: "PodConditionType",
      proto: 1,
      doc: "The type of the pod's condition, such as DisruptionTarget.",
    }),
    status: s.string({
      alias: "ConditionStatus",
      proto: 2,
      doc: "The status that the condition must have; True if not set.",
    }),
  }),
);

export type SuccessPolicy = ObjectOf<typeof successPolicy>;

export const successPolicy = s.struct(
  "batch.v1.SuccessPolicy",
  { doc: "When an Indexed job counts as done before all of its indexes have succeeded." },
  () => ({
    rules: s.list(successPolicyRule, {
      proto: 1,
      listType: "atomic",
      doc: "Tried in order; once one is met, the job has succeeded and its remaining pods are ended. 1 to 20 of them.",
    }),
  }),
);

export type SuccessPolicyRule = ObjectOf<typeof successPolicyRule>;

export const successPolicyRule = s.struct(
  "batch.v1.SuccessPolicyRule",
  { doc: "Indexes that must succeed, or a number of them; at least one of the two is set." },
  () => ({
    succeededIndexes: s.string({
      proto: 1,
      optional: true,
      pointer: true,
      doc: 'The indexes that must succeed, as numbers and ranges: "1,3-5,7". With a count, those among which it counts.',
    }),
    succeededCount: s.int32({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "How many indexes must succeed, among succeededIndexes or else among all.",
    }),
  }),
);
