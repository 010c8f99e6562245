// Jobs: what they must say, what may change.

import { append } from "../../../base/append.ts";
import { cloneJson, equalJson } from "../../../base/json.ts";
import { Pace, type Steps } from "../../../base/steps.ts";
import { type FieldError, invalid, required } from "../../../meta/field-error.ts";
import { type LabelSelectorObject, selectorFromObject } from "../../../meta/label-selector.ts";
import { dns1123LabelProblems } from "../../../meta/name-formats.ts";
import { checkImmutable, NOT_MATCHING } from "../../apps/workload-validation.ts";
import { type PodTemplateSpec, podTemplateSpec } from "../../core/pod/template-schema.ts";
import { warnName, warnPodTemplate } from "../../core/pod/warnings.ts";
import type { HookContext } from "../../define-kind.ts";
import { internalForm } from "../../meta/internal-form.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import { validateLabelSelectorInSteps } from "../../meta/selector-validation.ts";
import type { Job } from "./schema.ts";
import { type JobSpec, podFailurePolicy, successPolicy } from "./spec.ts";
import { validateJobSpec } from "./spec-validation.ts";

export function* validateJob(job: Job, context: HookContext, old?: Job): Steps<FieldError[]> {
  const { metadata, spec } = job;
  const errors = yield* checkGeneratedSelector(job, context, old);
  append(errors, yield* validateSpecAndSelector(spec, context, old));
  const completions = spec.completions ?? 0;
  if (spec.completionMode === "Indexed" && completions > 0) {
    const host = `${metadata.name}-${completions - 1}`;
    if (dns1123LabelProblems(host).length > 0) {
      const detail = `will not able to create pod with invalid DNS label: ${host}`;
      errors.push(invalid("metadata.name", metadata.name ?? "", detail));
    }
  }
  return errors;
}

export function* validateJobUpdate(job: Job, old: Job, context: HookContext): Steps<FieldError[]> {
  const { spec } = job;
  // Upstream judges the job, and then the change, which is its specification once more.
  const errors = yield* validateJob(job, context, old);
  yield;
  append(errors, yield* validateSpecAndSelector(spec, context, old));
  const before = old.spec;
  checkCompletions(spec, before, errors);
  checkImmutable(spec.selector, before.selector, "spec.selector", errors);
  checkTemplateChange(job, old, errors);
  checkImmutable(spec.completionMode, before.completionMode, "spec.completionMode", errors);
  const failure = spec.podFailurePolicy && internalForm(spec.podFailurePolicy, podFailurePolicy);
  checkImmutable(spec.podFailurePolicy, before.podFailurePolicy, "spec.podFailurePolicy", errors, failure);
  checkImmutable(spec.backoffLimitPerIndex, before.backoffLimitPerIndex, "spec.backoffLimitPerIndex", errors);
  checkImmutable(spec.managedBy, before.managedBy, "spec.managedBy", errors);
  const success = spec.successPolicy && internalForm(spec.successPolicy, successPolicy);
  checkImmutable(spec.successPolicy, before.successPolicy, "spec.successPolicy", errors, success);
  return errors;
}

export function warnJob(job: Job, old: Job | undefined, context: HookContext): string[] {
  const { metadata, spec } = job;
  if (old === undefined)
    return [...warnName(metadata.name ?? "", dns1123LabelProblems), ...warnJobSpec(spec, "spec", context)];
  return metadata.generation === old.metadata.generation ? [] : warnJobSpec(spec, "spec", context);
}

const MANY_COMPLETIONS = 100_000;
const MANY_AT_ONCE = 10_000;

export function warnJobSpec(spec: JobSpec, at: string, context: HookContext): string[] {
  const warnings: string[] = [];
  const isHuge = (spec.completions ?? 0) > MANY_COMPLETIONS && (spec.parallelism ?? 0) > MANY_AT_ONCE;
  if (spec.completionMode === "Indexed" && isHuge) {
    const detail = `In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, ${context.names.productName} might not be able to track completedIndexes when a big number of indexes fail`;
    warnings.push(`${at}: ${detail}`);
  }
  return [...warnings, ...warnPodTemplate(spec.template, `${at}.template`, context)];
}

