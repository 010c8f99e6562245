// What a role must look like. Requirements: document 2, "RBAC objects".

import { append } from "../../base/append.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { validateLabelSelector } from "../meta/selector-validation.ts";
import type { ClusterRole } from "./cluster-role.ts";
import type { PolicyRule } from "./policy-rule.ts";
import type { Role } from "./role.ts";

export function validateRole(role: Role): FieldError[] {
  return validateRules(role.rules, true);
}

export function validateClusterRole(role: ClusterRole): FieldError[] {
  const errors: FieldError[] = [];
  if (role.aggregationRule !== undefined && role.aggregationRule !== null) {
    const field = "aggregationRule.clusterRoleSelectors";
    const selectors = role.aggregationRule.clusterRoleSelectors ?? [];
    if (selectors.length === 0)
      errors.push(required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
    selectors.forEach((selector, index) => {
      const found = validateLabelSelector(selector, `${field}[${index}]`);
      append(errors, found);
      if (found.length > 0) errors.push(invalid(`${field}[${index}]`, null, "invalid label selector."));
    });
  }
  return [...errors, ...validateRules(role.rules, false)];
}

function validateRules(rules: readonly PolicyRule[] | null | undefined, namespaced: boolean): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => validateRule(rule, namespaced, `rules[${index}]`));
}

function validateRule(rule: PolicyRule, namespaced: boolean, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const count = (values: readonly string[] | null | undefined) => values?.length ?? 0;
  if (count(rule.verbs) === 0) errors.push(required(`${field}.verbs`, "verbs must contain at least one value"));
  if (count(rule.nonResourceURLs) > 0) {
    const bad = (detail: string) => errors.push(invalid(`${field}.nonResourceURLs`, rule.nonResourceURLs, detail));
    if (namespaced) bad("namespaced rules cannot apply to non-resource URLs");
    if (count(rule.apiGroups) > 0 || count(rule.resources) > 0 || count(rule.resourceNames) > 0) {
      bad("rules cannot apply to both regular resources and non-resource URLs");
    }
    return errors;
  }
  if (count(rule.apiGroups) === 0)
    errors.push(required(`${field}.apiGroups`, "resource rules must supply at least one api group"));
  if (count(rule.resources) === 0)
    errors.push(required(`${field}.resources`, "resource rules must supply at least one resource"));
  return errors;
}
