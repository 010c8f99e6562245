// Replication controllers: what they must say. Unlike their successors they may change their selector.

import { append } from "../../base/append.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123LabelProblems } from "../../meta/name-formats.ts";
import type { HookContext } from "../define-kind.ts";
import { checkNotNegative } from "../meta/value-checks.ts";
import { validatePodTemplateSpec } from "./pod-template-validation.ts";
import { warnName, warnPodTemplate } from "./pod-warnings.ts";
import type { ReplicationController } from "./replication-controller-schema.ts";

export function validateReplicationController(
  { spec }: ReplicationController,
  context: HookContext,
  old?: ReplicationController,
): FieldError[] {
  const errors: FieldError[] = [];
  checkNotNegative(errors, "spec.minReadySeconds", spec.minReadySeconds);
  const selector = spec.selector ?? {};
  const isEmpty = Object.keys(selector).length === 0;
  if (isEmpty) errors.push(required("spec.selector"));
  if (spec.replicas === undefined) errors.push(required("spec.replicas"));
  checkNotNegative(errors, "spec.replicas", spec.replicas);
  const at = "spec.template";
  const { template } = spec;
  if (!template) {
    errors.push(required(at));
    return errors;
  }
  const { labels } = template.metadata;
  const matches = Object.entries(selector).every(
    ([key, value]) => labels !== undefined && Object.hasOwn(labels, key) && labels[key] === value,
  );
  if (!matches) {
    errors.push(invalid(`${at}.metadata.labels`, labels ?? null, "`selector` does not match template `labels`"));
  }
  append(errors, validatePodTemplateSpec(template, at, context, old?.spec.template));
  const { restartPolicy = "", activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== "Always") errors.push(notSupported(`${at}.spec.restartPolicy`, restartPolicy, ["Always"]));
  if (activeDeadlineSeconds !== undefined) {
    const detail = "activeDeadlineSeconds in ReplicationController is not Supported";
    errors.push(forbiddenField(`${at}.spec.activeDeadlineSeconds`, detail));
  }
  return errors;
}

export function validateReplicationControllerUpdate(
  controller: ReplicationController,
  old: ReplicationController,
  context: HookContext,
): FieldError[] {
  return validateReplicationController(controller, context, old);
}

const COUNTERS = [
  "replicas",
  "fullyLabeledReplicas",
  "readyReplicas",
  "availableReplicas",
  "observedGeneration",
] as const;
const PARTS = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const;

export function validateReplicationControllerStatus({ status }: ReplicationController): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of COUNTERS) checkNotNegative(errors, `status.${name}`, status[name]);
  for (const name of PARTS) {
    const count = status[name] ?? 0;
    if (count > status.replicas)
      errors.push(invalid(`status.${name}`, count, "cannot be greater than status.replicas"));
  }
  const available = status.availableReplicas ?? 0;
  if (available > (status.readyReplicas ?? 0)) {
    errors.push(invalid("status.availableReplicas", available, "cannot be greater than readyReplicas"));
  }
  return errors;
}

export function warnReplicationController(
  { metadata, spec }: ReplicationController,
  old: ReplicationController | undefined,
  context: HookContext,
): string[] {
  if (old !== undefined && metadata.generation === old.metadata.generation) return [];
  const warnings = old === undefined ? warnName(metadata.name ?? "", dns1123LabelProblems) : [];
  if (spec.template) append(warnings, warnPodTemplate(spec.template, "spec.template", context));
  return warnings;
}
