// Pods on create, and the parts of it that every update repeats.

import type { Steps } from "../../../base/steps.ts";
import { type FieldError, forbiddenField } from "../../../meta/field-error.ts";
import type { HookContext } from "../../define-kind.ts";
import { validatePodAnnotations, validateProfilesMatch } from "./annotation-validation.ts";
import { checkImageSpaces } from "./container-validation.ts";
import type { Pod } from "./schema.ts";
import { validatePodSpec } from "./spec-validation.ts";
import { type PodRules, podRules } from "./validation-rules.ts";

export function* validatePod(pod: Pod, context: HookContext): Steps<FieldError[]> {
  const rules = podRules(context, true);
  const errors = yield* validatePodContent(pod, rules);
  const { spec, metadata } = pod;
  if (spec.ephemeralContainers?.length)
    errors.push(forbiddenField("spec.ephemeralContainers", "cannot be set on create"));
  if (spec.nodeName && spec.schedulingGates?.length) {
    errors.push(forbiddenField("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  validateProfilesMatch(metadata.annotations, spec, "spec", rules, errors);
  return errors;
}

/** What holds for a pod whenever it is written. */
export function* validatePodContent({ metadata, spec }: Pod, rules: PodRules): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  validatePodAnnotations(metadata.annotations, spec, "metadata.annotations", rules, errors);
  yield* validatePodSpec(spec, metadata, "spec", rules, errors);
  yield;
  if (!spec.serviceAccountName) {
    (spec.volumes ?? []).forEach(({ projected }, volume) => {
      (projected?.sources ?? []).forEach(({ serviceAccountToken }, source) => {
        if (serviceAccountToken === undefined) return;
        const field = `spec.volumes[${volume}].projected.sources[${source}].serviceAccountToken`;
        errors.push(forbiddenField(field, "must not be specified when serviceAccountName is not set"));
      });
    });
  }
  for (const sort of ["containers", "initContainers"] as const) {
    (spec[sort] ?? []).forEach(({ image }, index) => {
      checkImageSpaces(image, `spec.${sort}[${index}].image`, errors);
    });
  }
  return errors;
}
