// What somebody may do, as rows: one for each resource, name and path, with all verbs that any rule allows there. Pure.

import { isObject, type Json, type JsonObject } from "../base/json.ts";

const HEADER: readonly string[] = ["Resources", "Non-Resource URLs", "Resource Names", "Verbs"];

/** `status`: of a review of rules. The first row has the titles. */
export function rightsTable(status: JsonObject): string[][] {
  const rights = new Map<string, Right>();
  for (const right of [...resourceRights(status), ...pathRights(status)]) {
    const key = JSON.stringify([right.group, right.resource, right.name, right.path]);
    const { verbs = [] } = rights.get(key) ?? {};
    rights.set(key, { ...right, verbs: [...new Set([...verbs, ...right.verbs])] });
  }
  return [[...HEADER], ...[...rights.values()].sort(inOrder).map(cellsOf)];
}

/** Empty texts where it is about something else. */
interface Right {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly path: string;
  readonly verbs: readonly string[];
}

function resourceRights(status: JsonObject): Right[] {
  return objectsOf(status["resourceRules"]).flatMap((rule) => {
    const [verbs, named] = [textsOf(rule["verbs"]), textsOf(rule["resourceNames"])];
    return textsOf(rule["apiGroups"]).flatMap((group) =>
      textsOf(rule["resources"]).flatMap((resource) =>
        (named.length === 0 ? [""] : named).map((name) => ({ group, resource, name, path: "", verbs })),
      ),
    );
  });
}

function pathRights(status: JsonObject): Right[] {
  return objectsOf(status["nonResourceRules"]).flatMap((rule) =>
    textsOf(rule["nonResourceURLs"]).map((path) => ({
      group: "",
      resource: "",
      name: "",
      path,
      verbs: textsOf(rule["verbs"]),
    })),
  );
}

/** Resources before paths; of each those first of which everything is allowed, then by group. */
function inOrder(a: Right, b: Right): number {
  const words = ({ path, verbs, group, resource, name }: Right): string[] => [
    path === "" ? "resource" : "url",
    verbs.includes("*") ? "all" : "some",
    ...[group, resource, name, path],
  ];
  const others = words(b);
  const [own = "", other = ""] =
    words(a)
      .map((word, index) => [word, others[index]!] as const)
      .find(([one, two]) => one !== two) ?? [];
  return own < other ? -1 : own > other ? 1 : 0;
}

function cellsOf({ group, resource, name, path, verbs }: Right): string[] {
  const type = group === "" ? resource : `${resource}.${group}`;
  return [type, `[${path}]`, `[${name}]`, `[${verbs.join(" ")}]`];
}

const objectsOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const textsOf = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);
