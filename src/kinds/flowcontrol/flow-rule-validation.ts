// What a rule of a FlowSchema must look like: whose requests, and which.

import { append } from "../../base/append.ts";
import { flatMapInSteps, type Pace, type Steps } from "../../base/steps.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123LabelProblems } from "../../meta/name-formats.ts";
import { checkFields, fieldErrors } from "../../schema/check-fields.ts";
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

/** Subjects and rules about requests are parts of the pace. */
export function* flowRuleErrors(rule: PolicyRulesWithSubjects, at: string, pace: Pace): Steps<FieldError[]> {
  const { subjects, resourceRules, nonResourceRules } = rule;
  const errors = fieldErrors(rule, policyRulesWithSubjects, at, ["subjects"]);
  append(errors, yield* flatMapInSteps(subjects ?? [], pace, (each, i) => subjectErrors(each, `${at}.subjects[${i}]`)));
  if (!resourceRules?.length && !nonResourceRules?.length) {
    errors.push(required(at, "at least one of resourceRules and nonResourceRules has to be non-empty"));
  }
  const ofResources = flatMapInSteps(resourceRules ?? [], pace, (each, i) =>
    resourceRuleErrors(each, `${at}.resourceRules[${i}]`),
  );
  append(errors, yield* ofResources);
  const ofPaths = flatMapInSteps(nonResourceRules ?? [], pace, (each, i) =>
    nonResourceRuleErrors(each, `${at}.nonResourceRules[${i}]`),
  );
  append(errors, yield* ofPaths);
  return errors;
}

const MEMBERS = { User: "user", Group: "group", ServiceAccount: "serviceAccount" } as const;

function subjectErrors(given: Subject, at: string): FieldError[] {
  const { kind } = given;
  const errors = fieldErrors(given, subject, at, ["kind"]);
  if (!Object.hasOwn(MEMBERS, kind)) return errors;
  const own = MEMBERS[kind as keyof typeof MEMBERS];
  if (!given[own]) errors.push(required(`${at}.${own}`, `${own} is required when subject kind is '${kind}'`));
  else if (own === "serviceAccount") {
    checkFields(given.serviceAccount!, serviceAccountSubject, `${at}.serviceAccount`, errors, ["name", "namespace"]);
  } else checkFields(given, subject, at, errors, [own]);
  for (const [otherKind, member] of Object.entries(MEMBERS)) {
    if (member === own || !given[member]) continue;
    errors.push(forbiddenField(`${at}.${member}`, `${member} is forbidden when subject kind is not '${otherKind}'`));
  }
  return errors;
}

function resourceRuleErrors(rule: ResourcePolicyRule, at: string): FieldError[] {
  const errors = fieldErrors(rule, resourcePolicyRule, at, ["verbs"]);
  checkVerbs(rule.verbs ?? [], `${at}.verbs`, errors);
  checkFields(rule, resourcePolicyRule, at, errors, ["apiGroups", "resources"]);
  const namespaces = rule.namespaces ?? [];
  const field = `${at}.namespaces`;
  if (namespaces.length === 0 && rule.clusterScope) return errors;
  checkFields(rule, resourcePolicyRule, at, errors, ["namespaces"]);
  if (namespaces.includes("*")) return errors;
  namespaces.forEach((namespace, index) => {
    for (const problem of dns1123LabelProblems(namespace)) {
      const rules = `each member of this list must be '*' or a DNS-1123 label; ${problem}`;
      errors.push(invalid(`${field}[${index}]`, namespace, rules));
    }
  });
  return errors;
}

function nonResourceRuleErrors(rule: NonResourcePolicyRule, at: string): FieldError[] {
  const errors = fieldErrors(rule, nonResourcePolicyRule, at, ["verbs"]);
  checkVerbs(rule.verbs ?? [], `${at}.verbs`, errors);
  const urls = rule.nonResourceURLs ?? [];
  const field = `${at}.nonResourceURLs`;
  checkFields(rule, nonResourcePolicyRule, at, errors, ["nonResourceURLs"]);
  if (urls.includes("*")) return errors;
  urls.forEach((url, index) => {
    const problem = urlProblem(url);
    if (problem !== undefined) errors.push(invalid(`${field}[${index}]`, url, problem));
  });
  return errors;
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
