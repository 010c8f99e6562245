// Roles and their bindings.

import type { JsonObject } from "../../base/json.ts";
import { findResource } from "../../client/discovery.ts";
import { namesFor } from "../../meta/names.ts";
import { CliError, type Flag } from "../command.ts";
import { tellOfUnknownVerbs } from "../known-verbs.ts";
import { type Generator, head, pair, splitList, type Words } from "./generator.ts";

const RULE_FLAGS: readonly Flag[] = [
  { name: "verb", value: "verb,...", summary: "what may be done; may be repeated" },
  { name: "resource", value: "type[.group][/part],...", summary: "with what; may be repeated" },
  { name: "resource-name", value: "name", summary: "with these objects only; may be repeated" },
];
const SUBJECT_FLAGS: readonly Flag[] = [
  { name: "clusterrole", value: "name", summary: "the ClusterRole that is given" },
  { name: "user", value: "name", summary: "to this user; may be repeated" },
  { name: "group", value: "name", summary: "to this group; may be repeated" },
  { name: "serviceaccount", value: "namespace:name", summary: "to this service account; may be repeated" },
];

export const ACCESS_GENERATORS: readonly Generator[] = [
  {
    name: "role",
    summary: "a Role with one rule for each group",
    arguments: "NAME",
    flags: RULE_FLAGS,
    make: async (words) => ({ ...rbac(words, "Role"), rules: await rulesOf(words) }),
  },
  {
    name: "clusterrole",
    summary: "a ClusterRole with one rule for each group",
    arguments: "NAME",
    flags: [
      ...RULE_FLAGS,
      { name: "non-resource-url", value: "path", summary: "a path; may be repeated" },
      { name: "aggregation-rule", value: "key=value,...", summary: "the rules of all ClusterRoles with these labels" },
    ],
    make: async (words) => ({
      ...rbac(words, "ClusterRole"),
      ...(aggregationOf(words) ?? { rules: await rulesOf(words) }),
    }),
  },
  {
    name: "rolebinding",
    summary: "gives a Role or ClusterRole in a namespace",
    arguments: "NAME",
    flags: [...SUBJECT_FLAGS, { name: "role", value: "name", summary: "the Role that is given" }],
    make: (words) => ({ ...rbac(words, "RoleBinding"), ...bindingOf(words) }),
  },
  {
    name: "clusterrolebinding",
    summary: "gives a ClusterRole everywhere",
    arguments: "NAME",
    flags: SUBJECT_FLAGS,
    make: (words) => ({ ...rbac(words, "ClusterRoleBinding"), ...bindingOf(words) }),
  },
];

function rbac({ args, dialect }: Words, kind: string): JsonObject {
  return head(`${namesFor(dialect).group("rbac.authorization")}/v1`, kind, args);
}

/** Undefined without --aggregation-rule. Fails with CliError where rules are given, too. */
function aggregationOf({ flags }: Words): JsonObject | undefined {
  const labels = splitList(flags, "aggregation-rule");
  if (labels.length === 0) return undefined;
  if (["verb", "resource", "resource-name", "non-resource-url"].some((name) => flags.list(name).length > 0))
    throw new CliError("aggregation rule must be specified without rules");
  const matchLabels = Object.fromEntries(labels.map((text) => pair(text, "--aggregation-rule")));
  return { aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } };
}

/** Resources of one group share a rule. */
async function rulesOf({ flags, session }: Words): Promise<JsonObject[]> {
  const verbs = splitList(flags, "verb");
  if (verbs.length === 0) throw new CliError("at least one verb must be specified");
  const resourceNames = splitList(flags, "resource-name");
  const urls = splitList(flags, "non-resource-url");
  const groups = new Map<string, string[]>();
  for (const word of splitList(flags, "resource")) {
    const [type = "", part] = word.split("/", 2);
    const found = type === "*" ? { group: "", resource: "*" } : findResource(await session.discovery(), type);
    if (found === undefined) throw new CliError(`the server doesn't have a resource type ${JSON.stringify(type)}`);
    const resource = part === undefined ? found.resource : `${found.resource}/${part}`;
    groups.set(found.group, [...(groups.get(found.group) ?? []), resource]);
  }
  if (groups.size === 0 && urls.length === 0) throw new CliError("one of --resource and --non-resource-url is needed");
  tellOfUnknownVerbs(session, verbs, groups.size > 0 ? "resources" : "paths");
  return [
    ...[...groups].map(([group, resources]) => ({
      apiGroups: [group],
      resources,
      verbs,
      ...(resourceNames.length === 0 ? {} : { resourceNames }),
    })),
    ...(urls.length === 0 ? [] : [{ nonResourceURLs: urls, verbs }]),
  ];
}

function bindingOf({ flags, dialect }: Words): JsonObject {
  const group = namesFor(dialect).group("rbac.authorization");
  const [role, clusterRole] = [flags.text("role"), flags.text("clusterrole")];
  if ((role === undefined) === (clusterRole === undefined))
    throw new CliError("exactly one role must be given: --role or --clusterrole");
  const people = (kind: string, name: string) => ({ kind, apiGroup: group, name });
  const subjects: JsonObject[] = [
    ...splitList(flags, "user").map((name) => people("User", name)),
    ...splitList(flags, "group").map((name) => people("Group", name)),
    ...splitList(flags, "serviceaccount").map((text) => {
      const [namespace, name, ...more] = text.split(":");
      if (!namespace || !name || more.length > 0) throw new CliError("--serviceaccount is <namespace>:<name>");
      return { kind: "ServiceAccount", namespace, name };
    }),
  ];
  const kind = role === undefined ? "ClusterRole" : "Role";
  return { subjects, roleRef: { apiGroup: group, kind, name: (role ?? clusterRole)! } };
}
