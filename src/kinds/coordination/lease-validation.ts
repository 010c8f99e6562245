// What a Lease must look like.

import { type FieldError, forbiddenField, invalid, notSupported } from "../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import { addProblems, checkNotNegative } from "../meta/value-checks.ts";
import type { Lease } from "./lease.ts";

export function validateLease({ spec }: Lease): FieldError[] {
  const errors: FieldError[] = [];
  const seconds = spec.leaseDurationSeconds;
  if (seconds !== undefined && seconds <= 0) {
    errors.push(invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"));
  }
  checkNotNegative(errors, "spec.leaseTransitions", spec.leaseTransitions);
  if (spec.strategy !== undefined) checkStrategy(spec.strategy, "spec.strategy.strategy", errors);
  if (spec.preferredHolder && !spec.strategy) {
    errors.push(forbiddenField("spec.preferredHolder", "may only be specified if `strategy` is defined"));
  }
  return errors;
}

const STRATEGIES = ["OldestEmulationVersion"];

/** A strategy without a domain is one of ours. */
export function checkStrategy(strategy: string, field: string, errors: FieldError[]): void {
  if (strategy.includes("/")) addProblems(errors, field, strategy, qualifiedNameProblems(strategy));
  else if (!STRATEGIES.includes(strategy)) errors.push(notSupported(field, strategy, STRATEGIES));
}
