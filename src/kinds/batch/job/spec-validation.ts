// What a job must say about its work, for jobs and for the templates of jobs.

import { append } from "../../../base/append.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  OMIT,
  required,
  tooLong,
  tooMany,
} from "../../../meta/field-error.ts";
import { domainPrefixedPathProblems, qualifiedNameProblems } from "../../../meta/name-formats.ts";
import type { PodTemplateSpec } from "../../core/pod/template-schema.ts";
import { validatePodTemplateSpec } from "../../core/pod/template-validation.ts";
import type { HookContext } from "../../define-kind.ts";
import { internalForm } from "../../meta/internal-form.ts";
import { addProblems, checkNotNegative, checkWord } from "../../meta/value-checks.ts";
import { countIndexes } from "./index-intervals.ts";
import {
  type JobSpec,
  type PodFailurePolicyOnExitCodesRequirement,
  type PodFailurePolicyRule,
  type SuccessPolicyRule,
  successPolicy,
} from "./spec.ts";

const MAX_MANAGER_LENGTH = 63;
const MAX_INDEXED_PARALLELISM = 100_000;
const MAX_FAILED_INDEXES = 100_000;
const MANY_COMPLETIONS = 100_000;
const MAX_FOR_MANY_COMPLETIONS = 10_000;

export function validateJobSpec(
  spec: JobSpec,
  at: string,
  context: HookContext,
  oldTemplate?: PodTemplateSpec,
): FieldError[] {
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
  for (const name of counts) checkNotNegative(errors, `${at}.${name}`, spec[name]);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(required(`${at}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  if (spec.managedBy !== undefined) checkManager(spec.managedBy, `${at}.managedBy`, errors);
  checkCompletionMode(spec, at, errors);
  if (spec.podFailurePolicy) checkFailurePolicy(spec, `${at}.podFailurePolicy.rules`, errors);
  if (spec.successPolicy) checkSuccessPolicy(spec, `${at}.successPolicy`, errors);
  checkReplacementPolicy(spec, `${at}.podReplacementPolicy`, errors);
  append(errors, validatePodTemplateSpec(spec.template, `${at}.template`, context, oldTemplate));
  checkRestartPolicy(spec, `${at}.template.spec.restartPolicy`, errors);
  return errors;
}

function checkManager(manager: string, field: string, errors: FieldError[]): void {
  addProblems(errors, field, manager, domainPrefixedPathProblems(manager));
  if (Buffer.byteLength(manager) > MAX_MANAGER_LENGTH) errors.push(tooLong(field, MAX_MANAGER_LENGTH));
}

const MODES = ["NonIndexed", "Indexed"];

function checkCompletionMode(spec: JobSpec, at: string, errors: FieldError[]): void {
  const { completionMode: mode, backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (mode !== undefined && !MODES.includes(mode)) errors.push(notSupported(`${at}.completionMode`, mode, MODES));
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

const MAX_FAILURE_RULES = 20;
const MAX_PATTERNS = 20;
const MAX_EXIT_CODES = 255;
const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS = ["In", "NotIn"];
const STATUSES = ["False", "True", "Unknown"];
const validValues = (words: readonly string[]): string =>
  `valid values: [${words.map((word) => `"${word}"`).join(" ")}]`;

function checkFailurePolicy(spec: JobSpec, field: string, errors: FieldError[]): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  if (rules.length > MAX_FAILURE_RULES) errors.push(tooMany(field, rules.length, MAX_FAILURE_RULES));
  const { containers, initContainers } = spec.template.spec;
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  rules.forEach((rule, index) => {
    checkFailureRule(rule, `${field}[${index}]`, spec, names, errors);
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
  checkWord(errors, `${at}.action`, action, ACTIONS, validValues(ACTIONS));
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    errors.push(invalid(`${at}.action`, action, "requires the backoffLimitPerIndex to be set"));
  }
  if (onExitCodes) checkExitCodes(onExitCodes, `${at}.onExitCodes`, containers, errors);
  const patterns = onPodConditions ?? [];
  if (patterns.length > MAX_PATTERNS) errors.push(tooMany(`${at}.onPodConditions`, patterns.length, MAX_PATTERNS));
  patterns.forEach(({ type, status }, index) => {
    const place = `${at}.onPodConditions[${index}]`;
    addProblems(errors, `${place}.type`, type, qualifiedNameProblems(type));
    checkWord(errors, `${place}.status`, status, STATUSES, validValues(STATUSES));
  });
  if (onExitCodes && patterns.length > 0) {
    errors.push(invalid(at, OMIT, "specifying both OnExitCodes and OnPodConditions is not supported"));
  } else if (!onExitCodes && patterns.length === 0) {
    errors.push(invalid(at, OMIT, "specifying one of OnExitCodes and OnPodConditions is required"));
  }
}

function checkExitCodes(
  { operator, containerName, values: codes }: PodFailurePolicyOnExitCodesRequirement,
  at: string,
  containers: ReadonlySet<string>,
  errors: FieldError[],
): void {
  checkWord(errors, `${at}.operator`, operator, OPERATORS, validValues(OPERATORS));
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

const MAX_SUCCESS_RULES = 20;
const MAX_INDEXES_LENGTH = 64 * 1024;

function checkSuccessPolicy(spec: JobSpec, at: string, errors: FieldError[]): void {
  const policy = spec.successPolicy!;
  if (spec.completionMode !== "Indexed") {
    errors.push(invalid(at, internalForm(policy, successPolicy), "requires indexed completion mode"));
    return;
  }
  const rules = policy.rules ?? [];
  if (rules.length === 0) {
    const detail = "at least one rules must be specified when the successPolicy is specified";
    errors.push(required(`${at}.rules`, detail));
  }
  if (rules.length > MAX_SUCCESS_RULES) errors.push(tooMany(`${at}.rules`, rules.length, MAX_SUCCESS_RULES));
  rules.forEach((rule, index) => {
    checkSuccessRule(rule, `${at}.rules[${index}]`, spec.completions ?? 0, errors);
  });
}

function checkSuccessRule(
  { succeededIndexes: indexes, succeededCount: count }: SuccessPolicyRule,
  at: string,
  completions: number,
  errors: FieldError[],
): void {
  if (indexes === undefined && count === undefined) {
    errors.push(required(at, "at least one of succeededCount or succeededIndexes must be specified"));
  }
  let total = 0;
  if (indexes !== undefined) {
    const field = `${at}.succeededIndexes`;
    if (Buffer.byteLength(indexes) > MAX_INDEXES_LENGTH) errors.push(tooLong(field, MAX_INDEXES_LENGTH));
    const counted = countIndexes(indexes, completions);
    if (typeof counted === "string") errors.push(invalid(field, indexes, `error parsing succeededIndexes: ${counted}`));
    else total = counted;
  }
  if (count === undefined) return;
  const field = `${at}.succeededCount`;
  checkNotNegative(errors, field, count);
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
