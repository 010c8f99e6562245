// The template of a claim inside a pod's ephemeral volume: a spec, and of metadata only labels and annotations.

import type { FieldError } from "../../../meta/field-error.ts";
import { checkTemplateMetadata } from "../../meta/value-checks.ts";
import type { PersistentVolumeClaimTemplate } from "../volumes/claim-volumes.ts";
import { validateClaimSpec } from "./spec-validation.ts";

export function validateClaimTemplate({ metadata, spec }: PersistentVolumeClaimTemplate, at: string): FieldError[] {
  const errors: FieldError[] = [];
  checkTemplateMetadata(metadata, `${at}.metadata`, errors);
  return [...errors, ...validateClaimSpec(spec, `${at}.spec`)];
}
