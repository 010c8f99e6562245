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

/** What a review lists of labels; operators of later releases are left out. */
export function readLabelRequirements(requirements: readonly ListedRequirement[]): ReadSelector {
  return readListed(requirements, ({ operator = "" }) =>
    isOperator(operator) ? undefined : `${JSON.stringify(operator)} is not a valid label selector operator`,
  );
}

/** What a review lists of fields: as much of it as the query of a request could say, which has neither lists nor existence. */
export function readFieldRequirements(requirements: readonly ListedRequirement[]): ReadSelector {
  return readListed(requirements, ({ operator = "", values }) => {
    if (!isOperator(operator)) return `${JSON.stringify(operator)} is not a valid field selector operator`;
    if (operator !== "In" && operator !== "NotIn") return `field selectors do not yet support ${operator}`;
    return values?.length === 1 ? undefined : "field selectors do not yet support multiple values";
  });
}

interface ListedRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[] | null;
}

function readListed(
  requirements: readonly ListedRequirement[],
  problemOf: (requirement: ListedRequirement) => string | undefined,
): ReadSelector {
  const known: SelectorRequirement[] = [];
  const problems: string[] = [];
  for (const requirement of requirements) {
    const problem = problemOf(requirement);
    const { key = "", operator, values } = requirement;
    if (problem !== undefined) problems.push(problem);
    else known.push({ key, operator: operator as SelectorRequirement["operator"], values: values ?? [] });
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
