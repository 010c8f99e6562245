// The audit policy: bytes -> checked rules, and which of them is about a request: the first that matches.

import { append } from "../base/append.ts";
import { isObject } from "../base/json.ts";
import { decodeYaml } from "../codec/yaml.ts";
import { type FieldError, fieldErrorText, invalid, notSupported, required } from "../meta/field-error.ts";
import type { Names } from "../meta/names.ts";
import type { UserInfo } from "../meta/user.ts";
import type { Target } from "../registry/request.ts";
import type { ObjectOf } from "../schema/builder.ts";
import { conform } from "../schema/conform.ts";
import { policySchema } from "./policy-schema.ts";

const LEVELS = ["None", "Metadata", "Request", "RequestResponse"] as const;
export type Level = (typeof LEVELS)[number];

const STAGES = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;
export type Stage = (typeof STAGES)[number];

type PolicyDocument = ObjectOf<typeof policySchema>;
type Rule = NonNullable<PolicyDocument["rules"]>[number];
type GroupResources = NonNullable<Rule["resources"]>[number];

/** What the policy says of one request. */
export interface AuditDecision {
  readonly level: Level;
  readonly omitStages: ReadonlySet<string>;
  readonly omitManagedFields: boolean;
}

export class AuditPolicy {
  readonly #rules: readonly { readonly rule: Rule; readonly decision: AuditDecision }[];

  constructor(document: PolicyDocument) {
    this.#rules = (document.rules ?? []).map((rule) => ({
      rule,
      decision: {
        level: rule.level as Level,
        omitStages: new Set([...(document.omitStages ?? []), ...(rule.omitStages ?? [])]),
        omitManagedFields: rule.omitManagedFields ?? document.omitManagedFields ?? false,
      },
    }));
  }

  /** Without a rule nothing is recorded. */
  decide(user: UserInfo, target: Target): AuditDecision {
    for (const { rule, decision } of this.#rules) if (matches(rule, user, target)) return decision;
    return NOTHING;
  }
}

const NOTHING: AuditDecision = { level: "None", omitStages: new Set(), omitManagedFields: false };

function matches(rule: Rule, user: UserInfo, target: Target): boolean {
  const { users = [], userGroups = [], verbs = [], namespaces = [], resources = [], nonResourceURLs = [] } = rule;
  if (users.length > 0 && !users.includes(user.name)) return false;
  if (userGroups.length > 0 && !userGroups.some((group) => user.groups.includes(group))) return false;
  if (verbs.length > 0 && !verbs.includes(target.verb)) return false;
  if (target.type === "path") {
    if (namespaces.length > 0 || resources.length > 0) return false;
    return nonResourceURLs.length === 0 || nonResourceURLs.some((pattern) => matchesUrl(pattern, target.path));
  }
  if (nonResourceURLs.length > 0) return false;
  if (namespaces.length > 0 && !namespaces.includes(target.namespace)) return false;
  return resources.length === 0 || resources.some((one) => matchesResource(one, target));
}

/** A star at the end stands for anything. */
function matchesUrl(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1));
}

/**
 * `pods`, `pods/log`, `*`, a star in front of the slash for a sub-resource of any resource, and `pods/*`, which upstream takes
 * for the pods themselves, too.
 */
function matchesResource(
  { group = "", resources = [], resourceNames = [] }: GroupResources,
  target: Extract<Target, { type: "resource" }>,
): boolean {
  if (group !== target.group) return false;
  if (resourceNames.length > 0 && !resourceNames.includes(target.name)) return false;
  if (resources.length === 0) return true;
  const { resource, subresource } = target;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  return resources.some(
    (word) =>
      word === "*" || word === whole || word === `${resource}/*` || (subresource !== "" && word === `*/${subresource}`),
  );
}

/** What is wrong with a policy, in one line. */
class AuditPolicyError extends Error {}

/** Fails with AuditPolicyError. */
export function parseAuditPolicy(bytes: Uint8Array, names: Names): AuditPolicy {
  const document = decode(bytes, names);
  const errors: FieldError[] = [];
  for (const [index, rule] of (document.rules ?? []).entries()) append(errors, checkRule(rule, `rules[${index}]`));
  append(errors, checkStages(document.omitStages ?? [], "omitStages"));
  if ((document.rules ?? []).length === 0) errors.push(required("rules", "a policy without rules records nothing"));
  if (errors.length > 0) throw new AuditPolicyError(errors.map(fieldErrorText).join("; "));
  return new AuditPolicy(document);
}

function decode(bytes: Uint8Array, names: Names): PolicyDocument {
  let value: unknown;
  try {
    value = decodeYaml(bytes).value;
  } catch (error) {
    throw new AuditPolicyError(`not readable as YAML: ${(error as Error).message}`);
  }
  const apiVersion = `${names.group("audit")}/v1`;
  if (!isObject(value) || value["apiVersion"] !== apiVersion || value["kind"] !== "Policy") {
    throw new AuditPolicyError(`apiVersion and kind must be ${apiVersion} and Policy`);
  }
  try {
    const { value: shaped, unknown } = conform(value, policySchema, { unknownFields: "collect", gate: () => true });
    if (unknown.length > 0) throw new Error(unknown.join(", "));
    return shaped as unknown as PolicyDocument;
  } catch (error) {
    throw new AuditPolicyError((error as Error).message);
  }
}

function checkRule(rule: Rule, field: string): FieldError[] {
  const errors = checkStages(rule.omitStages ?? [], `${field}.omitStages`);
  if (!(LEVELS as readonly string[]).includes(rule.level)) {
    errors.push(rule.level === "" ? required(`${field}.level`) : notSupported(`${field}.level`, rule.level, LEVELS));
  }
  for (const url of rule.nonResourceURLs ?? []) {
    const star = url.indexOf("*");
    if (url !== "*" && !url.startsWith("/")) {
      errors.push(invalid(`${field}.nonResourceURLs`, url, 'non-resource URL rules must begin with a "/" character'));
    } else if (star >= 0 && star < url.length - 1) {
      errors.push(
        invalid(`${field}.nonResourceURLs`, url, 'non-resource URL wildcards "*" must be the final character'),
      );
    }
  }
  if (
    (rule.nonResourceURLs ?? []).length > 0 &&
    ((rule.resources ?? []).length > 0 || (rule.namespaces ?? []).length > 0)
  ) {
    errors.push(
      invalid(`${field}.nonResourceURLs`, "", "rules cannot apply to both regular resources and non-resource URLs"),
    );
  }
  for (const [index, { resources = [], resourceNames = [] }] of (rule.resources ?? []).entries()) {
    if (resourceNames.length > 0 && resources.length === 0) {
      errors.push(
        invalid(`${field}.resources[${index}].resourceNames`, "", "using resourceNames requires at least one resource"),
      );
    }
  }
  return errors;
}

function checkStages(stages: readonly string[], field: string): FieldError[] {
  return stages
    .filter((stage) => !(STAGES as readonly string[]).includes(stage))
    .map((stage) => notSupported(field, stage, STAGES));
}
