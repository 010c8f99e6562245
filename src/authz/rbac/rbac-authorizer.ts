// The RBAC authorizer: permissions are only ever added, so it allows or has no opinion.
// Requirements: document 2, "RBAC objects".

import { append } from "../../base/append.ts";
import { goQuote } from "../../base/go-quote.ts";
import type { Rule } from "../../meta/access-rule.ts";
import type { Names } from "../../meta/names.ts";
import type { UserInfo } from "../../meta/user.ts";
import type { Attributes, Authorizer, Decision, HeldRules, RuleResolver } from "../../registry/authorizer.ts";
import type { Grant, RbacIndex } from "./rbac-index.ts";
import { ruleAllows } from "./rule-match.ts";

export function rbacAuthorizer(names: Names, index: RbacIndex): Authorizer {
  return {
    authorize(attributes): Decision {
      const problems = new Set<string>();
      for (const { role, grant } of index.rolesOf(attributes.user, namespaceOf(attributes))) {
        if (role === undefined) {
          if (problems.size < MAX_PROBLEMS) problems.add(missingRole(names, grant));
          continue;
        }
        for (const rule of role.rules) {
          if (ruleAllows(rule, attributes)) return { verdict: "allow", reason: `RBAC: allowed by ${grantText(grant)}` };
        }
      }
      return { verdict: "no-opinion", reason: problems.size === 0 ? "" : `RBAC: ${joinProblems([...problems])}` };
    },
  };
}

/** What a user holds in a namespace, and what went wrong while looking. */
export function rbacRules(names: Names, index: RbacIndex): RuleResolver {
  return {
    rulesFor(user: UserInfo, namespace: string): HeldRules {
      const rules: Rule[] = [];
      const problems = new Set<string>();
      for (const { role, grant } of index.rolesOf(user, namespace)) {
        if (role !== undefined) append(rules, role.rules);
        else if (problems.size < MAX_PROBLEMS) problems.add(missingRole(names, grant));
      }
      return { rules, problems: [...problems], incomplete: false };
    },
  };
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
