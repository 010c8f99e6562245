// What a job shall do, shared by Job and CronJob.

import { domainPrefixedPathProblems, qualifiedNameProblems } from "../../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";
import { NOT_NEGATIVE } from "../../../schema/check-fields.ts";
import { podTemplateSpec } from "../../core/pod/template-schema.ts";
import { labelSelector } from "../../meta/label-selector.ts";

export type JobSpec = ObjectOf<typeof jobSpec>;

export const jobSpec = s.struct("batch.v1.JobSpec", "What a job shall do.", () => ({
  parallelism: ptr.int32(
    1,
    "How many pods may run at the same time; fewer when little work is left. 1 if not set, 0 halts the job.",
    { must: NOT_NEGATIVE },
  ),
  completions: ptr.int32(
    2,
    "How many pods must succeed. Not set, the success of any one pod ends the job and no further pods are started.",
    { must: NOT_NEGATIVE },
  ),
  activeDeadlineSeconds: ptr.int64(
    3,
    "Seconds after the start, or after the last resumption, at which the job is ended as failed. Not set: no limit.",
    { must: NOT_NEGATIVE },
  ),
  podFailurePolicy: ptr.of(
    podFailurePolicy,
    11,
    "What a failed pod means, by its exit code or conditions. Not set, every failure counts against backoffLimit.",
  ),
  successPolicy: ptr.of(
    successPolicy,
    16,
    "When an Indexed job succeeds early; not set, only when all completions are reached.",
  ),
  backoffLimit: ptr.int32(
    7,
    "Failures of pods after which the job fails; 6 if not set, or without limit when backoffLimitPerIndex is set.",
    { must: NOT_NEGATIVE },
  ),
  backoffLimitPerIndex: ptr.int32(
    12,
    "Failures allowed for each index before that index fails; only for Indexed jobs whose pods never restart.",
    { must: NOT_NEGATIVE },
  ),
  maxFailedIndexes: ptr.int32(
    13,
    "The job fails once more indexes than this have failed; not set, the other indexes run on. Needs backoffLimitPerIndex.",
    { must: NOT_NEGATIVE },
  ),
  selector: ptr.of(labelSelector, 4, "Which pods belong to the job; leave it out, the server sets it."),
  manualSelector: ptr.boolean(
    5,
    "True to give selector and labels yourself; they must be unique, or jobs take each other's pods. False if not set.",
  ),
  template: s.of(podTemplateSpec, 6, "The pod to run; its restart policy must be Never or OnFailure."),
  ttlSecondsAfterFinished: ptr.int32(
    8,
    "Seconds after which the finished job and its pods are deleted; 0 at once. Not set, it stays.",
    { must: NOT_NEGATIVE },
  ),
  completionMode: ptr.enumOf(
    "CompletionMode",
    ["Indexed", "NonIndexed"],
    9,
    "NonIndexed (the default): any pods that succeed count. Indexed: each index from 0 on must succeed once.",
    { must: { listed: ["NonIndexed", "Indexed"] } },
  ),
  suspend: ptr.boolean(
    10,
    "While true no pods run: those that do are deleted, and resuming starts the clock of the deadline anew.",
  ),
  podReplacementPolicy: ptr.enumOf(
    "PodReplacementPolicy",
    ["Failed", "TerminatingOrFailed"],
    14,
    "TerminatingOrFailed replaces pods already while they end; Failed, the only choice with a podFailurePolicy, once they have failed.",
  ),
  managedBy: ptr.string(
    15,
    "The controller that works on the job, as a name with a domain; not set, the built-in one. Cannot change.",
    { must: { form: domainPrefixedPathProblems, after: { maxBytes: 63 } } },
  ),
}));

/** A word that must be said, and the list of those that there are. */
const wordOf = (...words: readonly string[]) => ({
  filled: `valid values: [${words.map((word) => `"${word}"`).join(" ")}]`,
  listed: words,
});

