// Are the rules that say which requests concern a webhook or a policy well-formed? In upstream's words.

import { append } from "../../base/append.ts";
import { flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { fieldErrors } from "../../schema/check-fields.ts";
import type { LabelSelector } from "../meta/label-selector.ts";
import { validateLabelSelectorInSteps } from "../meta/selector-validation.ts";
import { type NamedRuleWithOperations, namedRuleWithOperations } from "./match-resources.ts";
import { type RuleWithOperations, ruleWithOperations } from "./webhook-schema.ts";

const MATCH_POLICIES = ["Equivalent", "Exact"];
export const FAILURE_POLICIES = ["Fail", "Ignore"];

export interface Matching {
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchPolicy?: string;
  readonly resourceRules?: readonly NamedRuleWithOperations[];
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[];
}

/** So many rules, conditions, expressions and terms of selectors are judged in one step. */
const JUDGED_PER_STEP = 60;

/** The pace at which all of an object is judged. */
export const judgingPace = (): Pace => new Pace(JUDGED_PER_STEP);

export function* matchResourcesErrors(match: Matching, path: string, pace: Pace): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const { matchPolicy, namespaceSelector, objectSelector } = match;
  if (matchPolicy == null) errors.push(required(`${path}.matchPolicy`));
  else if (!MATCH_POLICIES.includes(matchPolicy))
    errors.push(notSupported(`${path}.matchPolicy`, matchPolicy, MATCH_POLICIES));
  if (namespaceSelector == null) errors.push(required(`${path}.namespaceSelector`));
  else append(errors, yield* validateLabelSelectorInSteps(namespaceSelector, `${path}.namespaceSelector`, pace));
  if (objectSelector == null) errors.push(required(`${path}.objectSelector`));
  else append(errors, yield* validateLabelSelectorInSteps(objectSelector, `${path}.objectSelector`, pace));
  for (const list of ["resourceRules", "excludeResourceRules"] as const) {
    const ofRules = flatMapInSteps(match[list] ?? [], pace, (rule, index) =>
      namedRuleErrors(rule, `${path}.${list}[${index}]`),
    );
    append(errors, yield* ofRules);
  }
  return errors;
}

function namedRuleErrors(rule: NamedRuleWithOperations, path: string): FieldError[] {
  return [...fieldErrors(rule, namedRuleWithOperations, path, ["resourceNames"]), ...ruleErrors(rule, path)];
}

export function ruleErrors(rule: RuleWithOperations, path: string): FieldError[] {
  return [
    ...fieldErrors(rule, ruleWithOperations, path, ["operations", "apiGroups", "apiVersions"]),
    ...resourceErrors(rule.resources ?? [], `${path}.resources`),
    ...fieldErrors(rule, ruleWithOperations, path, ["scope"]),
  ];
}

function resourceErrors(resources: readonly string[], path: string): FieldError[] {
  if (resources.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const anySubresourceOf = new Set<string>();
  const subresourceOfAny = new Set<string>();
  let plain = false;
  resources.forEach((text, index) => {
    const at = `${path}[${index}]`;
    if (text === "") {
      errors.push(required(at));
      return;
    }
    const slash = text.indexOf("/");
    if (slash < 0) {
      plain = text !== "*";
      return;
    }
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)];
    if (anySubresourceOf.has(resource))
      errors.push(invalid(at, text, `if '${resource}/*' is present, must not specify ${text}`));
    if (subresourceOfAny.has(subresource))
      errors.push(invalid(at, text, `if '*/${subresource}' is present, must not specify ${text}`));
    if (subresource === "*") anySubresourceOf.add(resource);
    if (resource === "*") subresourceOfAny.add(subresource);
  });
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes("*") && plain) {
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  }
  return errors;
}
