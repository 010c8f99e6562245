// Why somebody may or may not do something, and who may: from roles and bindings alone. Pure.

import { Pace, type Steps } from "../../base/steps.ts";
import { makeRule, type Rule, ruleObject } from "../../meta/access-rule.ts";
import type { Attributes } from "../../registry/authorizer.ts";
import { grantText } from "./rbac-authorizer.ts";
import type { Grant, RbacIndex } from "./rbac-index.ts";
import {
  groupMatches,
  nameMatches,
  pathMatches,
  RULES_PER_STEP,
  resourceMatches,
  ruleAllows,
  verbMatches,
  weightOf,
} from "./rule-match.ts";

/** More of a kind are not listed. */
const MAX_EXPLAINED = 10;
const MAX_WHO_CAN = 500;

export interface AccessExplanation {
  /** The grants that allow it. */
  readonly grantedBy: readonly ExplainedGrant[];
  /** Rules that the user holds and that come nearest; only when nothing allows it. */
  readonly nearest: readonly (ExplainedGrant & { readonly differs: readonly Difference[] })[];
  /** The single rule that would allow it, where it would have to be held, and roles that have it already. */
  readonly wouldGrant?: {
    readonly rule: object;
    readonly namespace?: string;
    readonly existingRoles: readonly string[];
  };
}

interface ExplainedGrant {
  readonly by: string;
  readonly rule: object;
}

/** What about a rule does not fit the question. `namespace`: it fits, but is held elsewhere. */
type Difference = "verbs" | "apiGroups" | "resources" | "resourceNames" | "nonResourceURLs" | "namespace";

export function* explainAccess(index: RbacIndex, attributes: Attributes): Steps<AccessExplanation> {
  const namespace = attributes.resource?.namespace ?? "";
  const pace = new Pace(RULES_PER_STEP);
  const grantedBy: ExplainedGrant[] = [];
  const near = new Nearest();
  for (const { role, grant } of index.rolesOf(attributes.user, namespace)) {
    if (pace.due()) yield;
    for (const rule of role?.rules ?? []) {
      if (pace.due(weightOf(rule))) yield;
      const differs = differences(rule, attributes);
      if (differs.length > 0) near.add({ grant, rule, differs });
      else if (grantedBy.push(explained(grant, rule)) === MAX_EXPLAINED) return { grantedBy, nearest: [] };
    }
  }
  if (grantedBy.length > 0) return { grantedBy, nearest: [] };
  for (const { role, grant } of index.rolesElsewhere(attributes.user, namespace)) {
    if (pace.due()) yield;
    for (const rule of role?.rules ?? []) {
      if (pace.due(weightOf(rule))) yield;
      if (ruleAllows(rule, attributes)) near.add({ grant, rule, differs: ["namespace"] });
    }
  }
  return {
    grantedBy: [],
    nearest: near.found.map(({ grant, rule, differs }) => ({ ...explained(grant, rule), differs })),
    wouldGrant: {
      rule: ruleObject(neededRule(attributes)),
      ...(namespace === "" ? {} : { namespace }),
      existingRoles: yield* rolesThatAllow(index, attributes, namespace, pace),
    },
  };
}

const explained = (grant: Grant, rule: Rule): ExplainedGrant => ({ by: grantText(grant), rule: ruleObject(rule) });

interface Near {
  readonly grant: Grant;
  readonly rule: Rule;
  readonly differs: readonly Difference[];
}

/** The first of those that differ least. */
class Nearest {
  found: Near[] = [];

  add(one: Near): void {
    const least = this.found[0]?.differs.length ?? Number.POSITIVE_INFINITY;
    if (one.differs.length < least) this.found = [one];
    else if (one.differs.length === least && this.found.length < MAX_EXPLAINED) this.found.push(one);
  }
}

export interface WhoCan {
  readonly subject: { readonly kind: string; readonly name: string; readonly namespace?: string };
  readonly by: string;
}

/** The subjects whom RBAC allows it, each with a grant that does; `attributes.user` is not looked at. */
export function* whoCan(
  index: RbacIndex,
  attributes: Omit<Attributes, "user">,
): Steps<{ readonly subjects: WhoCan[]; readonly truncated: boolean }> {
  const question: Attributes = { ...attributes, user: { name: "", groups: [] } };
  const found = new Map<string, WhoCan>();
  const pace = new Pace(RULES_PER_STEP);
  for (const { role, grant } of index.grantsIn(attributes.resource?.namespace ?? "")) {
    if (role === undefined || !(yield* anyAllows(role.rules, question, pace))) continue;
    const { kind, name } = grant.subject;
    const namespace = kind === "ServiceAccount" ? grant.subject.namespace || grant.binding.namespace : "";
    const key = JSON.stringify([kind, namespace, name]);
    if (found.has(key)) continue;
    if (found.size === MAX_WHO_CAN) return { subjects: [...found.values()], truncated: true };
    found.set(key, { subject: { kind, name, ...(namespace === "" ? {} : { namespace }) }, by: grantText(grant) });
  }
  return { subjects: [...found.values()], truncated: false };
}

function differences(rule: Rule, { verb, resource, path = "" }: Attributes): Difference[] {
  const found: Difference[] = [];
  if (!verbMatches(rule, verb)) found.push("verbs");
  if (resource === undefined) {
    if (!pathMatches(rule, path)) found.push("nonResourceURLs");
    return found;
  }
  if (!groupMatches(rule, resource.group)) found.push("apiGroups");
  if (!resourceMatches(rule, resource.resource, resource.subresource)) found.push("resources");
  if (!nameMatches(rule, resource.name)) found.push("resourceNames");
  return found;
}

function neededRule({ verb, resource, path = "" }: Attributes): Rule {
  if (resource === undefined) return makeRule({ verbs: [verb], nonResourceURLs: [path] });
  const { group, name, subresource } = resource;
  return makeRule({
    verbs: [verb],
    apiGroups: [group],
    resources: [subresource === "" ? resource.resource : `${resource.resource}/${subresource}`],
    ...(name === "" ? {} : { resourceNames: [name] }),
  });
}

function* rolesThatAllow(
  index: RbacIndex,
  attributes: Attributes,
  namespace: string,
  pace: Pace,
): Steps<readonly string[]> {
  const found: string[] = [];
  for (const role of index.rolesFor(namespace)) {
    if (found.length === MAX_EXPLAINED) break;
    if (yield* anyAllows(role.rules, attributes, pace)) {
      found.push(role.namespace === "" ? `ClusterRole ${role.name}` : `Role ${role.namespace}/${role.name}`);
    }
  }
  return found;
}

function* anyAllows(rules: readonly Rule[], attributes: Attributes, pace: Pace): Steps<boolean> {
  if (pace.due()) yield;
  for (const rule of rules) {
    if (pace.due(weightOf(rule))) yield;
    if (ruleAllows(rule, attributes)) return true;
  }
  return false;
}
