// Parameters for a driver, which nobody else reads: only their number and size are limited.

import { type FieldError, invalid, required, tooLong } from "../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import { addProblems } from "../meta/value-checks.ts";

const MAX_PARAMETERS = 512;
const MAX_PARAMETERS_BYTES = 256 * 1024;

export function checkParameters(
  parameters: Readonly<Record<string, string>> | undefined,
  mayBeEmpty: boolean,
  errors: FieldError[],
): void {
  const field = "parameters";
  const entries = Object.entries(parameters ?? {});
  if (entries.length > MAX_PARAMETERS) errors.push(tooLong(field, MAX_PARAMETERS));
  let sizeBytes = 0;
  for (const [key, value] of entries) {
    if (key === "") errors.push(invalid(field, key, "field can not be empty."));
    sizeBytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (sizeBytes > MAX_PARAMETERS_BYTES) errors.push(tooLong(field, MAX_PARAMETERS_BYTES));
  if (!mayBeEmpty && entries.length === 0) errors.push(required(field, "must contain at least one key/value pair"));
}

export function checkProvisioner(name: string, field: string, errors: FieldError[]): void {
  if (name === "") errors.push(required(field));
  // Upstream shows it in lower case.
  else addProblems(errors, field, name.toLowerCase(), qualifiedNameProblems(name.toLowerCase()));
}
