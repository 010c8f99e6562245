// What a job must say about its work, for jobs and for the templates of jobs.

import { append } from "../../../base/append.ts";
import type { Steps } from "../../../base/steps.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  OMIT,
  required,
  tooMany,
} from "../../../meta/field-error.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import type { PodTemplateSpec } from "../../core/pod/template-schema.ts";
import { validatePodTemplateSpec } from "../../core/pod/template-validation.ts";
import type { HookContext } from "../../define-kind.ts";
import { internalForm } from "../../meta/internal-form.ts";
import { countIndexes } from "./index-intervals.ts";
import {
  type JobSpec,
  jobSpec,
  type PodFailurePolicyOnExitCodesRequirement,
  type PodFailurePolicyRule,
  podFailurePolicy,
  podFailurePolicyOnExitCodesRequirement,
  podFailurePolicyRule,
  type SuccessPolicyRule,
  successPolicy,
  successPolicyRule,
} from "./spec.ts";

const MAX_INDEXED_PARALLELISM = 100_000;
const MAX_FAILED_INDEXES = 100_000;
const MANY_COMPLETIONS = 100_000;
const MAX_FOR_MANY_COMPLETIONS = 10_000;

export function* validateJobSpec(
  spec: JobSpec,
  at: string,
  context: HookContext,
  oldTemplate?: PodTemplateSpec,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const counts = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ] as const;
  checkFields(spec, jobSpec, at, errors, counts);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(required(`${at}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  if (spec.managedBy === "") errors.push(required(`${at}.managedBy`));
  checkFields(spec, jobSpec, at, errors, ["managedBy", "completionMode"]);
  checkCompletionMode(spec, at, errors);
  if (spec.podFailurePolicy) checkFailurePolicy(spec.podFailurePolicy, spec, `${at}.podFailurePolicy`, errors);
  if (spec.successPolicy) checkSuccessPolicy(spec, `${at}.successPolicy`, errors);
  checkReplacementPolicy(spec, `${at}.podReplacementPolicy`, errors);
  append(errors, yield* validatePodTemplateSpec(spec.template, `${at}.template`, context, oldTemplate));
  checkRestartPolicy(spec, `${at}.template.spec.restartPolicy`, errors);
  return errors;
}

function checkCompletionMode(spec: JobSpec, at: string, errors: FieldError[]): void {
  const { completionMode: mode, backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (mode === "Indexed") checkIndexed(spec, at, errors);
  if (mode !== undefined && mode !== "NonIndexed") return;
  const detail = "requires indexed completion mode";
  if (backoffLimitPerIndex !== undefined) {
    errors.push(invalid(`${at}.backoffLimitPerIndex`, backoffLimitPerIndex, detail));
  }
  if (maxFailedIndexes !== undefined) errors.push(invalid(`${at}.maxFailedIndexes`, maxFailedIndexes, detail));
}

function checkIndexed(spec: JobSpec, at: string, errors: FieldError[]): void {
  const { completions, parallelism, maxFailedIndexes: failed } = spec;
  const tooHigh = (name: string, value: number | undefined, most: number, suffix: string) => {
    if (value === undefined || value <= most) return;
    errors.push(invalid(`${at}.${name}`, value, `must be less than or equal to ${most}${suffix}`));
  };
  if (completions === undefined) errors.push(required(`${at}.completions`, "when completion mode is Indexed"));
  tooHigh("parallelism", parallelism, MAX_INDEXED_PARALLELISM, " when completion mode is Indexed");
  if (completions !== undefined && failed !== undefined && failed > completions) {
    errors.push(invalid(`${at}.maxFailedIndexes`, failed, "must be less than or equal to completions"));
  }
  tooHigh("maxFailedIndexes", failed, MAX_FAILED_INDEXES, "");
  if ((completions ?? 0) <= MANY_COMPLETIONS || spec.backoffLimitPerIndex === undefined) return;
  if (failed === undefined) {
    errors.push(required(`${at}.maxFailedIndexes`, `must be specified when completions is above ${MANY_COMPLETIONS}`));
  }
  const suffix = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  tooHigh("parallelism", parallelism, MAX_FOR_MANY_COMPLETIONS, suffix);
  tooHigh("maxFailedIndexes", failed, MAX_FOR_MANY_COMPLETIONS, suffix);
}

const MAX_EXIT_CODES = 255;

function checkFailurePolicy(
  policy: NonNullable<JobSpec["podFailurePolicy"]>,
  spec: JobSpec,
  at: string,
  errors: FieldError[],
): void {
  checkFields(policy, podFailurePolicy, at, errors);
  const { containers, initContainers } = spec.template.spec;
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  (policy.rules ?? []).forEach((rule, index) => {
    checkFailureRule(rule, `${at}.rules[${index}]`, spec, names, errors);
  });
}

function checkFailureRule(
  rule: PodFailurePolicyRule,
  at: string,
  spec: JobSpec,
  containers: ReadonlySet<string>,
  errors: FieldError[],
): void {
  const { action, onExitCodes, onPodConditions } = rule;
  checkFields(rule, podFailurePolicyRule, at, errors, ["action"]);
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    errors.push(invalid(`${at}.action`, action, "requires the backoffLimitPerIndex to be set"));
  }
  if (onExitCodes) checkExitCodes(onExitCodes, `${at}.onExitCodes`, containers, errors);
  checkFields(rule, podFailurePolicyRule, at, errors, ["onPodConditions"]);
  const hasPatterns = (onPodConditions ?? []).length > 0;
  if (onExitCodes && hasPatterns) {
    errors.push(invalid(at, OMIT, "specifying both OnExitCodes and OnPodConditions is not supported"));
  } else if (!onExitCodes && !hasPatterns) {
    errors.push(invalid(at, OMIT, "specifying one of OnExitCodes and OnPodConditions is required"));
  }
}

function checkExitCodes(
  requirement: PodFailurePolicyOnExitCodesRequirement,
  at: string,
  containers: ReadonlySet<string>,
  errors: FieldError[],
): void {
  const { operator, containerName, values: codes } = requirement;
  checkFields(requirement, podFailurePolicyOnExitCodesRequirement, at, errors);
  if (containerName !== undefined && !containers.has(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    errors.push(invalid(`${at}.containerName`, containerName, detail));
  }
  const field = `${at}.values`;
  const values = codes ?? [];
  if (values.length === 0) errors.push(invalid(field, codes, "at least one value is required"));
  else if (values.length > MAX_EXIT_CODES) errors.push(tooMany(field, values.length, MAX_EXIT_CODES));
  const seen = new Set<number>();
  values.forEach((value, index) => {
    if (operator === "In" && value === 0) {
      errors.push(invalid(`${field}[${index}]`, value, "must not be 0 for the In operator"));
    }
    if (seen.has(value)) errors.push(duplicate(`${field}[${index}]`, value));
    seen.add(value);
  });
  if (values.some((value, index) => index > 0 && values[index - 1]! > value)) {
    errors.push(invalid(field, values, "must be ordered"));
  }
}

function checkSuccessPolicy(spec: JobSpec, at: string, errors: FieldError[]): void {
  const policy = spec.successPolicy!;
  if (spec.completionMode !== "Indexed") {
    errors.push(invalid(at, internalForm(policy, successPolicy), "requires indexed completion mode"));
    return;
  }
  checkFields(policy, successPolicy, at, errors);
  (policy.rules ?? []).forEach((rule, index) => {
    checkSuccessRule(rule, `${at}.rules[${index}]`, spec.completions ?? 0, errors);
  });
}

function checkSuccessRule(rule: SuccessPolicyRule, at: string, completions: number, errors: FieldError[]): void {
  const { succeededIndexes: indexes, succeededCount: count } = rule;
  if (indexes === undefined && count === undefined) {
    errors.push(required(at, "at least one of succeededCount or succeededIndexes must be specified"));
  }
  let total = 0;
  if (indexes !== undefined) {
    const field = `${at}.succeededIndexes`;
    checkFields(rule, successPolicyRule, at, errors, ["succeededIndexes"]);
    const counted = countIndexes(indexes, completions);
    if (typeof counted === "string") errors.push(invalid(field, indexes, `error parsing succeededIndexes: ${counted}`));
    else total = counted;
  }
  if (count === undefined) return;
  const field = `${at}.succeededCount`;
  checkFields(rule, successPolicyRule, at, errors, ["succeededCount"]);
  const tooHigh = (most: number, what: string) =>
    errors.push(invalid(field, count, `must be less than or equal to ${most} (the number of ${what})`));
  if (count > completions) tooHigh(completions, "specified completions");
  if (indexes !== undefined && count > total) tooHigh(total, "indexes in the specified succeededIndexes field");
}

function checkReplacementPolicy(spec: JobSpec, field: string, errors: FieldError[]): void {
  const policy = spec.podReplacementPolicy;
  if (policy === undefined) return;
  const supported = spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  if (!supported.includes(policy)) errors.push(notSupported(field, policy, supported));
}

function checkRestartPolicy(spec: JobSpec, field: string, errors: FieldError[]): void {
  const policy: string = spec.template.spec.restartPolicy ?? "";
  if (policy === "" || policy === "Always") errors.push(required(field, 'valid values: "OnFailure", "Never"'));
  else if (policy !== "OnFailure" && policy !== "Never") {
    errors.push(notSupported(field, policy, ["OnFailure", "Never"]));
  } else if (spec.podFailurePolicy && policy !== "Never") {
    errors.push(invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
}
