// Does a rule allow a request? Pure. Requirements: document 2, "RBAC objects".

import { ANY, type Rule } from "../../meta/access-rule.ts";
import type { Attributes } from "../../registry/authorizer.ts";
import { pathCovers } from "../path-pattern.ts";

export function ruleAllows(rule: Rule, { verb, resource, path = "" }: Attributes): boolean {
  if (!verbMatches(rule, verb)) return false;
  if (resource === undefined) return pathMatches(rule, path);
  return (
    groupMatches(rule, resource.group) &&
    resourceMatches(rule, resource.resource, resource.subresource) &&
    nameMatches(rule, resource.name)
  );
}

/** So many short rules are tried in half a millisecond. */
export const RULES_PER_STEP = 4_000;

/** As how many short rules one counts, by the words that may have to be compared. */
export function weightOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): number {
  const words = verbs.length + apiGroups.length + resources.length + resourceNames.length + nonResourceURLs.length;
  return 1 + (words >> 4);
}

export function verbMatches({ verbs }: Rule, verb: string): boolean {
  return verbs.includes(ANY) || verbs.includes(verb);
}

export function groupMatches({ apiGroups }: Rule, group: string): boolean {
  return apiGroups.includes(ANY) || apiGroups.includes(group);
}

/** `pods` is not `pods/log`; `*` is everything; a star before the slash stands for every resource, one behind it for nothing. */
export function resourceMatches({ resources }: Rule, resource: string, subresource: string): boolean {
  if (subresource === "") return resources.includes(resource) || resources.includes(ANY);
  return resources.some(
    (one) => one === ANY || one === `${resource}/${subresource}` || one === `${ANY}/${subresource}`,
  );
}

/** A request without a name (create, deletecollection, an unrestricted list) is never allowed by a rule with names. */
export function nameMatches({ resourceNames }: Rule, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

export function pathMatches({ nonResourceURLs }: Rule, path: string): boolean {
  return nonResourceURLs.some((pattern) => pathCovers(pattern, path));
}
