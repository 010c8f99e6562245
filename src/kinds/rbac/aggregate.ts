// The rules of a ClusterRole that collects those of others, found by their labels. Pure.
// Requirements: document 2, "RBAC objects", rules 6 and 7.

import { equalJsonInSteps } from "../../base/json-in-steps.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import { makeRule, ruleObject } from "../../meta/access-rule.ts";
import { type LabelSelectorObject, SelectorSyntaxError, selectorFromObject } from "../../meta/label-selector.ts";
import type { ApiObject } from "../../meta/object.ts";

export function collectsRules(role: ApiObject): boolean {
  return role["aggregationRule"] !== undefined && role["aggregationRule"] !== null;
}

/** Whether the role takes the rules of the other. */
export function isCollected(role: ApiObject, other: ApiObject): boolean {
  return other.metadata.name !== role.metadata.name && selectorsOf(role).some((selector) => matcher(selector)(other));
}

/** What the role collects from. */
export function selectorsOf(role: ApiObject): readonly LabelSelectorObject[] {
  const aggregation = role["aggregationRule"] as
    | { clusterRoleSelectors?: LabelSelectorObject[] | null }
    | null
    | undefined;
  return aggregation?.clusterRoleSelectors ?? [];
}

/** What `rules` of the role should be; undefined when they are that already. */
export function* aggregatedRules(role: ApiObject, all: readonly ApiObject[]): Steps<unknown[] | undefined> {
  // By what they say: many roles have rules in common.
  const rules = new Map<string, unknown>();
  const pace = new Pace(RULES_PER_STEP);
  const byName = [...all].sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  for (const selectorObject of selectorsOf(role)) {
    const matches = matcher(selectorObject);
    for (const other of byName) {
      if (pace.due()) yield;
      if (other.metadata.name === role.metadata.name || !matches(other)) continue;
      for (const rule of (other["rules"] as unknown[] | null | undefined) ?? []) {
        if (pace.due()) yield;
        const key = JSON.stringify(ruleObject(makeRule((rule ?? {}) as object)));
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  const current = (role["rules"] as unknown[] | null | undefined) ?? [];
  const wanted = [...rules.values()];
  return (yield* equalJsonInSteps(wanted, current)) ? undefined : wanted;
}

/** Roles that are looked at, and rules that are taken. */
const RULES_PER_STEP = 200;

/** A selector that cannot be read selects nothing: validation has let none through since. */
function matcher(selector: Parameters<typeof selectorFromObject>[0]): (role: ApiObject) => boolean {
  try {
    const compiled = selectorFromObject(selector);
    return ({ metadata }) => compiled.matches(metadata.labels);
  } catch (error) {
    if (error instanceof SelectorSyntaxError) return () => false;
    throw error;
  }
}
