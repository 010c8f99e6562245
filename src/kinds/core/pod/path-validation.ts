// How paths inside volumes and profiles must look: relative, and never leading out of where they start.

import { type FieldError, invalid } from "../../../meta/field-error.ts";
import { checkRequired } from "../../meta/value-checks.ts";
import type { KeyToPath } from "../volumes/file-volumes.ts";

export function checkNoBacksteps(errors: FieldError[], field: string, path: string): void {
  if (hasBacksteps(path)) errors.push(invalid(field, path, "must not contain '..'"));
}

export const hasBacksteps = (path: string): boolean => path.includes("..") && path.split("/").includes("..");

/** A relative path below the place where it starts. */
export function checkDescendingPath(errors: FieldError[], field: string, path: string): void {
  if (path.startsWith("/")) errors.push(invalid(field, path, "must be a relative path"));
  checkNoBacksteps(errors, field, path);
}

/** As a descending path, and not one of the names that the kubelet keeps for itself (`..data`). */
export function checkFilePath(errors: FieldError[], field: string, path: string): void {
  checkDescendingPath(errors, field, path);
  if (path.startsWith("..") && !path.startsWith("../")) errors.push(invalid(field, path, "must not start with '..'"));
}

const MAX_FILE_MODE = 0o777;

export function checkFileMode(errors: FieldError[], field: string, mode: number | undefined): void {
  if (mode === undefined || (mode >= 0 && mode <= MAX_FILE_MODE)) return;
  errors.push(invalid(field, mode, "must be a number between 0 and 0777 (octal), both inclusive"));
}

export function checkKeyToPath({ key, path, mode }: KeyToPath, at: string, errors: FieldError[]): void {
  checkRequired(errors, `${at}.key`, key);
  checkRequired(errors, `${at}.path`, path);
  checkFilePath(errors, `${at}.path`, path);
  checkFileMode(errors, `${at}.mode`, mode);
}