function* validateSpecAndSelector(spec: JobSpec, context: HookContext, old: Job | undefined): Steps<FieldError[]> {
  const errors = yield* validateJobSpec(spec, "spec", context, old?.spec.template);
  const { selector, template } = spec;
  const pace = new Pace(TERMS_PER_STEP);
  if (selector === undefined) errors.push(required("spec.selector"));
  else {
    const before = old?.spec.selector;
    const anyValues = before !== undefined && (yield* validateLabelSelectorInSteps(before, "", pace)).length > 0;
    append(errors, yield* validateLabelSelectorInSteps(selector, "spec.selector", pace, { anyValues }));
  }
  const { labels } = template.metadata;
  if ((yield* isUsable(selector)) && !matches(selector, labels)) {
    errors.push(invalid("spec.template.metadata.labels", labels ?? null, NOT_MATCHING));
  }
  return errors;
}

const TERMS_PER_STEP = 500;

/** After a turn, where it is. */
function* isUsable(selector: LabelSelector | undefined): Steps<boolean> {
  if (selector === undefined) return true;
  const errors = yield* validateLabelSelectorInSteps(selector, "", new Pace(TERMS_PER_STEP));
  yield;
  return errors.length === 0;
}

const matches = (selector: LabelSelector | undefined, labels: Record<string, string> | undefined): boolean =>
  selectorFromObject(selector as LabelSelectorObject | undefined).matches(labels);

/** Unless the user has taken it over, the selector and its labels are those that the server makes. */
function* checkGeneratedSelector(
  { metadata, spec }: Job,
  { names }: HookContext,
  old: Job | undefined,
): Steps<FieldError[]> {
  if (spec.manualSelector || spec.selector === undefined) return [];
  const errors: FieldError[] = [];
  const { name = "", uid = "" } = metadata;
  if (uid === "") errors.push(required("metadata.uid"));
  const oldLabels = old?.spec.template.metadata.labels ?? {};
  // Jobs from before the prefixed labels have only the plain ones.
  const prefixed =
    old === undefined ||
    (Object.hasOwn(oldLabels, names.jobNameLabel) && Object.hasOwn(oldLabels, names.jobControllerUidLabel));
  const expected: Record<string, string> = { "controller-uid": uid, "job-name": name };
  if (prefixed) Object.assign(expected, { [names.jobControllerUidLabel]: uid, [names.jobNameLabel]: name });
  const labels = spec.template.metadata.labels ?? {};
  const field = "spec.template.metadata.labels";
  for (const [key, value] of Object.entries(expected)) {
    if (!Object.hasOwn(labels, key)) errors.push(required(`${field}[${key}]`, `must be '${value}'`));
    else if (labels[key] !== value) errors.push(invalid(`${field}[${key}]`, labels, `must be '${value}'`));
  }
  if ((yield* isUsable(spec.selector)) && !matches(spec.selector, expected)) {
    errors.push(invalid("spec.selector", spec.selector, "`selector` not auto-generated"));
  }
  return errors;
}

function checkCompletions(spec: JobSpec, old: JobSpec, errors: FieldError[]): void {
  const field = "spec.completions";
  const { completions } = spec;
  if (spec.completionMode !== "Indexed") checkImmutable(completions, old.completions, field, errors);
  else if (completions !== undefined && completions !== old.completions && completions !== spec.parallelism) {
    errors.push(invalid(field, completions, "can only be modified in tandem with spec.parallelism"));
  }
}

/** A suspended job that has not started may still be told where to run. */
function checkTemplateChange(job: Job, old: Job, errors: FieldError[]): void {
  const { template } = job.spec;
  const mayMove = old.spec.suspend === true && old.status.startTime === undefined;
  const before = mayMove ? withPlacementOf(old.spec.template, template) : old.spec.template;
  if (equalJson(template, before)) return;
  checkImmutable(template, before, "spec.template", errors, internalForm(template, podTemplateSpec) as never);
}

function withPlacementOf(old: PodTemplateSpec, now: PodTemplateSpec): PodTemplateSpec {
  const moved = cloneJson(old);
  const { nodeAffinity: _, ...others } = old.spec.affinity ?? {};
  const wanted = now.spec.affinity?.nodeAffinity;
  const affinity = wanted === undefined ? others : { ...others, nodeAffinity: wanted };
  const take = <T extends object>(target: T, source: T, keys: readonly (keyof T)[]) => {
    for (const key of keys) {
      if (source[key] === undefined) delete target[key];
      else target[key] = source[key];
    }
  };
  take(moved.spec, now.spec, ["nodeSelector", "tolerations", "schedulingGates"]);
  take(moved.metadata, now.metadata, ["annotations", "labels"]);
  if (Object.keys(affinity).length > 0 || now.spec.affinity !== undefined) moved.spec.affinity = affinity;
  else delete moved.spec.affinity;
  return moved;
}
