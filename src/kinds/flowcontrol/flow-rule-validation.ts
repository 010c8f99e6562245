// What a rule of a FlowSchema must look like: whose requests, and which.

import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123LabelProblems } from "../../meta/name-formats.ts";
import { checkFields } from "../../schema/check-fields.ts";
import {
  type NonResourcePolicyRule,
  nonResourcePolicyRule,
  type PolicyRulesWithSubjects,
  policyRulesWithSubjects,
  type ResourcePolicyRule,
  resourcePolicyRule,
  type Subject,
  serviceAccountSubject,
  subject,
} from "./flow-schema-spec.ts";

export function checkFlowRule(rule: PolicyRulesWithSubjects, at: string, errors: FieldError[]): void {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rule;
  checkFields(rule, policyRulesWithSubjects, at, errors, ["subjects"]);
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

function checkSubject(given: Subject, at: string, errors: FieldError[]): void {
  const { kind } = given;
  checkFields(given, subject, at, errors, ["kind"]);
  if (!Object.hasOwn(MEMBERS, kind)) return;
  const own = MEMBERS[kind as keyof typeof MEMBERS];
  if (!given[own]) errors.push(required(`${at}.${own}`, `${own} is required when subject kind is '${kind}'`));
  else if (own === "serviceAccount") {
    checkFields(given.serviceAccount!, serviceAccountSubject, `${at}.serviceAccount`, errors, ["name", "namespace"]);
  } else checkFields(given, subject, at, errors, [own]);
  for (const [otherKind, member] of Object.entries(MEMBERS)) {
    if (member === own || !given[member]) continue;
    errors.push(forbiddenField(`${at}.${member}`, `${member} is forbidden when subject kind is not '${otherKind}'`));
  }
}

function checkResourceRule(rule: ResourcePolicyRule, at: string, errors: FieldError[]): void {
  checkFields(rule, resourcePolicyRule, at, errors, ["verbs"]);
  checkVerbs(rule.verbs ?? [], `${at}.verbs`, errors);
  checkFields(rule, resourcePolicyRule, at, errors, ["apiGroups", "resources"]);
  const namespaces = rule.namespaces ?? [];
  const field = `${at}.namespaces`;
  if (namespaces.length === 0 && rule.clusterScope) return;
  checkFields(rule, resourcePolicyRule, at, errors, ["namespaces"]);
  if (namespaces.includes("*")) return;
  namespaces.forEach((namespace, index) => {
    for (const problem of dns1123LabelProblems(namespace)) {
      const rules = `each member of this list must be '*' or a DNS-1123 label; ${problem}`;
      errors.push(invalid(`${field}[${index}]`, namespace, rules));
    }
  });
}

function checkNonResourceRule(rule: NonResourcePolicyRule, at: string, errors: FieldError[]): void {
  checkFields(rule, nonResourcePolicyRule, at, errors, ["verbs"]);
  checkVerbs(rule.verbs ?? [], `${at}.verbs`, errors);
  const urls = rule.nonResourceURLs ?? [];
  const field = `${at}.nonResourceURLs`;
  checkFields(rule, nonResourcePolicyRule, at, errors, ["nonResourceURLs"]);
  if (urls.includes("*")) return;
  urls.forEach((url, index) => {
    const problem = urlProblem(url);
    if (problem !== undefined) errors.push(invalid(`${field}[${index}]`, url, problem));
  });
}

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

function checkVerbs(verbs: readonly string[], field: string, errors: FieldError[]): void {
  if (verbs.includes("*") || verbs.every((verb) => VERBS.includes(verb))) return;
  errors.push(notSupported(field, verbs, VERBS));
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
