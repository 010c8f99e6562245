// What a PriorityClass must look like: names of the system are the system's.

import { type FieldError, forbiddenField } from "../../meta/field-error.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { checkWord } from "../meta/value-checks.ts";
import type { PriorityClass } from "./priority-class.ts";

const HIGHEST_USER_PRIORITY = 1_000_000_000;
const SYSTEM_PREFIX = "system-";
const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2 * HIGHEST_USER_PRIORITY + 1000],
  ["system-cluster-critical", 2 * HIGHEST_USER_PRIORITY],
]);

export function validatePriorityClass(priority: PriorityClass): FieldError[] {
  const errors: FieldError[] = [];
  const name = priority.metadata.name ?? "";
  if (name.startsWith(SYSTEM_PREFIX)) {
    const problem = systemProblem(name, priority);
    if (problem !== undefined) {
      const rule = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only`;
      errors.push(forbiddenField("metadata.name", `${rule}. error: ${problem}`));
    }
  } else if (priority.value > HIGHEST_USER_PRIORITY) {
    const detail = `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`;
    errors.push(forbiddenField("value", detail));
  }
  if (priority.preemptionPolicy !== undefined) {
    checkWord(errors, "preemptionPolicy", priority.preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  }
  return errors;
}

export function validatePriorityClassUpdate(priority: PriorityClass, old: PriorityClass): FieldError[] {
  const errors: FieldError[] = [];
  if (priority.value !== old.value) errors.push(forbiddenField("value", "may not be changed in an update."));
  checkImmutable(priority.preemptionPolicy, old.preemptionPolicy, "preemptionPolicy", errors);
  return errors;
}

function systemProblem(name: string, { value, globalDefault }: PriorityClass): string | undefined {
  const known = SYSTEM_CLASSES.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
