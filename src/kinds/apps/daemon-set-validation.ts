// Daemon sets: what they must say, what may change.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { warnPodTemplate } from "../core/pod-warnings.ts";
import type { HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { validateLabelSelector } from "../meta/selector-validation.ts";
import { checkNotNegative } from "../meta/value-checks.ts";
import { type DaemonSet, type DaemonSetUpdateStrategy, daemonSetUpdateStrategy } from "./daemon-set-schema.ts";
import {
  checkAmount,
  checkAtMostAll,
  checkCollisionCount,
  checkCounters,
  checkImmutable,
  checkRunningTemplate,
  checkSelectsTemplate,
  isEmptySelector,
  isNothing,
} from "./workload-validation.ts";

export function validateDaemonSet({ spec }: DaemonSet, context: HookContext, old?: DaemonSet): FieldError[] {
  const errors: FieldError[] = [];
  const { selector, template } = spec;
  // Without a selector nothing is selected, and that is all that upstream says about it.
  if (selector) append(errors, validateLabelSelector(selector, "spec.selector"));
  if (errors.length === 0) checkSelectsTemplate(selector, template, "spec.template", errors);
  if (selector && isEmptySelector(selector)) {
    errors.push(invalid("spec.selector", selector, "empty selector is invalid for daemonset"));
  }
  checkRunningTemplate(template, "spec.template", "DaemonSet", context, old?.spec.template, errors);
  checkNotNegative(errors, "spec.minReadySeconds", spec.minReadySeconds);
  checkStrategy(spec.updateStrategy, "spec.updateStrategy", errors);
  checkNotNegative(errors, "spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  return errors;
}

export function validateDaemonSetUpdate(set: DaemonSet, old: DaemonSet, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  checkImmutable(set.spec.selector, old.spec.selector, "spec.selector", errors);
  return [...errors, ...validateDaemonSet(set, context, old)];
}

const COUNTERS = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
];

export function validateDaemonSetStatus({ status }: DaemonSet, old: DaemonSet): FieldError[] {
  const errors: FieldError[] = [];
  checkCounters(status, COUNTERS, errors);
  checkCollisionCount(status, old.status, errors);
  return errors;
}

export function warnDaemonSet({ spec }: DaemonSet, old: DaemonSet | undefined, context: HookContext): string[] {
  if (old !== undefined && equalJson(spec.template, old.spec.template)) return [];
  return warnPodTemplate(spec.template, "spec.template", context);
}

function checkStrategy(strategy: DaemonSetUpdateStrategy, at: string, errors: FieldError[]): void {
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    errors.push(notSupported(at, internalForm(strategy, daemonSetUpdateStrategy), ["RollingUpdate", "OnDelete"]));
    return;
  }
  if (!rollingUpdate) {
    errors.push(required(`${at}.rollingUpdate`));
    return;
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  const unavailable = `${at}.rollingUpdate.maxUnavailable`;
  const surge = `${at}.rollingUpdate.maxSurge`;
  checkAmount(maxUnavailable, unavailable, errors);
  checkAmount(maxSurge, surge, errors);
  checkAtMostAll(maxUnavailable, unavailable, errors);
  checkAtMostAll(maxSurge, surge, errors);
  if (isNothing(maxUnavailable) && isNothing(maxSurge)) {
    errors.push(required(unavailable, "cannot be 0 when maxSurge is 0"));
  } else if (!isNothing(maxUnavailable) && !isNothing(maxSurge)) {
    errors.push(invalid(surge, maxSurge, "may not be set when maxUnavailable is non-zero"));
  }
}
