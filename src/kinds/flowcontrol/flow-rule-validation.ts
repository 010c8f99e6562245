// What a rule of a FlowSchema must look like: whose requests, and which.

import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { addProblems, checkRequired } from "../meta/value-checks.ts";
import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "./flow-schema-spec.ts";

export function checkFlowRule(rule: PolicyRulesWithSubjects, at: string, errors: FieldError[]): void {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rule;
  if (!subjects?.length) errors.push(required(`${at}.subjects`, "subjects must contain at least one value"));
  (subjects ?? []).forEach((subject, index) => {
    checkSubject(subject, `${at}.subjects[${index}]`, errors);
  });
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.push(required(at, "at least one of resourceRules and nonResourceRules has to be non-empty"));
  }
  resourceRules.forEach((resourceRule, index) => {
    checkResourceRule(resourceRule, `${at}.resourceRules[${index}]`, errors);
  });
  nonResourceRules.forEach((nonResourceRule, index) => {
    checkNonResourceRule(nonResourceRule, `${at}.nonResourceRules[${index}]`, errors);
  });
}

const MEMBERS = { User: "user", Group: "group", ServiceAccount: "serviceAccount" } as const;

function checkSubject(subject: Subject, at: string, errors: FieldError[]): void {
  const { kind } = subject;
  if (!Object.hasOwn(MEMBERS, kind)) {
    errors.push(notSupported(`${at}.kind`, kind, ["Group", "ServiceAccount", "User"]));
    return;
  }
  const own = MEMBERS[kind as keyof typeof MEMBERS];
  if (!subject[own]) errors.push(required(`${at}.${own}`, `${own} is required when subject kind is '${kind}'`));
  else if (own === "serviceAccount") checkAccount(subject.serviceAccount!, `${at}.serviceAccount`, errors);
  else checkRequired(errors, `${at}.${own}.name`, subject[own].name);
  for (const [otherKind, member] of Object.entries(MEMBERS)) {
    if (member === own || !subject[member]) continue;
    errors.push(forbiddenField(`${at}.${member}`, `${member} is forbidden when subject kind is not '${otherKind}'`));
  }
}

function checkAccount(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  at: string,
  errors: FieldError[],
): void {
  if (name === "") errors.push(required(`${at}.name`));
  else if (name !== "*") addProblems(errors, `${at}.name`, name, dns1123SubdomainProblems(name));
  if (namespace === "") errors.push(required(`${at}.namespace`, "must specify namespace for service account"));
  else addProblems(errors, `${at}.namespace`, namespace, dns1123LabelProblems(namespace));
}

function checkResourceRule(rule: ResourcePolicyRule, at: string, errors: FieldError[]): void {
  checkVerbs(rule.verbs ?? [], `${at}.verbs`, errors);
  const missing = (what: string) => `resource rules must supply at least one ${what}`;
  checkList(rule.apiGroups ?? [], `${at}.apiGroups`, missing("api group"), "api groups", errors);
  checkList(rule.resources ?? [], `${at}.resources`, missing("resource"), "resources", errors);
  const namespaces = rule.namespaces ?? [];
  const field = `${at}.namespaces`;
  if (namespaces.length === 0 && rule.clusterScope) return;
  const detail = "resource rules that are not cluster scoped must supply at least one namespace";
  checkList(namespaces, field, detail, "namespaces", errors);
  if (namespaces.includes("*")) return;
  namespaces.forEach((namespace, index) => {
    for (const problem of dns1123LabelProblems(namespace)) {
      const rules = `each member of this list must be '*' or a DNS-1123 label; ${problem}`;
      errors.push(invalid(`${field}[${index}]`, namespace, rules));
    }
  });
}

function checkNonResourceRule(rule: NonResourcePolicyRule, at: string, errors: FieldError[]): void {
  checkVerbs(rule.verbs ?? [], `${at}.verbs`, errors);
  const urls = rule.nonResourceURLs ?? [];
  const field = `${at}.nonResourceURLs`;
  checkList(urls, field, "nonResourceURLs must contain at least one value", "non-resource URLs", errors);
  if (urls.includes("*")) return;
  urls.forEach((url, index) => {
    const problem = urlProblem(url);
    if (problem !== undefined) errors.push(invalid(`${field}[${index}]`, url, problem));
  });
}

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

function checkVerbs(verbs: readonly string[], field: string, errors: FieldError[]): void {
  checkList(verbs, field, "verbs must contain at least one value", "verbs", errors);
  if (verbs.includes("*") || verbs.every((verb) => VERBS.includes(verb))) return;
  errors.push(notSupported(field, verbs, VERBS));
}

/** Something, and everything only alone. */
function checkList(
  list: readonly string[],
  field: string,
  missing: string,
  others: string,
  errors: FieldError[],
): void {
  if (list.length === 0) errors.push(required(field, missing));
  else if (list.length > 1 && list.includes("*")) {
    errors.push(invalid(field, list, `if '*' is present, must not specify other ${others}`));
  }
}

function urlProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (url === "/") return undefined;
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  const star = url.indexOf("*");
  return star < 0 || (star === url.length - 1 && url.endsWith("/*"))
    ? undefined
    : "wildcard can only do suffix matching";
}
