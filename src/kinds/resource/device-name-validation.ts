// Names that devices, their drivers, pools and attributes have.

import { duplicate, type FieldError, invalid, required, tooLong, tooMany } from "../../meta/field-error.ts";
import { cIdentifierProblems, dns1123LabelProblems, dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { addProblems } from "../meta/value-checks.ts";

const MAX_DRIVER_BYTES = 63;
const MAX_POOL_BYTES = 253;
const MAX_ID_BYTES = 32;

/** The case of letters does not matter. */
export function checkDriver(name: string, field: string, errors: FieldError[]): void {
  if (name === "") errors.push(required(field));
  if (Buffer.byteLength(name) > MAX_DRIVER_BYTES) errors.push(tooLong(field, MAX_DRIVER_BYTES));
  addProblems(errors, field, name, dns1123SubdomainProblems(name.toLowerCase()));
}

export function checkPoolName(name: string, field: string, errors: FieldError[]): void {
  if (name === "") {
    errors.push(required(field));
    return;
  }
  if (Buffer.byteLength(name) > MAX_POOL_BYTES) errors.push(tooLong(field, MAX_POOL_BYTES));
  for (const part of name.split("/")) addProblems(errors, field, part, dns1123SubdomainProblems(part));
}

export function checkDeviceName(name: string, field: string, errors: FieldError[]): void {
  addProblems(errors, field, name, dns1123LabelProblems(name));
}

/** The name of an attribute or a capacity: an identifier, perhaps with the domain that says what it means. */
export function checkQualifiedName(name: string, field: string, errors: FieldError[]): void {
  if (name === "") {
    errors.push(required(field, "name required"));
    return;
  }
  const slash = name.indexOf("/");
  // What has several is judged nowhere.
  if (slash !== name.lastIndexOf("/")) return;
  if (slash === 0) errors.push(required(field, "the domain must not be empty"));
  else if (slash > 0) checkDriver(name.slice(0, slash), field, errors);
  const id = name.slice(slash + 1);
  if (id === "") {
    errors.push(required(field, "the name must not be empty"));
    return;
  }
  if (Buffer.byteLength(id) > MAX_ID_BYTES) errors.push(tooLong(field, MAX_ID_BYTES));
  addProblems(errors, field, id, cIdentifierProblems(id));
}

/** A key of a map in the path of a finding, its middle left out where it is too long. */
export function shortKey(key: string, maxChars: number): string {
  if (key.length <= maxChars) return key;
  const left = maxChars - ELLIPSIS.length;
  return `${key.slice(0, Math.ceil(left / 2))}${ELLIPSIS}${key.slice(key.length - Math.floor(left / 2))}`;
}

const ELLIPSIS = "...";

/** As a qualified name, and the domain must be there. */
export function checkFullyQualifiedName(name: string, field: string, errors: FieldError[]): void {
  checkQualifiedName(name, field, errors);
  if (name !== "" && !name.includes("/")) errors.push(invalid(field, name, "must include a domain"));
}

/** The names of the requests of a claim, and of their alternatives: `request/alternative`. */
export type RequestNames = ReadonlySet<string>;

const NO_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

export function checkRequestReference(name: string, field: string, known: RequestNames, errors: FieldError[]): void {
  const parts = name.split("/", 3);
  if (parts.length > 2) {
    errors.push(invalid(field, name, NO_REQUEST));
    return;
  }
  for (const part of parts) addProblems(errors, field, part, dns1123LabelProblems(part));
  if (!known.has(name)) errors.push(invalid(field, name, NO_REQUEST));
}

/** No more than so many items, each good, and none twice; `keyField` is what tells them apart. */
export function checkSet<T>(
  items: readonly T[] | undefined,
  field: string,
  max: number,
  keyOf: (item: T) => string,
  keyField: string,
  check: (item: T, at: string) => void,
  errors: FieldError[],
): void {
  const list = items ?? [];
  if (list.length > max) errors.push(tooMany(field, list.length, max));
  const seen = new Set<string>();
  list.forEach((item, index) => {
    const at = `${field}[${index}]`;
    check(item, at);
    const key = keyOf(item);
    if (seen.has(key)) errors.push(duplicate(`${at}${keyField}`, key));
    seen.add(key);
  });
}
