// Which requests the rules of a webhook or a policy mean. Pure.

import type { AdmissionRequest } from "../../registry/admission.ts";

export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  /** Of policies only; empty means all. */
  readonly resourceNames?: readonly string[];
}

/** A request, said in one of the versions of its resource. */
type RuleSubject = Pick<AdmissionRequest, "operation" | "resource" | "subresource" | "namespace" | "name">;

export function ruleMatches(rule: Rule, subject: RuleSubject): boolean {
  const { operation, resource, name } = subject;
  const { resourceNames = [] } = rule;
  return (
    scopeMatches(rule.scope, subject) &&
    listed(rule.operations, operation) &&
    listed(rule.apiGroups, resource.group) &&
    listed(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((text) => resourceMatches(text, subject)) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

function listed(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes("*") || list.includes(value));
}

/** `pods`, `pods/status`, `pods/*`, `*`, `*\/scale`, `*\/*`. */
function resourceMatches(text: string, { resource, subresource }: RuleSubject): boolean {
  const slash = text.indexOf("/");
  const [wanted, wantedSub] = slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1)];
  return (wanted === "*" || wanted === resource.resource) && (wantedSub === "*" || wantedSub === subresource);
}

function scopeMatches(scope: string | undefined, { namespace, resource }: RuleSubject): boolean {
  const namespaced = namespace !== "" && resource.resource !== "namespaces";
  switch (scope ?? "*") {
    case "Namespaced":
      return namespaced;
    case "Cluster":
      return !namespaced;
    default:
      return true;
  }
}
