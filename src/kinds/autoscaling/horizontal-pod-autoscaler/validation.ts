// What a HorizontalPodAutoscaler must look like, in the form of version v2.

import { type FieldError, forbiddenField, invalid } from "../../../meta/field-error.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import type { HookContext } from "../../define-kind.ts";
import { checkTargetReference } from "../target-reference-validation.ts";
import { checkMetric } from "./metric-validation.ts";
import { type HorizontalPodAutoscaler, horizontalPodAutoscalerBehavior } from "./v2-schema.ts";
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
  if (spec.behavior) checkFields(spec.behavior, horizontalPodAutoscalerBehavior, "spec.behavior", errors);
  return errors;
}
