// The template of a claim inside a pod's ephemeral volume: a spec, and of metadata only labels and annotations.

import { type FieldError, forbiddenField } from "../../../meta/field-error.ts";
import { validateAnnotations, validateLabels } from "../../../meta/metadata-validation.ts";
import type { PersistentVolumeClaimTemplate } from "../volumes/claim-volumes.ts";
import { validateClaimSpec } from "./spec-validation.ts";

export function validateClaimTemplate({ metadata, spec }: PersistentVolumeClaimTemplate, at: string): FieldError[] {
  const errors = [
    ...validateAnnotations(metadata.annotations, `${at}.metadata.annotations`),
    ...validateLabels(metadata.labels, `${at}.metadata.labels`),
  ];
  for (const [key, value] of Object.entries(metadata)) {
    if (key === "annotations" || key === "labels" || value === undefined || value === null) continue;
    errors.push(forbiddenField(`${at}.metadata.${key}`, "cannot be set"));
  }
  return [...errors, ...validateClaimSpec(spec, `${at}.spec`)];
}
