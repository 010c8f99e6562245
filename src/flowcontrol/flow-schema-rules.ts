// A FlowSchema in the form in which requests are compared with it: sets instead of lists, so that the cost of a look does
// not grow with what an administrator has written into a list.

import type { FlowSchema } from "../kinds/flowcontrol/flow-schema.ts";
import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "../kinds/flowcontrol/flow-schema-spec.ts";
import { serviceAccountUser } from "../meta/service-account-user.ts";
import type { UserInfo } from "../meta/user.ts";
import type { NonResourceTarget, ResourceTarget } from "../registry/request.ts";

export interface CompiledSchema {
  readonly name: string;
  readonly uid: string;
  readonly precedence: number;
  /** The name of its PriorityLevelConfiguration. */
  readonly level: string;
  /** What tells the flows of this schema apart; undefined: they are one flow. */
  readonly distinguisher: "ByUser" | "ByNamespace" | undefined;
  readonly rules: readonly CompiledRule[];
}

export interface CompiledRule {
  readonly subjects: Subjects;
  readonly resources: readonly CompiledResourceRule[];
  readonly paths: readonly CompiledPathRule[];
}

/** Undefined stands for everything. */
type Words = ReadonlySet<string> | undefined;

interface Subjects {
  readonly everybody: boolean;
  /** Names of users; service accounts by their user names. */
  readonly users: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  /** Namespaces all of whose service accounts are meant. */
  readonly accountNamespaces: ReadonlySet<string>;
}

export interface CompiledResourceRule {
  readonly verbs: Words;
  readonly groups: Words;
  /** `pods` or `pods/status`. */
  readonly resources: Words;
  readonly clusterScope: boolean;
  readonly namespaces: Words;
}

interface CompiledPathRule {
  readonly verbs: Words;
  readonly all: boolean;
  readonly exact: ReadonlySet<string>;
  /** Each ends with a slash. */
  readonly prefixes: ReadonlySet<string>;
}

export function compileFlowSchema({ metadata, spec }: FlowSchema): CompiledSchema {
  const method = spec.distinguisherMethod?.type;
  return {
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    precedence: spec.matchingPrecedence,
    level: spec.priorityLevelConfiguration.name,
    distinguisher: method === "ByUser" || method === "ByNamespace" ? method : undefined,
    rules: (spec.rules ?? []).map(compileRule),
  };
}

/** The order in which schemas are asked. */
export function compareSchemas(a: CompiledSchema, b: CompiledSchema): number {
  if (a.precedence !== b.precedence) return a.precedence - b.precedence;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

export function isSubject({ everybody, users, groups, accountNamespaces }: Subjects, user: UserInfo): boolean {
  if (everybody || users.has(user.name)) return true;
  if (groups.size > 0) for (const group of user.groups) if (groups.has(group)) return true;
  if (accountNamespaces.size === 0 || !user.name.startsWith(ACCOUNT_PREFIX)) return false;
  const end = user.name.indexOf(":", ACCOUNT_PREFIX.length);
  return end > 0 && accountNamespaces.has(user.name.slice(ACCOUNT_PREFIX.length, end));
}

/** Whether a rule is about a target; "by namespace" where its namespace decides. */
export function matchesResource(
  rule: CompiledResourceRule,
  { verb, group, namespace }: ResourceTarget,
  resourcePath: string,
): boolean | "by namespace" {
  if (!has(rule.verbs, verb) || !has(rule.resources, resourcePath) || !has(rule.groups, group)) return false;
  if (namespace === "") return rule.clusterScope;
  if (rule.namespaces === undefined) return true;
  return rule.namespaces.size === 0 ? false : "by namespace";
}

export function matchesPath({ verbs, all, exact, prefixes }: CompiledPathRule, target: NonResourceTarget): boolean {
  const { verb, path } = target;
  if (!has(verbs, verb)) return false;
  if (all || exact.has(path)) return true;
  if (prefixes.size === 0) return false;
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    if (prefixes.has(path.slice(0, slash + 1))) return true;
  }
  return false;
}

/** How rules name what a target is about. */
export const resourcePathOf = ({ resource, subresource }: ResourceTarget): string =>
  subresource === "" ? resource : `${resource}/${subresource}`;

const ACCOUNT_PREFIX = "system:serviceaccount:";
const ALL = "*";

const has = (words: Words, word: string): boolean => words === undefined || words.has(word);

/** A star counts when it stands alone; validation allows nothing else. */
const wordsOf = (list: readonly string[] | null | undefined): Words =>
  list?.length === 1 && list[0] === ALL ? undefined : new Set(list ?? []);

function compileRule({ subjects, resourceRules, nonResourceRules }: PolicyRulesWithSubjects): CompiledRule {
  return {
    subjects: compileSubjects(subjects ?? []),
    resources: (resourceRules ?? []).map(compileResourceRule),
    paths: (nonResourceRules ?? []).map(compilePathRule),
  };
}

function compileSubjects(subjects: readonly Subject[]): Subjects {
  const users = new Set<string>();
  const groups = new Set<string>();
  const accountNamespaces = new Set<string>();
  let everybody = false;
  for (const { kind, user, group, serviceAccount } of subjects) {
    const name = kind === "User" ? user?.name : kind === "Group" ? group?.name : undefined;
    if (name === ALL) everybody = true;
    else if (name !== undefined) (kind === "User" ? users : groups).add(name);
    if (kind !== "ServiceAccount" || !serviceAccount) continue;
    if (serviceAccount.name === ALL) accountNamespaces.add(serviceAccount.namespace);
    else users.add(serviceAccountUser(serviceAccount));
  }
  return { everybody, users, groups, accountNamespaces };
}

function compileResourceRule(rule: ResourcePolicyRule): CompiledResourceRule {
  return {
    verbs: wordsOf(rule.verbs),
    groups: wordsOf(rule.apiGroups),
    resources: wordsOf(rule.resources),
    clusterScope: rule.clusterScope === true,
    namespaces: wordsOf(rule.namespaces),
  };
}

function compilePathRule(rule: NonResourcePolicyRule): CompiledPathRule {
  const exact = new Set<string>();
  const prefixes = new Set<string>();
  let all = false;
  for (const url of rule.nonResourceURLs ?? []) {
    if (url === ALL) all = true;
    exact.add(url);
    const start = url.endsWith(ALL) ? url.slice(0, -1) : url;
    // A path stands for everything below it, with or without a star.
    prefixes.add(start.endsWith("/") ? start : `${start}/`);
  }
  return { verbs: wordsOf(rule.verbs), all, exact, prefixes };
}
