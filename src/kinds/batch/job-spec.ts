// What a job shall do, shared by Job and CronJob.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { podTemplateSpec } from "../core/pod-template.ts";
import { labelSelector } from "../meta/label-selector.ts";

export type JobSpec = ObjectOf<typeof jobSpec>;

export const jobSpec = s.struct("batch.v1.JobSpec", { doc: "What a job shall do." }, () => ({
  parallelism: s.int32({ proto: 1, optional: true, pointer: true }),
  completions: s.int32({ proto: 2, optional: true, pointer: true }),
  activeDeadlineSeconds: s.int64({ proto: 3, optional: true, pointer: true }),
  podFailurePolicy: s.of(podFailurePolicy, { proto: 11, optional: true, pointer: true }),
  successPolicy: s.of(successPolicy, { proto: 16, optional: true, pointer: true }),
  backoffLimit: s.int32({ proto: 7, optional: true, pointer: true }),
  backoffLimitPerIndex: s.int32({ proto: 12, optional: true, pointer: true }),
  maxFailedIndexes: s.int32({ proto: 13, optional: true, pointer: true }),
  selector: s.of(labelSelector, { proto: 4, optional: true, pointer: true }),
  manualSelector: s.boolean({ proto: 5, optional: true, pointer: true }),
  template: s.of(podTemplateSpec, { proto: 6 }),
  ttlSecondsAfterFinished: s.int32({ proto: 8, optional: true, pointer: true }),
  completionMode: s.enumOf(["Indexed", "NonIndexed"], {
    alias: "CompletionMode",
    proto: 9,
    optional: true,
    pointer: true,
  }),
  suspend: s.boolean({ proto: 10, optional: true, pointer: true }),
  podReplacementPolicy: s.enumOf(["Failed", "TerminatingOrFailed"], {
    alias: "PodReplacementPolicy",
    proto: 14,
    optional: true,
    pointer: true,
  }),
  managedBy: s.string({ proto: 15, optional: true, pointer: true }),
}));

export type PodFailurePolicy = ObjectOf<typeof podFailurePolicy>;

export const podFailurePolicy = s.struct("batch.v1.PodFailurePolicy", () => ({
  rules: s.list(podFailurePolicyRule, { proto: 1, listType: "atomic" }),
}));

export type PodFailurePolicyRule = ObjectOf<typeof podFailurePolicyRule>;

export const podFailurePolicyRule = s.struct("batch.v1.PodFailurePolicyRule", () => ({
  action: s.enumOf(["Count", "FailIndex", "FailJob", "Ignore"], { alias: "PodFailurePolicyAction", proto: 1 }),
  onExitCodes: s.of(podFailurePolicyOnExitCodesRequirement, { proto: 2, optional: true, pointer: true }),
  onPodConditions: s.list(podFailurePolicyOnPodConditionsPattern, { proto: 3, optional: true, listType: "atomic" }),
}));

export type PodFailurePolicyOnExitCodesRequirement = ObjectOf<typeof podFailurePolicyOnExitCodesRequirement>;

export const podFailurePolicyOnExitCodesRequirement = s.struct(
  "batch.v1.PodFailurePolicyOnExitCodesRequirement",
  () => ({
    containerName: s.string({ proto: 1, optional: true, pointer: true }),
    operator: s.enumOf(["In", "NotIn"], { alias: "PodFailurePolicyOnExitCodesOperator", proto: 2 }),
    values: s.list("int32", { proto: 3, listType: "set" }),
  }),
);

export type PodFailurePolicyOnPodConditionsPattern = ObjectOf<typeof podFailurePolicyOnPodConditionsPattern>;

export const podFailurePolicyOnPodConditionsPattern = s.struct(
  "batch.v1.PodFailurePolicyOnPodConditionsPattern",
  () => ({
    type: s.string({ alias: "PodConditionType", proto: 1 }),
    status: s.string({ alias: "ConditionStatus", proto: 2 }),
  }),
);

export type SuccessPolicy = ObjectOf<typeof successPolicy>;

export const successPolicy = s.struct("batch.v1.SuccessPolicy", () => ({
  rules: s.list(successPolicyRule, { proto: 1, listType: "atomic" }),
}));

export type SuccessPolicyRule = ObjectOf<typeof successPolicyRule>;

export const successPolicyRule = s.struct("batch.v1.SuccessPolicyRule", () => ({
  succeededIndexes: s.string({ proto: 1, optional: true, pointer: true }),
  succeededCount: s.int32({ proto: 2, optional: true, pointer: true }),
}));