export const podFailurePolicy = s.struct(
  "batch.v1.PodFailurePolicy",
  "What the failure of a pod means for its job.",
  () => ({
    rules: s.atomic(
      podFailurePolicyRule,
      1,
      "Tried in order; the first that matches decides. If none does, the failure counts as usual. At most 20.",
      { must: { maxItems: 20 } },
    ),
  }),
);

export type PodFailurePolicyRule = ObjectOf<typeof podFailurePolicyRule>;

export const podFailurePolicyRule = s.struct(
  "batch.v1.PodFailurePolicyRule",
  "What to do about failed pods that match; exactly one of onExitCodes and onPodConditions is set.",
  () => ({
    action: s.enumOf(
      "PodFailurePolicyAction",
      ["Count", "FailIndex", "FailJob", "Ignore"],
      1,
      "FailJob ends the job, FailIndex the index, Ignore replaces the pod without counting, Count counts as usual.",
      { must: wordOf("Count", "FailIndex", "FailJob", "Ignore") },
    ),
    onExitCodes: ptr.of(podFailurePolicyOnExitCodesRequirement, 2, "Matches by the exit codes of containers."),
    onPodConditions: opt.atomic(
      podFailurePolicyOnPodConditionsPattern,
      3,
      "Matches if the pod has any of these conditions. At most 20.",
      { must: { maxItems: 20, inside: true } },
    ),
  }),
);

export type PodFailurePolicyOnExitCodesRequirement = ObjectOf<typeof podFailurePolicyOnExitCodesRequirement>;

export const podFailurePolicyOnExitCodesRequirement = s.struct(
  "batch.v1.PodFailurePolicyOnExitCodesRequirement",
  "Matches failed pods by the exit codes of their containers; those that exited with 0 are left out.",
  () => ({
    containerName: ptr.string(1, "Look only at this container; not set, at all of them."),
    operator: s.enumOf(
      "PodFailurePolicyOnExitCodesOperator",
      ["In", "NotIn"],
      2,
      "In: the exit code of a container is among the values; NotIn: it is not.",
      { must: wordOf("In", "NotIn") },
    ),
    values: s.set(
      "int32",
      3,
      "The exit codes, in ascending order without repeats; 1 to 255 of them. In may not have 0.",
    ),
  }),
);

const podFailurePolicyOnPodConditionsPattern = s.struct(
  "batch.v1.PodFailurePolicyOnPodConditionsPattern",
  "Matches pods by one of their conditions.",
  () => ({
    type: s.named("PodConditionType", 1, "The type of the pod's condition, such as DisruptionTarget.", {
      must: { strict: true, form: qualifiedNameProblems },
    }),
    status: s.named("ConditionStatus", 2, "The status that the condition must have; True if not set.", {
      must: wordOf("False", "True", "Unknown"),
    }),
  }),
);

export const successPolicy = s.struct(
  "batch.v1.SuccessPolicy",
  "When an Indexed job counts as done before all of its indexes have succeeded.",
  () => ({
    rules: s.atomic(
      successPolicyRule,
      1,
      "Tried in order; once one is met, the job has succeeded and its remaining pods are ended. 1 to 20 of them.",
      {
        must: { filled: "at least one rules must be specified when the successPolicy is specified", maxItems: 20 },
      },
    ),
  }),
);

export type SuccessPolicyRule = ObjectOf<typeof successPolicyRule>;

export const successPolicyRule = s.struct(
  "batch.v1.SuccessPolicyRule",
  "Indexes that must succeed, or a number of them; at least one of the two is set.",
  () => ({
    succeededIndexes: ptr.string(
      1,
      'The indexes that must succeed, as numbers and ranges: "1,3-5,7". With a count, those among which it counts.',
      { must: { maxBytes: 64 * 1024 } },
    ),
    succeededCount: ptr.int32(2, "How many indexes must succeed, among succeededIndexes or else among all.", {
      must: NOT_NEGATIVE,
    }),
  }),
);
