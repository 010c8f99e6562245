// Paths and queries of requests. Requirements: document 1, "API paths".

import type { ResourceType } from "./resource-type.ts";

interface PathParts {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Values of a query; those that are undefined are left out, lists are repeated. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Fails when the path would mean something else than what was asked for: an empty name is the whole collection. */
export function resourcePath(
  type: ResourceType,
  { namespace, name, subresource }: PathParts,
  query: Query = {},
): string {
  if (name !== undefined) {
    checkName(name);
    checkNamespace(type, namespace);
  }
  const root = type.group === "" ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && (namespace ?? "") !== "" ? `/namespaces/${encodeURIComponent(namespace!)}` : "";
  const object = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  const below = subresource === undefined ? "" : `/${subresource}`;
  return withQuery(`${root}${scope}/${type.resource}${object}${below}`, query);
}

/** Fails for what would lead elsewhere in a path. */
export function checkName(name: string): void {
  if (name === "" || name === "." || name === "..") throw new Error(`${JSON.stringify(name)} is no name of an object`);
}

/** What is about one object must say in which namespace that is; only lists and watches go over all of them. */
export function checkNamespace({ namespaced, resource }: ResourceType, namespace: string | undefined): void {
  if (namespaced && (namespace ?? "") === "") throw new Error(`${resource} are namespaced: say in which namespace`);
}

export function withQuery(path: string, query: Query): string {
  let text = "";
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of typeof value === "object" ? value : [value]) {
      text += `${text === "" ? "?" : "&"}${encodeURIComponent(key)}=${encodeURIComponent(one)}`;
    }
  }
  return path + text;
}
