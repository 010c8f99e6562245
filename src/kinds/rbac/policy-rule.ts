// What a role allows.

import { flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { type ObjectOf, opt, s } from "../../schema/builder.ts";
import { checkFields, fieldErrors } from "../../schema/check-fields.ts";

type PolicyRule = ObjectOf<typeof policyRule>;

export const policyRule = s.struct(
  "rbac.v1.PolicyRule",
  "Verbs that are allowed, either on resources or on paths outside of them.",
  () => ({
    verbs: s.atomic(
      "string",
      1,
      'The allowed verbs, such as get, list, watch, create, update, patch, delete; "*" means all.',
      { must: { filled: "verbs must contain at least one value" } },
    ),
    apiGroups: opt.atomic(
      "string",
      2,
      'The API groups of the resources: an empty string is the core group, "*" means all.',
      { must: { filled: "resource rules must supply at least one api group" } },
    ),
    resources: opt.atomic(
      "string",
      3,
      'The resources: "*" means all, "pods/log" a sub-resource, "*/scale" that sub-resource of all.',
      { must: { filled: "resource rules must supply at least one resource" } },
    ),
    resourceNames: opt.atomic(
      "string",
      4,
      "Only objects of these names; empty means all. Creating and plain listing cannot be limited by name.",
    ),
    nonResourceURLs: opt.atomic(
      "string",
      5,
      'Paths outside of resources; a "*" at the end covers all below. Works only when a cluster role binding grants it.',
    ),
  }),
);

/** So many rules are judged in one step. */
const RULES_PER_STEP = 250;

export function validateRules(
  rules: readonly PolicyRule[] | null | undefined,
  namespaced: boolean,
): Steps<FieldError[]> {
  return flatMapInSteps(rules ?? [], new Pace(RULES_PER_STEP), (rule, index) =>
    validateRule(rule, namespaced, `rules[${index}]`),
  );
}

function validateRule(rule: PolicyRule, namespaced: boolean, field: string): FieldError[] {
  const errors = fieldErrors(rule, policyRule, field, ["verbs"]);
  const count = (values: readonly string[] | null | undefined) => values?.length ?? 0;
  if (count(rule.nonResourceURLs) > 0) {
    const bad = (detail: string) => errors.push(invalid(`${field}.nonResourceURLs`, rule.nonResourceURLs, detail));
    if (namespaced) bad("namespaced rules cannot apply to non-resource URLs");
    if (count(rule.apiGroups) > 0 || count(rule.resources) > 0 || count(rule.resourceNames) > 0) {
      bad("rules cannot apply to both regular resources and non-resource URLs");
    }
    return errors;
  }
  checkFields(rule, policyRule, field, errors, ["apiGroups", "resources"]);
  return errors;
}
