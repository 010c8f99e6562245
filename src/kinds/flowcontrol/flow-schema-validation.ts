// What a FlowSchema must look like.

import { equalJson } from "../../base/json.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { internalForm } from "../meta/internal-form.ts";
import { addProblems } from "../meta/value-checks.ts";
import { checkFlowRule } from "./flow-rule-validation.ts";
import { type FlowSchema, type FlowSchemaSpec, flowSchemaSpec } from "./flow-schema-schema.ts";
import { EXEMPT, MANDATORY_SCHEMAS } from "./mandatory.ts";

const MAX_PRECEDENCE = 10_000;
const METHODS = ["ByNamespace", "ByUser"];

export function validateFlowSchema({ metadata, spec, status }: FlowSchema): FieldError[] {
  const errors: FieldError[] = [];
  const name = metadata.name ?? "";
  checkSpec(spec, name, errors);
  const fixed = MANDATORY_SCHEMAS.get(name);
  if (fixed !== undefined && !equalJson(spec, fixed)) {
    const detail = `spec of '${name}' must equal the fixed value`;
    errors.push(invalid("spec", internalForm(spec, flowSchemaSpec), detail));
  }
  checkConditionTypes(status.conditions ?? [], errors);
  return errors;
}

/** One condition of each type. */
export function checkConditionTypes(conditions: readonly { readonly type?: string }[], errors: FieldError[]): void {
  const seen = new Set<string>();
  conditions.forEach(({ type = "" }, index) => {
    const field = `status.conditions[${index}].type`;
    if (seen.has(type)) errors.push(duplicate(field, type));
    seen.add(type);
    if (type === "") errors.push(required(field));
  });
}

function checkSpec(spec: FlowSchemaSpec, name: string, errors: FieldError[]): void {
  const field = "spec.matchingPrecedence";
  const precedence = spec.matchingPrecedence;
  if (precedence <= 0) errors.push(invalid(field, precedence, "must be a positive value"));
  if (precedence > MAX_PRECEDENCE) {
    errors.push(invalid(field, precedence, `must not be greater than ${MAX_PRECEDENCE}`));
  }
  if (precedence === 1 && name !== EXEMPT) {
    errors.push(invalid(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  }
  const method = spec.distinguisherMethod?.type;
  if (method !== undefined && !METHODS.includes(method)) {
    errors.push(notSupported("spec.distinguisherMethod.type", method, METHODS));
  }
  const level = spec.priorityLevelConfiguration.name;
  const levelField = "spec.priorityLevelConfiguration.name";
  if (level === "") errors.push(required(levelField, "must reference a priority level"));
  else addProblems(errors, levelField, level, dns1123SubdomainProblems(level));
  (spec.rules ?? []).forEach((rule, index) => {
    checkFlowRule(rule, `spec.rules[${index}]`, errors);
  });
}
