// What a PodDisruptionBudget must look like.

import { append } from "../../base/append.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { checkAmount, checkAtMostAll } from "../apps/workload-validation.ts";
import { validateConditions } from "../meta/condition-validation.ts";
import { internalForm } from "../meta/internal-form.ts";
import { type SelectorRules, validateLabelSelector } from "../meta/selector-validation.ts";
import { checkNotNegative, checkOptionalWord } from "../meta/value-checks.ts";
import {
  type PodDisruptionBudget,
  type PodDisruptionBudgetSpec,
  podDisruptionBudgetSpec,
} from "./pod-disruption-budget-schema.ts";

export const validateBudget = ({ spec }: PodDisruptionBudget): FieldError[] => validateSpec(spec, {});

export function validateBudgetUpdate({ spec }: PodDisruptionBudget, old: PodDisruptionBudget): FieldError[] {
  // A selector that an older release took stays.
  const anyValues = validateBudget(old).some(({ field }) => /^spec\.selector\..*values\[/.test(field));
  return validateSpec(spec, { anyValues });
}

export function validateBudgetStatus({ status }: PodDisruptionBudget): FieldError[] {
  const errors = validateConditions(status.conditions ?? [], "status.conditions");
  for (const field of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const) {
    checkNotNegative(errors, `status.${field}`, status[field]);
  }
  return errors;
}

function validateSpec(spec: PodDisruptionBudgetSpec, rules: SelectorRules): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const detail = "minAvailable and maxUnavailable cannot be both set";
    errors.push(invalid("spec", internalForm(spec, podDisruptionBudgetSpec), detail));
  }
  for (const field of ["minAvailable", "maxUnavailable"] as const) {
    const amount = spec[field];
    if (amount === undefined) continue;
    checkAmount(amount, `spec.${field}`, errors);
    checkAtMostAll(amount, `spec.${field}`, errors);
  }
  if (spec.selector) append(errors, validateLabelSelector(spec.selector, "spec.selector", rules));
  const policies = ["AlwaysAllow", "IfHealthyBudget"];
  checkOptionalWord(errors, "spec.unhealthyPodEvictionPolicy", spec.unhealthyPodEvictionPolicy, policies);
  return errors;
}
