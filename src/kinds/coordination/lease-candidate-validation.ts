// What a LeaseCandidate must look like.

import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from "../meta/semantic-version.ts";
import type { LeaseCandidate } from "./lease-candidate.ts";
import { checkStrategy } from "./lease-validation.ts";

export function validateLeaseCandidate({ spec }: LeaseCandidate): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.leaseName === "") errors.push(required("spec.leaseName"));
  const emulated = checkVersion(spec.emulationVersion ?? "", "spec.emulationVersion", errors);
  if (spec.binaryVersion === "") errors.push(required("spec.binaryVersion"));
  const binary = checkVersion(spec.binaryVersion, "spec.binaryVersion", errors);
  if (spec.binaryVersion !== "" && spec.emulationVersion && compareSemanticVersions(binary, emulated) < 0) {
    const detail = "must be greater than or equal to `emulationVersion`";
    errors.push(invalid("spec.binaryVersion", spec.binaryVersion, detail));
  }
  if (!spec.strategy) {
    errors.push(required("spec.strategy"));
    return errors;
  }
  if (spec.strategy === "OldestEmulationVersion" && compareSemanticVersions(emulated, NO_VERSION) === 0) {
    const detail = "must be specified when `strategy` is 'OldestEmulationVersion'";
    errors.push(required("spec.emulationVersion", detail));
  }
  checkStrategy(spec.strategy, "spec.strategy.strategy", errors);
  return errors;
}

export function validateLeaseCandidateUpdate(candidate: LeaseCandidate, old: LeaseCandidate): FieldError[] {
  const errors = validateLeaseCandidate(candidate);
  checkImmutable(candidate.spec.leaseName, old.spec.leaseName, "spec.leaseName", errors);
  return errors;
}

const NO_VERSION: SemanticVersion = { numbers: [0n, 0n, 0n], preRelease: [] };

/** What is not given, or cannot be read, counts as 0.0.0. */
function checkVersion(text: string, field: string, errors: FieldError[]): SemanticVersion {
  if (text === "") return NO_VERSION;
  const version = parseSemanticVersion(text);
  if (version === undefined) errors.push(invalid(field, text, "must be a valid semantic version"));
  return version ?? NO_VERSION;
}
