// The template of pods inside workloads, and PodTemplate, which is nothing but one.

import type { Steps } from "../../../base/steps.ts";
import { type FieldError, forbiddenField } from "../../../meta/field-error.ts";
import { validateAnnotations, validateLabels } from "../../../meta/metadata-validation.ts";
import type { HookContext } from "../../define-kind.ts";
import { validatePodAnnotations, validateProfilesMatch } from "./annotation-validation.ts";
import { validatePodSpec } from "./spec-validation.ts";
import type { PodTemplate, PodTemplateSpec } from "./template-schema.ts";
import { podRules } from "./validation-rules.ts";

export function validatePodTemplate({ template }: PodTemplate, context: HookContext): Steps<FieldError[]> {
  return validatePodTemplateSpec(template, "template", context);
}

export function validatePodTemplateUpdate(
  { template }: PodTemplate,
  old: PodTemplate,
  context: HookContext,
): Steps<FieldError[]> {
  return validatePodTemplateSpec(template, "template", context, old.template);
}

/** `old`: the template that is stored. What it gets away with, the new one does too. */
export function* validatePodTemplateSpec(
  { metadata, spec }: PodTemplateSpec,
  at: string,
  context: HookContext,
  old?: PodTemplateSpec | null,
): Steps<FieldError[]> {
  const rules = podRules(context, false, old);
  // Upstream leaves `metadata` out of these paths.
  const errors = [
    ...validateLabels(metadata.labels, `${at}.labels`),
    ...validateAnnotations(metadata.annotations, `${at}.annotations`),
  ];
  validatePodAnnotations(metadata.annotations, spec, `${at}.annotations`, rules, errors);
  yield* validatePodSpec(spec, undefined, `${at}.spec`, rules, errors);
  validateProfilesMatch(metadata.annotations, spec, `${at}.spec`, rules, errors);
  if (spec.ephemeralContainers?.length) {
    errors.push(forbiddenField(`${at}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"));
  }
  return errors;
}
