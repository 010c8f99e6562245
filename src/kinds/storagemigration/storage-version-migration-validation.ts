// What a StorageVersionMigration must look like, and how it may go on: it ends once, well or badly.

import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from "../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import { reasonProblems } from "../meta/condition-validation.ts";
import { addProblems, IMMUTABLE, NOT_NEGATIVE } from "../meta/value-checks.ts";
import type { MigrationCondition, StorageVersionMigration } from "./storage-version-migration.ts";

const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;
const STATUSES = ["False", "True", "Unknown"];

export function validateMigration({ spec: { resource } }: StorageVersionMigration): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["resource", "version"] as const) {
    if (!resource[field]) errors.push(required(`spec.resource.${field}`, `${field} is required`));
  }
  return errors;
}

export function validateMigrationUpdate(
  migration: StorageVersionMigration,
  old: StorageVersionMigration,
): FieldError[] {
  const errors = validateMigration(migration);
  for (const field of ["group", "version", "resource"] as const) {
    const [now = "", was = ""] = [migration.spec.resource[field], old.spec.resource[field]];
    if (now !== was) errors.push(invalid(field, now, IMMUTABLE));
  }
  return errors;
}

export function validateMigrationStatus(
  migration: StorageVersionMigration,
  old: StorageVersionMigration,
): FieldError[] {
  const { conditions = [], resourceVersion = "" } = migration.status;
  const errors: FieldError[] = [];
  checkResourceVersion(resourceVersion, errors);
  checkConditions(conditions, errors);
  if (old.status.resourceVersion && old.status.resourceVersion !== resourceVersion) {
    errors.push(invalid("status.resourceVersion", resourceVersion, IMMUTABLE));
  }
  const refuse = (detail: string) => errors.push(invalid("status.conditions", conditions, detail));
  const is = (type: string) => isTrue(migration, type);
  if (is("Succeeded") && is("Failed")) refuse("Both success and failed conditions cannot be true at the same time");
  if (is("Succeeded") && is("Running")) refuse("Running condition cannot be true when success condition is true");
  if (is("Failed") && is("Running")) refuse("Running condition cannot be true when failed condition is true");
  for (const [type, word] of [
    ["Succeeded", "Success"],
    ["Failed", "Failed"],
  ] as const) {
    if (isTrue(old, type) && !is(type)) refuse(`${word} condition cannot be set to false once it is true`);
  }
  return errors;
}

const isTrue = ({ status }: StorageVersionMigration, type: string): boolean =>
  (status.conditions ?? []).find((condition) => condition.type === type)?.status === "True";

const MAX_INT64 = 2n ** 63n - 1n;

function checkResourceVersion(text: string, errors: FieldError[]): void {
  if (text === "") return;
  const field = "status.resourceVersion";
  const parsing = `failed to parse resource version ${JSON.stringify(text)}: strconv.ParseInt: parsing ${JSON.stringify(text)}`;
  if (!/^[-+]?[0-9]{1,40}$/.test(text)) errors.push(invalid(field, text, `${parsing}: invalid syntax`));
  else if (BigInt(text) > MAX_INT64) errors.push(invalid(field, text, `${parsing}: value out of range`));
  else if (BigInt(text) < 0n) errors.push(invalid(field, BigInt(text), NOT_NEGATIVE));
}

function checkConditions(conditions: readonly MigrationCondition[], errors: FieldError[]): void {
  const seen = new Set<string>();
  conditions.forEach((condition, index) => {
    const at = `status.conditions[${index}]`;
    const { type, status, reason = "", message = "" } = condition;
    if (seen.has(type)) errors.push(duplicate(`${at}.type`, type));
    seen.add(type);
    addProblems(errors, `${at}.type`, type, qualifiedNameProblems(type));
    if (!STATUSES.includes(status)) errors.push(notSupported(`${at}.status`, status, STATUSES));
    // Upstream names the field of later versions.
    if (condition.lastUpdateTime === null) errors.push(required(`${at}.lastTransitionTime`));
    if (reason === "") errors.push(required(`${at}.reason`));
    else addProblems(errors, `${at}.reason`, reason, reasonProblems(reason));
    if (Buffer.byteLength(reason) > MAX_REASON_BYTES) errors.push(tooLong(`${at}.reason`, MAX_REASON_BYTES));
    if (Buffer.byteLength(message) > MAX_MESSAGE_BYTES) errors.push(tooLong(`${at}.message`, MAX_MESSAGE_BYTES));
  });
}
