// Is a selector in an object well-formed? In upstream's words.

import { append } from "../../base/append.ts";
import { keysInStep } from "../../base/json-in-steps.ts";
import { atOnce, flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
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

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>> | null;
  readonly matchExpressions?: readonly Requirement[] | null;
}

export function validateLabelSelector(selector: Selector, field: string, rules: SelectorRules = {}): FieldError[] {
  return atOnce(validateLabelSelectorInSteps(selector, field, new Pace(Number.POSITIVE_INFINITY), rules));
}

/** The same for kinds that are judged in steps: labels, expressions and their values are parts of the pace. */
export function* validateLabelSelectorInSteps(
  { matchLabels, matchExpressions }: Selector,
  field: string,
  pace: Pace,
  rules: SelectorRules = {},
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  for (const key of matchLabels ? yield* keysInStep(matchLabels) : []) {
    if (pace.due()) yield;
    const value = matchLabels![key]!;
    for (const problem of labelKeyProblems(key)) errors.push(invalid(`${field}.matchLabels`, key, problem));
    for (const problem of labelValueProblems(value)) errors.push(invalid(`${field}.matchLabels`, value, problem));
  }
  const ofExpressions = flatMapInSteps(matchExpressions ?? [], pace, (requirement, index) =>
    requirementFindings(requirement, `${field}.matchExpressions[${index}]`, pace, rules),
  );
  append(errors, yield* ofExpressions);
  return errors;
}

export function validateLabelRequirement(
  requirement: Requirement,
  field: string,
  rules: SelectorRules = {},
): FieldError[] {
  return atOnce(requirementFindings(requirement, field, new Pace(Number.POSITIVE_INFINITY), rules));
}

function* requirementFindings(
  requirement: Requirement,
  field: string,
  pace: Pace,
  rules: SelectorRules,
): Steps<FieldError[]> {
  const { key = "", values } = requirement;
  const errors = validateOperator(requirement, field, rules);
  for (const problem of labelKeyProblems(key)) errors.push(invalid(`${field}.key`, key, problem));
  if (rules.anyValues || !values?.length) return errors;
  const ofValues = flatMapInSteps(values, pace, (value, index) =>
    labelValueProblems(value).map((problem) => invalid(`${field}.values[${index}]`, value, problem)),
  );
  append(errors, yield* ofValues);
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
