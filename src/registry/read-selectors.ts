// Selectors of a request or a review as requirements that authorizers look at.
// Requirements: document 2, "Access-review resources"; gate AuthorizeWithSelectors.

import { parseFieldSelector } from "../meta/field-selector.ts";
import { type LabelRequirement, parseLabelSelector } from "../meta/label-selector.ts";
import type { SelectorRequirement } from "./authorizer.ts";

export interface ReadSelector {
  readonly requirements: readonly SelectorRequirement[];
  /** What could not be read; the requirements that could are still good. */
  readonly error?: string;
}

export function readFieldSelector(text: string): ReadSelector {
  try {
    const { requirements } = parseFieldSelector(text);
    return {
      requirements: requirements.map(({ field, operator, value }) => ({
        key: field,
        operator: operator === "=" ? "In" : "NotIn",
        values: [value],
      })),
    };
  } catch (error) {
    return { requirements: [], error: (error as Error).message };
  }
}

export function readLabelSelector(text: string): ReadSelector {
  try {
    const requirements: SelectorRequirement[] = [];
    let error: string | undefined;
    for (const requirement of parseLabelSelector(text).requirements) {
      const operator = labelOperator(requirement);
      if (operator === undefined)
        error = `${JSON.stringify(requirement.operator)} is not a valid label selector operator`;
      else requirements.push({ key: requirement.key, operator, values: requirement.values });
    }
    return { requirements, ...(error === undefined ? {} : { error }) };
  } catch (error) {
    return { requirements: [], error: (error as Error).message };
  }
}

/** What a review lists as requirements; operators of later releases are left out. */
export function readRequirements(
  requirements: readonly {
    readonly key?: string;
    readonly operator?: string;
    readonly values?: readonly string[] | null;
  }[],
): ReadSelector {
  const known: SelectorRequirement[] = [];
  const problems: string[] = [];
  for (const { key = "", operator = "", values } of requirements) {
    if (isOperator(operator)) known.push({ key, operator, values: values ?? [] });
    else problems.push(`${JSON.stringify(operator)} is not a valid selector operator`);
  }
  return { requirements: known, ...(problems.length === 0 ? {} : { error: problems.join(", ") }) };
}

function isOperator(operator: string): operator is SelectorRequirement["operator"] {
  return operator === "In" || operator === "NotIn" || operator === "Exists" || operator === "DoesNotExist";
}

function labelOperator({ operator }: LabelRequirement): SelectorRequirement["operator"] | undefined {
  switch (operator) {
    case "=":
    case "==":
    case "in":
      return "In";
    case "!=":
    case "notin":
      return "NotIn";
    case "exists":
      return "Exists";
    case "!":
      return "DoesNotExist";
    default:
      return undefined;
  }
}
