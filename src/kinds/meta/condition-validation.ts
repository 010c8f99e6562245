// Are the conditions in a status well-formed? In upstream's words.

import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from "../../meta/field-error.ts";
import { patternMessage, qualifiedNameProblems } from "../../meta/name-formats.ts";
import type { Condition } from "./condition.ts";
import { addProblems } from "./value-checks.ts";

const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;

export function validateConditions(conditions: readonly Condition[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  conditions.forEach((condition, index) => {
    const at = `${field}[${index}]`;
    if (seen.has(condition.type)) errors.push(duplicate(`${at}.type`, condition.type));
    seen.add(condition.type);
    checkCondition(condition, at, errors);
  });
  return errors;
}

const STATUSES = ["False", "True", "Unknown"];

function checkCondition(condition: Condition, at: string, errors: FieldError[]): void {
  const { type, status, reason = "", message = "" } = condition;
  if (type === "") errors.push(required(`${at}.type`));
  else addProblems(errors, `${at}.type`, type, qualifiedNameProblems(type));
  if (!STATUSES.includes(status)) errors.push(notSupported(`${at}.status`, status, STATUSES));
  if (Number(condition.observedGeneration ?? 0) < 0) {
    const detail = "must be greater than or equal to zero";
    errors.push(invalid(`${at}.observedGeneration`, condition.observedGeneration, detail));
  }
  if ((condition.lastTransitionTime ?? null) === null) errors.push(required(`${at}.lastTransitionTime`));
  if (reason === "") errors.push(required(`${at}.reason`));
  else {
    addProblems(errors, `${at}.reason`, reason, reasonProblems(reason));
    if (Buffer.byteLength(reason) > MAX_REASON_BYTES) errors.push(tooLong(`${at}.reason`, MAX_REASON_BYTES));
  }
  if (Buffer.byteLength(message) > MAX_MESSAGE_BYTES) errors.push(tooLong(`${at}.message`, MAX_MESSAGE_BYTES));
}

export function reasonProblems(reason: string): string[] {
  if (/^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason)) return [];
  return [
    patternMessage(
      "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
      "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
      "my_name",
      "MY_NAME",
      "MyName",
      "ReasonA,ReasonB",
      "ReasonA:ReasonB",
    ),
  ];
}
