// How labels and annotations must look, in objects and in the templates of objects. Pure.
// Requirements: document 1, "Object metadata".

import { keysInStep } from "../base/json-in-steps.ts";
import { atOnce, Pace, type Steps } from "../base/steps.ts";
import { type FieldError, invalid, tooLong } from "./field-error.ts";
import { labelKeyProblems, labelValueProblems, qualifiedNameProblems } from "./name-formats.ts";

const MAX_ANNOTATIONS_BYTES = 256 * 1024;
/** So many names are judged in one step. */
export const NAMES_PER_STEP = 500;

type Texts = Readonly<Record<string, string>> | null | undefined;

export function validateLabels(labels: Texts, field: string): FieldError[] {
  return atOnce(validateLabelsInSteps(labels, field));
}

export function validateAnnotations(annotations: Texts, field: string): FieldError[] {
  return atOnce(validateAnnotationsInSteps(annotations, field));
}

export function* validateLabelsInSteps(labels: Texts, field: string): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const pace = new Pace(NAMES_PER_STEP);
  for (const key of yield* keysInStep(labels ?? {})) {
    if (pace.due()) yield;
    const value = labels![key] ?? "";
    for (const problem of labelKeyProblems(key)) errors.push(invalid(field, key, problem));
    for (const problem of labelValueProblems(value)) errors.push(invalid(field, value, problem));
  }
  return errors;
}

export function* validateAnnotationsInSteps(annotations: Texts, field: string): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const pace = new Pace(NAMES_PER_STEP);
  let sizeBytes = 0;
  for (const key of yield* keysInStep(annotations ?? {})) {
    if (pace.due()) yield;
    // Upstream takes upper case in the prefix too.
    for (const problem of qualifiedNameProblems(key.toLowerCase())) errors.push(invalid(field, key, problem));
    sizeBytes += Buffer.byteLength(key) + Buffer.byteLength(annotations![key] ?? "");
  }
  if (sizeBytes > MAX_ANNOTATIONS_BYTES) errors.push(tooLong(field, MAX_ANNOTATIONS_BYTES));
  return errors;
}
