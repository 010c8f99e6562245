// Is a selector in an object well-formed? In upstream's words.

import { append } from "../../base/append.ts";
import { type FieldError, forbiddenField, invalid, required } from "../../meta/field-error.ts";
import { labelKeyProblems, labelValueProblems } from "../../meta/name-formats.ts";

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[] | null;
}

export interface SelectorRules {
  /** Operators that this release does not know are for others to judge. */
  readonly allowUnknownOperators?: boolean;
  /** Values of expressions are not judged: the stored object already has bad ones. */
  readonly anyValues?: boolean;
}

export function validateLabelSelector(
  selector: {
    readonly matchLabels?: Readonly<Record<string, string>> | null;
    readonly matchExpressions?: readonly Requirement[] | null;
  },
  field: string,
  rules: SelectorRules = {},
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    for (const problem of labelKeyProblems(key)) errors.push(invalid(`${field}.matchLabels`, key, problem));
    for (const problem of labelValueProblems(value)) errors.push(invalid(`${field}.matchLabels`, value, problem));
  }
  (selector.matchExpressions ?? []).forEach((requirement, index) => {
    append(errors, validateLabelRequirement(requirement, `${field}.matchExpressions[${index}]`, rules));
  });
  return errors;
}

export function validateLabelRequirement(
  requirement: Requirement,
  field: string,
  rules: SelectorRules = {},
): FieldError[] {
  const { key = "", values } = requirement;
  const errors = validateOperator(requirement, field, rules);
  for (const problem of labelKeyProblems(key)) errors.push(invalid(`${field}.key`, key, problem));
  if (rules.anyValues) return errors;
  (values ?? []).forEach((value, index) => {
    for (const problem of labelValueProblems(value)) errors.push(invalid(`${field}.values[${index}]`, value, problem));
  });
  return errors;
}

export function validateFieldRequirement(
  requirement: Requirement,
  field: string,
  rules: SelectorRules = {},
): FieldError[] {
  const missingKey = (requirement.key ?? "") === "" ? [required(`${field}.key`, "must be specified")] : [];
  return [...missingKey, ...validateOperator(requirement, field, rules)];
}

function validateOperator(
  { operator = "", values }: Requirement,
  field: string,
  { allowUnknownOperators }: SelectorRules,
): FieldError[] {
  const count = (values ?? []).length;
  switch (operator) {
    case "In":
    case "NotIn":
      return count > 0 ? [] : [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return count === 0
        ? []
        : [forbiddenField(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return allowUnknownOperators ? [] : [invalid(`${field}.operator`, operator, "not a valid selector operator")];
  }
}
