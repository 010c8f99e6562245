// ABAC: a file of policies, one JSON object per line. Does one of them allow a request? Pure.
// Requirements: document 2, "AuthorizationConfiguration file", "Command-line form".

import { getKey, isObject } from "../../base/json.ts";
import { ANY, makeRule, type Rule } from "../../meta/access-rule.ts";
import type { Names } from "../../meta/names.ts";
import { quoteText } from "../../meta/quoted.ts";
import { AUTHENTICATED_GROUP, type UserInfo } from "../../meta/user.ts";
import type { Attributes } from "../../registry/authorizer.ts";
import { pathCovers } from "../path-pattern.ts";

interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  readonly namespace: string;
  readonly resource: string;
  readonly apiGroup: string;
  readonly nonResourcePath: string;
  readonly readonly: boolean;
}

const READING: ReadonlySet<string> = new Set(["get", "list", "watch"]);
const POLICY_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "spec"]);
const UNVERSIONED_FIELDS: ReadonlySet<string> = new Set(["user", "group", "namespace", "resource", "readonly"]);
const TEXT_FIELDS = ["user", "group", "namespace", "resource", "apiGroup", "nonResourcePath"] as const;
const SPEC_FIELDS: ReadonlySet<string> = new Set([...TEXT_FIELDS, "readonly"]);

/** Comments begin with #, blank lines are skipped. Fails with an Error that names the line. */
export function parsePolicies(names: Names, text: string): AbacPolicy[] {
  return text.split("\n").flatMap((line, index) => {
    const content = line.trim();
    if (content === "" || content.startsWith("#")) return [];
    try {
      return [parsePolicy(names, content)];
    } catch (error) {
      throw new Error(`line ${index + 1}: ${(error as Error).message}`);
    }
  });
}

function parsePolicy(names: Names, line: string): AbacPolicy {
  const value: unknown = JSON.parse(line);
  if (!isObject(value)) throw new Error("a Policy object is expected");
  if (getKey(value, "apiVersion") === undefined && getKey(value, "kind") === undefined) return parseUnversioned(value);
  const apiVersion = `${names.group("abac.authorization")}/v1beta1`;
  if (getKey(value, "apiVersion") !== apiVersion || getKey(value, "kind") !== "Policy") {
    throw new Error(`apiVersion and kind must be ${apiVersion} and Policy`);
  }
  checkFields(value, POLICY_FIELDS, "");
  const spec = getKey(value, "spec") ?? {};
  if (!isObject(spec)) throw new Error("spec: an object is expected");
  checkFields(spec, SPEC_FIELDS, "spec.");
  return everyoneAsGroup(readFields(spec, "spec."));
}

/** Lines of the oldest form carry no version; what they leave away means everything. */
function parseUnversioned(value: Record<string, unknown>): AbacPolicy {
  checkFields(value, UNVERSIONED_FIELDS, "");
  const read = readFields(value, "");
  const { user, group, namespace, resource } = read;
  return everyoneAsGroup({
    ...read,
    user: user === "" && group === "" ? ANY : user,
    namespace: namespace === "" ? ANY : namespace,
    resource: resource === "" ? ANY : resource,
    apiGroup: ANY,
    nonResourcePath: namespace === "" && resource === "" ? ANY : "",
  });
}

/** What is left away widens a policy: so does a field that is written as nobody reads it. */
function checkFields(value: Record<string, unknown>, known: ReadonlySet<string>, prefix: string): void {
  const unknown = Object.keys(value).find((key) => !known.has(key));
  if (unknown !== undefined) throw new Error(`unknown field ${quoteText(`${prefix}${unknown}`)}`);
}

function readFields(spec: Record<string, unknown>, prefix: string): AbacPolicy {
  const text = (field: (typeof TEXT_FIELDS)[number]): string => {
    const value = getKey(spec, field) ?? "";
    if (typeof value !== "string") throw new Error(`${prefix}${field}: text is expected`);
    return value;
  };
  const readonly = getKey(spec, "readonly") ?? false;
  if (typeof readonly !== "boolean") throw new Error(`${prefix}readonly: true or false is expected`);
  return {
    user: text("user"),
    group: text("group"),
    namespace: text("namespace"),
    resource: text("resource"),
    apiGroup: text("apiGroup"),
    nonResourcePath: text("nonResourcePath"),
    readonly,
  };
}

/** A star means everyone who has shown who they are. */
function everyoneAsGroup(policy: AbacPolicy): AbacPolicy {
  return policy.user === ANY || policy.group === ANY ? { ...policy, user: "", group: AUTHENTICATED_GROUP } : policy;
}

export function policyAllows(policy: AbacPolicy, { user, verb, resource, path = "" }: Attributes): boolean {
  if (!concerns(policy, user) || (policy.readonly && !READING.has(verb))) return false;
  if (resource === undefined) return policy.nonResourcePath !== "" && pathCovers(policy.nonResourcePath, path);
  return (
    is(policy.namespace, resource.namespace) &&
    is(policy.resource, resource.resource) &&
    is(policy.apiGroup, resource.group)
  );
}

/** What a policy grants in a namespace, as rules. */
export function policyRules(policy: AbacPolicy, user: UserInfo, namespace: string): Rule[] {
  if (!concerns(policy, user)) return [];
  const verbs = policy.readonly ? [...READING] : [ANY];
  const rules: Rule[] = [];
  if (policy.resource !== "" && is(policy.namespace, namespace)) {
    rules.push(makeRule({ verbs, apiGroups: [policy.apiGroup], resources: [policy.resource] }));
  }
  if (policy.nonResourcePath !== "") rules.push(makeRule({ verbs, nonResourceURLs: [policy.nonResourcePath] }));
  return rules;
}

/** A policy with user and group needs both; one with neither concerns nobody. */
function concerns({ user, group }: AbacPolicy, { name, groups }: UserInfo): boolean {
  if (user === "" && group === "") return false;
  return (user === "" || user === name) && (group === "" || groups.includes(group));
}

const is = (pattern: string, value: string): boolean => pattern === ANY || pattern === value;
