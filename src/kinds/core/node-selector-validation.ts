// Selectors over the labels and fields of nodes, in pods and volumes.

import { type FieldError, forbiddenField, invalid, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, labelKeyProblems, labelValueProblems } from "../../meta/name-formats.ts";
import { addProblems } from "../meta/value-checks.ts";
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from "./node-selector.ts";

interface NodeSelectorRules {
  /** Values are not judged: preferences never were, and stored objects may have bad ones. */
  readonly anyValues?: boolean;
}

export function validateNodeSelector(
  { nodeSelectorTerms }: NodeSelector,
  at: string,
  rules: NodeSelectorRules = {},
): FieldError[] {
  const field = `${at}.nodeSelectorTerms`;
  const terms = nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(field, "must have at least one node selector term")];
  return terms.flatMap((term, index) => validateNodeSelectorTerm(term, `${field}[${index}]`, rules));
}

export function validateNodeSelectorTerm(
  { matchExpressions, matchFields }: NodeSelectorTerm,
  at: string,
  rules: NodeSelectorRules = {},
): FieldError[] {
  const errors: FieldError[] = [];
  (matchExpressions ?? []).forEach((requirement, index) => {
    checkExpression(requirement, `${at}.matchExpressions[${index}]`, rules, errors);
  });
  (matchFields ?? []).forEach((requirement, index) => {
    checkField(requirement, `${at}.matchFields[${index}]`, errors);
  });
  return errors;
}

function checkExpression(
  { key, operator, values }: NodeSelectorRequirement,
  at: string,
  { anyValues }: NodeSelectorRules,
  errors: FieldError[],
): void {
  const count = values?.length ?? 0;
  switch (operator) {
    case "In":
    case "NotIn":
      if (count === 0) errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist": {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      if (count > 0) errors.push(forbiddenField(`${at}.values`, detail));
      break;
    }
    case "Gt":
    case "Lt": {
      const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
      if (count !== 1) errors.push(required(`${at}.values`, detail));
      break;
    }
    default:
      errors.push(invalid(`${at}.operator`, operator, "not a valid selector operator"));
  }
  addProblems(errors, `${at}.key`, key, labelKeyProblems(key));
  if (anyValues) return;
  (values ?? []).forEach((value, index) => {
    addProblems(errors, `${at}.values[${index}]`, value, labelValueProblems(value));
  });
}

function checkField({ key, operator, values }: NodeSelectorRequirement, at: string, errors: FieldError[]): void {
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(invalid(`${at}.operator`, operator, "not a valid selector operator"));
  } else if (values?.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${at}.values`, detail));
  }
  if (key !== "metadata.name") {
    errors.push(invalid(`${at}.key`, key, "not a valid field selector key"));
    return;
  }
  (values ?? []).forEach((value, index) => {
    addProblems(errors, `${at}.values[${index}]`, value, dns1123SubdomainProblems(value));
  });
}
