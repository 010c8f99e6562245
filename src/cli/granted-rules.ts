// Rules of access as a table: a line for each resource, or name of one, and for each path with a verb.

import type { JsonObject } from "../base/json.ts";

export const GRANT_HEADER = ["Resources", "Non-Resource URLs", "Resource Names", "Verbs"];

interface Grant {
  /** Empty for a path. */
  readonly resource: string;
  readonly group: string;
  readonly name: string;
  readonly path: string;
  readonly verbs: string[];
}

/** The lines of the table: verbs that several rules grant on the same thing stand together, paths as they are granted. */
export function grantRows(rules: readonly JsonObject[]): string[][] {
  const onResources = new Map<string, Grant>();
  const onPaths: Grant[] = [];
  for (const rule of rules) {
    const verbs = textsOf(rule, "verbs");
    for (const grant of resourceGrants(rule)) {
      const key = JSON.stringify([grant.group, grant.resource, grant.name]);
      const known = onResources.get(key) ?? { ...grant, verbs: [] };
      onResources.set(key, known);
      for (const verb of verbs) if (!known.verbs.includes(verb)) known.verbs.push(verb);
    }
    for (const path of textsOf(rule, "nonResourceURLs"))
      for (const verb of verbs) onPaths.push({ resource: "", group: "", name: "", path, verbs: [verb] });
  }
  return [...onPaths, ...onResources.values()].sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).map(rowOf);
}

function* resourceGrants(rule: JsonObject): Generator<Omit<Grant, "verbs">> {
  const names = textsOf(rule, "resourceNames");
  for (const group of textsOf(rule, "apiGroups"))
    for (const resource of textsOf(rule, "resources"))
      for (const name of names.length === 0 ? [""] : names) yield { resource, group, name, path: "" };
}

function textsOf(rule: JsonObject, field: string): string[] {
  const value = rule[field];
  return Array.isArray(value) ? value.map(String) : [];
}

/** Those of the same verbs stand together, in the order of groups. */
const rank = ({ resource, group, name, path, verbs }: Grant): string =>
  [verbs.join(" "), group, resource, name, path].map((part) => `${part}]`).join("");

const rowOf = ({ resource, group, name, path, verbs }: Grant): string[] => [
  withGroup(resource, group),
  `[${path}]`,
  `[${name}]`,
  `[${verbs.join(" ")}]`,
];

/** `deployments.apps/scale` */
function withGroup(resource: string, group: string): string {
  if (group === "") return resource;
  const [type = "", ...sub] = resource.split("/");
  return [`${type}.${group}`, ...sub].join("/");
}
