// The RBAC authorizer: permissions are only ever added, so it allows or has no opinion.
// Requirements: document 2, "RBAC objects".

import { append } from "../../base/append.ts";
import { goQuote } from "../../base/go-quote.ts";
import { atOnceWhileShort, Pace, type Steps } from "../../base/steps.ts";
import type { Rule } from "../../meta/access-rule.ts";
import type { Names } from "../../meta/names.ts";
import type { UserInfo } from "../../meta/user.ts";
import type { Attributes, Authorizer, Decision, HeldRules, RuleResolver } from "../../registry/authorizer.ts";
import type { Grant, GrantedRole, RbacIndex } from "./rbac-index.ts";
import { RULES_PER_STEP, ruleAllows, weightOf } from "./rule-match.ts";

export function rbacAuthorizer(names: Names, index: RbacIndex): Authorizer {
  return {
    authorize(attributes) {
      const search = new Search(names, attributes);
      const roles = index.rolesOf(attributes.user, namespaceOf(attributes));
      let weight = 0;
      // Almost everybody holds few rules: they are gone through without anything that long work needs.
      for (let next = roles.next(); next.done !== true; next = roles.next()) {
        weight += next.value.weight;
        if (weight > RULES_PER_STEP) return atOnceWhileShort(search.inSteps(next.value, roles));
        const decision = search.ask(next.value);
        if (decision !== undefined) return decision;
      }
      return search.end();
    },
  };
}

class Search {
  readonly #names: Names;
  readonly #attributes: Attributes;
  readonly #problems = new Set<string>();

  constructor(names: Names, attributes: Attributes) {
    this.#names = names;
    this.#attributes = attributes;
  }

  /** Undefined where the role does not allow it. */
  ask({ role, grant }: GrantedRole): Decision | undefined {
    if (role === undefined) {
      if (this.#problems.size < MAX_PROBLEMS) this.#problems.add(missingRole(this.#names, grant));
      return undefined;
    }
    for (const rule of role.rules) if (ruleAllows(rule, this.#attributes)) return allowedBy(grant);
    return undefined;
  }

  *inSteps(first: GrantedRole, rest: Iterable<GrantedRole>): Steps<Decision> {
    const pace = new Pace(RULES_PER_STEP);
    const decision = yield* this.#askInSteps(first, pace);
    if (decision !== undefined) return decision;
    for (const granted of rest) {
      const later = yield* this.#askInSteps(granted, pace);
      if (later !== undefined) return later;
    }
    return this.end();
  }

  *#askInSteps(granted: GrantedRole, pace: Pace): Steps<Decision | undefined> {
    const { role, grant, weight } = granted;
    if (role === undefined || weight < RULES_PER_STEP) {
      if (pace.due(weight)) yield;
      return this.ask(granted);
    }
    for (const rule of role.rules) {
      if (pace.due(weightOf(rule))) yield;
      if (ruleAllows(rule, this.#attributes)) return allowedBy(grant);
    }
    return undefined;
  }

  end(): Decision {
    const problems = this.#problems;
    return { verdict: "no-opinion", reason: problems.size === 0 ? "" : `RBAC: ${joinProblems([...problems])}` };
  }
}

const allowedBy = (grant: Grant): Decision => ({ verdict: "allow", reason: `RBAC: allowed by ${grantText(grant)}` });

/** What a user holds in a namespace, and what went wrong while looking. */
export function rbacRules(names: Names, index: RbacIndex): RuleResolver {
  return {
    rulesFor: (user, namespace) => atOnceWhileShort(collect(names, index, user, namespace)),
  };
}

function* collect(names: Names, index: RbacIndex, user: UserInfo, namespace: string): Steps<HeldRules> {
  const rules: Rule[] = [];
  const problems = new Set<string>();
  const pace = new Pace(RULES_PER_STEP);
  for (const { role, grant } of index.rolesOf(user, namespace)) {
    if (pace.due(1 + (role?.rules.length ?? 0))) yield;
    if (role !== undefined) append(rules, role.rules);
    else if (problems.size < MAX_PROBLEMS) problems.add(missingRole(names, grant));
  }
  return { rules, problems: [...problems], incomplete: false };
}

/** `RoleBinding "name/namespace" of Role "reader" to User "ann"`. */
export function grantText(grant: Grant): string {
  const { binding } = grant;
  const { roleRef } = binding;
  const kind = binding.namespace === "" ? "ClusterRoleBinding" : "RoleBinding";
  const name = binding.namespace === "" ? binding.name : `${binding.name}/${binding.namespace}`;
  return `${kind} ${goQuote(name)} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subjectText(grant)}`;
}

function missingRole(names: Names, { binding: { roleRef } }: Grant): string {
  return `${roleRef.kind.toLowerCase()}.${names.group("rbac.authorization")} ${goQuote(roleRef.name)} not found`;
}

/** More of them tell nobody anything. */
const MAX_PROBLEMS = 100;

/** Several problems in one line, as upstream joins them. */
function joinProblems(problems: readonly string[]): string {
  return problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`;
}

function subjectText({ binding, subject }: Grant): string {
  if (subject.kind !== "ServiceAccount") return `${subject.kind} ${goQuote(subject.name)}`;
  const namespace = subject.namespace === "" ? binding.namespace : subject.namespace;
  return `${subject.kind} ${goQuote(`${subject.name}/${namespace}`)}`;
}

const namespaceOf = ({ resource }: Attributes): string => resource?.namespace ?? "";
