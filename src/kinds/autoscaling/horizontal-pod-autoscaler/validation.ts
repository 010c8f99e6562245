// What a HorizontalPodAutoscaler must look like, in the form of version v2.

import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import { checkAmountNotNegative } from "../../core/resource-amount-validation.ts";
import type { HookContext } from "../../define-kind.ts";
import { checkTargetReference } from "../target-reference-validation.ts";
import { checkMetric } from "./metric-validation.ts";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "./v2-schema.ts";
import { horizontalPodAutoscalerStatus } from "./v2-status.ts";

export function validateAutoscaler(autoscaler: HorizontalPodAutoscaler, context: HookContext): FieldError[] {
  return validateSpec(autoscaler, undefined, context);
}

export function validateAutoscalerUpdate(
  autoscaler: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler,
  context: HookContext,
): FieldError[] {
  return validateSpec(autoscaler, old, context);
}

export function validateAutoscalerStatus({ status }: HorizontalPodAutoscaler): FieldError[] {
  const errors: FieldError[] = [];
  checkFields(status, horizontalPodAutoscalerStatus, "status", errors);
  return errors;
}

function validateSpec(
  { spec }: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler | undefined,
  { gateEnabled, names }: HookContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const { minReplicas, maxReplicas } = spec;
  const mayBeZero = gateEnabled("HPAScaleToZero") || old?.spec.minReplicas === 0;
  const least = mayBeZero ? 0 : 1;
  if (minReplicas !== undefined && minReplicas < least) {
    errors.push(invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${least}`));
  }
  if (maxReplicas < 1) errors.push(invalid("spec.maxReplicas", maxReplicas, "must be greater than 0"));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`"));
  }
  const hadNoGroup = old !== undefined && !old.spec.scaleTargetRef.apiVersion?.includes("/");
  checkTargetReference(spec.scaleTargetRef, "spec.scaleTargetRef", hadNoGroup, errors);
  const metrics = spec.metrics ?? [];
  metrics.forEach((metric, index) => {
    checkMetric(metric, `spec.metrics[${index}]`, names, errors);
  });
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    const detail = "must specify at least one Object or External metric to support scaling to zero replicas";
    errors.push(forbiddenField("spec.metrics", detail));
  }
  checkRules(spec.behavior?.scaleUp, "spec.behavior.scaleUp", errors);
  checkRules(spec.behavior?.scaleDown, "spec.behavior.scaleDown", errors);
  return errors;
}

const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;
const SELECT_POLICIES = ["Disabled", "Max", "Min"];
const POLICY_TYPES = ["Percent", "Pods"];

function checkRules(rules: HPAScalingRules | undefined, at: string, errors: FieldError[]): void {
  if (!rules) return;
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies } = rules;
  if (seconds !== undefined) {
    const field = `${at}.stabilizationWindowSeconds`;
    if (seconds < 0) errors.push(invalid(field, seconds, "must be greater than or equal to zero"));
    if (seconds > MAX_WINDOW_SECONDS) {
      errors.push(invalid(field, seconds, `must be less than or equal to ${MAX_WINDOW_SECONDS}`));
    }
  }
  if (selectPolicy !== undefined && !SELECT_POLICIES.includes(selectPolicy)) {
    errors.push(notSupported(`${at}.selectPolicy`, selectPolicy, SELECT_POLICIES));
  }
  if (!policies?.length) errors.push(required(`${at}.policies`, "must specify at least one Policy"));
  (policies ?? []).forEach(({ type, value, periodSeconds }, index) => {
    const field = `${at}.policies[${index}]`;
    if (!POLICY_TYPES.includes(type)) errors.push(notSupported(`${field}.type`, type, POLICY_TYPES));
    if (value <= 0) errors.push(invalid(`${field}.value`, value, "must be greater than zero"));
    if (periodSeconds <= 0) errors.push(invalid(`${field}.periodSeconds`, periodSeconds, "must be greater than zero"));
    if (periodSeconds > MAX_PERIOD_SECONDS) {
      const detail = `must be less than or equal to ${MAX_PERIOD_SECONDS}`;
      errors.push(invalid(`${field}.periodSeconds`, periodSeconds, detail));
    }
  });
  checkAmountNotNegative(errors, `${at}.tolerance`, rules.tolerance);
}
