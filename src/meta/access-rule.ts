// A rule of a role in the form that evaluation works on: every list is there, empty where the object has none.

import type { ApiObject } from "./object.ts";

export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export const ANY = "*";

export function makeRule(parts: { readonly [K in keyof Rule]?: readonly string[] | null | undefined }): Rule {
  return {
    verbs: parts.verbs ?? [],
    apiGroups: parts.apiGroups ?? [],
    resources: parts.resources ?? [],
    resourceNames: parts.resourceNames ?? [],
    nonResourceURLs: parts.nonResourceURLs ?? [],
  };
}

/** The rules of a Role or ClusterRole as it is stored or sent. */
export function rulesOf(role: ApiObject): readonly Rule[] {
  const rules = role["rules"];
  return Array.isArray(rules) ? rules.map((rule: object | null) => makeRule(rule ?? {})) : [];
}

/** A rule as an object writes it: without empty lists, in upstream's order of fields. */
export function ruleObject({
  verbs,
  apiGroups,
  resources,
  resourceNames,
  nonResourceURLs,
}: Rule): Record<string, string[]> {
  return {
    verbs: [...verbs],
    ...(apiGroups.length === 0 ? {} : { apiGroups: [...apiGroups] }),
    ...(resources.length === 0 ? {} : { resources: [...resources] }),
    ...(resourceNames.length === 0 ? {} : { resourceNames: [...resourceNames] }),
    ...(nonResourceURLs.length === 0 ? {} : { nonResourceURLs: [...nonResourceURLs] }),
  };
}

/** Everything: what cluster-admin holds. */
export const FULL_AUTHORITY: readonly Rule[] = [
  makeRule({ verbs: [ANY], apiGroups: [ANY], resources: [ANY] }),
  makeRule({ verbs: [ANY], nonResourceURLs: [ANY] }),
];
