// What workloads share: a selector that fits the template of their pods, amounts in numbers or percent, and counters of
// a status that cannot exceed each other.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import type { Steps } from "../../base/steps.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type LabelSelectorObject, selectorFromObject } from "../../meta/label-selector.ts";
import { dns1123LabelProblems, percentProblems } from "../../meta/name-formats.ts";
import type { ObjectMeta } from "../../meta/object.ts";
import type { PodTemplateSpec } from "../core/pod/template-schema.ts";
import { validatePodTemplateSpec } from "../core/pod/template-validation.ts";
import { warnName, warnPodTemplate } from "../core/pod/warnings.ts";
import type { HookContext } from "../define-kind.ts";
import type { LabelSelector } from "../meta/label-selector.ts";
import { validateLabelSelector } from "../meta/selector-validation.ts";
import { addProblems, checkNotNegative, IMMUTABLE } from "../meta/value-checks.ts";

interface Workload {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly template: PodTemplateSpec };
}

/** A template that did not change is not warned of again, nor a name that cannot. */
export function warnWorkload({ metadata, spec }: Workload, old: Workload | undefined, context: HookContext): string[] {
  const isNew = old === undefined;
  return [
    ...(isNew ? warnName(metadata.name ?? "", dns1123LabelProblems) : []),
    ...(isNew || metadata.generation !== old.metadata.generation
      ? warnPodTemplate(spec.template, "spec.template", context)
      : []),
  ];
}

export const NOT_MATCHING = "`selector` does not match template `labels`";

/** A selector that must be there and select something. True when it can be used. */
export function checkSelector(
  selector: LabelSelector | null | undefined,
  field: string,
  owner: string,
  errors: FieldError[],
): boolean {
  if (!selector) {
    errors.push(required(field));
    return true;
  }
  const problems = validateLabelSelector(selector, field);
  append(errors, problems);
  if (isEmptySelector(selector)) errors.push(invalid(field, selector, `empty selector is invalid for ${owner}`));
  return problems.length === 0;
}

export const isEmptySelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && !selector.matchExpressions?.length;

/** No selector selects nothing; an empty one, which is refused elsewhere, everything. */
export function checkSelectsTemplate(
  selector: LabelSelector | null | undefined,
  template: PodTemplateSpec,
  at: string,
  errors: FieldError[],
): void {
  const { labels } = template.metadata;
  if (selectorFromObject(selector as LabelSelectorObject | null | undefined).matches(labels)) return;
  errors.push(invalid(`${at}.metadata.labels`, labels ?? null, NOT_MATCHING));
}

/** The template of pods that run on and on. */
export function* checkRunningTemplate(
  template: PodTemplateSpec,
  at: string,
  owner: string,
  context: HookContext,
  old: PodTemplateSpec | null | undefined,
  errors: FieldError[],
): Steps<void> {
  append(errors, yield* validatePodTemplateSpec(template, at, context, old));
  checkRunsOn(template, at, owner, errors);
}

export function checkRunsOn({ spec }: PodTemplateSpec, at: string, owner: string, errors: FieldError[]): void {
  if (spec.restartPolicy !== "Always") {
    errors.push(notSupported(`${at}.spec.restartPolicy`, spec.restartPolicy ?? "", ["Always"]));
  }
  if (spec.activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${owner} is not Supported`;
    errors.push(forbiddenField(`${at}.spec.activeDeadlineSeconds`, detail));
  }
}

export function checkImmutable(value: unknown, old: unknown, field: string, errors: FieldError[], shown = value): void {
  if (!equalJson(value ?? undefined, old ?? undefined)) errors.push(invalid(field, shown ?? null, IMMUTABLE));
}

type Amount = number | string;

export function checkAmount(amount: Amount, field: string, errors: FieldError[]): void {
  if (typeof amount === "number") checkNotNegative(errors, field, amount);
  else addProblems(errors, field, amount, percentProblems(amount));
}

export function checkAtMostAll(amount: Amount, field: string, errors: FieldError[]): void {
  if ((percentOf(amount) ?? 0) > 100) errors.push(invalid(field, amount, "must not be greater than 100%"));
}

/** Whether the amount says anything; texts that are no percentage do not. */
export function isNothing(amount: Amount): boolean {
  if (typeof amount === "number") return amount === 0;
  return (percentOf(amount) ?? leadingInteger(amount)) === 0;
}

function percentOf(amount: Amount): number | undefined {
  if (typeof amount === "number" || percentProblems(amount).length > 0) return undefined;
  return Number(amount.slice(0, -1));
}

const leadingInteger = (text: string): number => (/^[+-]?[0-9]+$/.test(text) ? Number(text) : 0);

type Counters = Readonly<Record<string, unknown>>;

const count = (status: Counters, name: string): number => {
  const value = status[name];
  return typeof value === "number" ? value : 0;
};

export function checkCounters(status: Counters, names: readonly string[], errors: FieldError[]): void {
  for (const name of names) checkNotNegative(errors, `status.${name}`, count(status, name));
}

/** Parts of the replicas cannot be more than all of them. */
export function checkParts(status: Counters, names: readonly string[], errors: FieldError[]): void {
  const all = count(status, "replicas");
  for (const name of names) {
    if (count(status, name) <= all) continue;
    errors.push(invalid(`status.${name}`, count(status, name), "cannot be greater than status.replicas"));
  }
}

export function checkAvailable(status: Counters, detail: string, errors: FieldError[]): void {
  const available = count(status, "availableReplicas");
  if (available > count(status, "readyReplicas")) errors.push(invalid("status.availableReplicas", available, detail));
}

export function checkCollisionCount(status: Counters, old: Counters, errors: FieldError[]): void {
  if (old["collisionCount"] === undefined || count(status, "collisionCount") >= count(old, "collisionCount")) return;
  errors.push(invalid("status.collisionCount", count(status, "collisionCount"), "cannot be decremented"));
}
