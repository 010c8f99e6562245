// Controller revisions: a snapshot is an object, and never changes.

import { equalJson, isObject } from "../../base/json.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { checkNotNegative, IMMUTABLE } from "../meta/value-checks.ts";
import type { ControllerRevision } from "./controller-revision.ts";

export function validateControllerRevision({ data, revision }: ControllerRevision): FieldError[] {
  const errors: FieldError[] = [];
  checkNotNegative(errors, "revision", revision);
  if (data === undefined || data === null) errors.push(required("data", "data is mandatory"));
  else if (!isObject(data)) errors.push(required("data", "data must be a valid JSON object"));
  return errors;
}

export function validateControllerRevisionUpdate(next: ControllerRevision, old: ControllerRevision): FieldError[] {
  const errors: FieldError[] = [];
  checkNotNegative(errors, "revision", next.revision);
  if (!equalJson(next.data ?? undefined, old.data ?? undefined))
    errors.push(invalid("data", next.data ?? null, IMMUTABLE));
  return errors;
}
