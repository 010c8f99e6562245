// What a ResourceClaim and its template must look like: what is asked for never changes.

import { equalJson } from "../../base/json.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { validateAnnotations, validateLabels } from "../../meta/metadata-validation.ts";
import type { HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { IMMUTABLE } from "../meta/value-checks.ts";
import { validateDeviceClaim } from "./device-claim-validation.ts";
import type { ResourceClaim } from "./resource-claim-schema.ts";
import { resourceClaimSpec } from "./resource-claim-spec.ts";
import { type ResourceClaimTemplate, resourceClaimTemplateSpec } from "./resource-claim-template.ts";

export const validateResourceClaim = ({ spec }: ResourceClaim, context: HookContext): FieldError[] =>
  validateDeviceClaim(spec, "spec", { ...context, isStored: false });

export function validateResourceClaimUpdate(
  { spec }: ResourceClaim,
  old: ResourceClaim,
  context: HookContext,
): FieldError[] {
  const changed = !equalJson(spec, old.spec);
  const wrong = changed ? [invalid("spec", internalForm(spec, resourceClaimSpec), IMMUTABLE)] : [];
  return [...wrong, ...validateDeviceClaim(spec, "spec", { ...context, isStored: true })];
}

export const validateClaimTemplate = (template: ResourceClaimTemplate, context: HookContext): FieldError[] =>
  validateTemplate(template, false, context);

export function validateClaimTemplateUpdate(
  template: ResourceClaimTemplate,
  old: ResourceClaimTemplate,
  context: HookContext,
): FieldError[] {
  const changed = !equalJson(template.spec, old.spec);
  const wrong = changed ? [invalid("spec", internalForm(template.spec, resourceClaimTemplateSpec), IMMUTABLE)] : [];
  return [...wrong, ...validateTemplate(template, true, context)];
}

function validateTemplate({ spec }: ResourceClaimTemplate, isStored: boolean, context: HookContext): FieldError[] {
  return [
    ...validateAnnotations(spec.metadata.annotations, "spec.metadata.annotations"),
    ...validateLabels(spec.metadata.labels, "spec.metadata.labels"),
    ...validateDeviceClaim(spec.spec, "spec.spec", { ...context, isStored }),
  ];
}
