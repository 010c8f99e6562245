// What a server behind says that it serves, in either form of discovery, reduced to what is well-formed: it becomes a part of
// our own documents.

import { isObject, type Json, type JsonObject } from "../../../base/json.ts";

/** APIResourceDiscovery. */
export type ResourceEntry = JsonObject;

/** Of one group and version; what is beyond is left out. */
const MAX_RESOURCES = 2_000;
const MAX_VALUES = 100;

/** From an APIResourceList, which names sub-resources beside resources. */
export function resourcesOfList(list: Json): ResourceEntry[] {
  const listed = objects(list, "resources");
  const found = new Map<string, ResourceEntry>();
  const parts = new Map<string, JsonObject[]>();
  for (const one of listed) {
    const [name = "", subresource = ""] = text(one["name"]).split("/", 2);
    if (name === "") continue;
    if (subresource === "") found.set(name, resource({ ...one, resource: name }, one, one["namespaced"] === true));
    else parts.set(name, [...(parts.get(name) ?? []), subresourceEntry(subresource, one, one)]);
  }
  return [...found].map(([name, entry]) => {
    const subresources = parts.get(name);
    return subresources === undefined ? entry : { ...entry, subresources };
  });
}

/** From an APIGroupDiscoveryList; undefined when the group and version are not in it. */
export function resourcesOfDiscovery(list: Json, group: string, version: string): ResourceEntry[] | undefined {
  const item = objects(list, "items").find(({ metadata }) => isObject(metadata) && metadata["name"] === group);
  const found = objects(item, "versions").find((one) => one["version"] === version);
  if (found === undefined) return undefined;
  return objects(found, "resources").flatMap((one) => {
    if (text(one["resource"]) === "") return [];
    const subresources = objects(one, "subresources").map((part) =>
      subresourceEntry(text(part["subresource"]), part, part["responseKind"]),
    );
    const entry = resource(one, one["responseKind"], one["scope"] === "Namespaced");
    return [subresources.length === 0 ? entry : { ...entry, subresources }];
  });
}

function resource(one: JsonObject, kind: Json | undefined, namespaced: boolean): ResourceEntry {
  const [shortNames, categories] = [texts(one["shortNames"]), texts(one["categories"])];
  return {
    resource: text(one["resource"]),
    responseKind: kindOf(kind),
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: text(one["singularResource"] ?? one["singularName"]),
    verbs: texts(one["verbs"]),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}

function subresourceEntry(name: string, one: JsonObject, kind: Json | undefined): JsonObject {
  return { subresource: name, responseKind: kindOf(kind), verbs: texts(one["verbs"]) };
}

/** As upstream: what a server does not say stays empty. */
function kindOf(value: Json | undefined): JsonObject {
  const kind = isObject(value) ? value : {};
  return { group: text(kind["group"]), version: text(kind["version"]), kind: text(kind["kind"]) };
}

function objects(value: Json | undefined, key: string): JsonObject[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isObject).slice(0, MAX_RESOURCES) : [];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string").slice(0, MAX_VALUES) : [];
