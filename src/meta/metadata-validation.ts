// How labels and annotations must look, in objects and in the templates of objects. Pure.
// Requirements: document 1, "Object metadata".

import { type FieldError, invalid, tooLong } from "./field-error.ts";
import { labelKeyProblems, labelValueProblems, qualifiedNameProblems } from "./name-formats.ts";

const MAX_ANNOTATIONS_BYTES = 256 * 1024;

export function validateLabels(labels: Record<string, string> | null | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key in labels) {
    const value = labels[key] ?? "";
    for (const problem of labelKeyProblems(key)) errors.push(invalid(field, key, problem));
    for (const problem of labelValueProblems(value)) errors.push(invalid(field, value, problem));
  }
  return errors;
}

export function validateAnnotations(
  annotations: Record<string, string> | null | undefined,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  let sizeBytes = 0;
  for (const key in annotations) {
    // Upstream takes upper case in the prefix too.
    for (const problem of qualifiedNameProblems(key.toLowerCase())) errors.push(invalid(field, key, problem));
    sizeBytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? "");
  }
  if (sizeBytes > MAX_ANNOTATIONS_BYTES) errors.push(tooLong(field, MAX_ANNOTATIONS_BYTES));
  return errors;
}
