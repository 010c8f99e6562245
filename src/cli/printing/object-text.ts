// Objects as text: JSON, YAML, or their names.

import { getKey, isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { DiscoveredResource } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { encodeYaml } from "../../codec/yaml.ts";

/** With a newline at the end. */
export function objectText(object: Json, format: "json" | "yaml"): string {
  return format === "json"
    ? `${jsonText(inOrder(object), "    ")}\n`
    : Buffer.from(encodeYaml(object)).toString("utf8");
}

/** The same object is the same text, whatever the order in which a server keeps it; YAML has the same order. */
export function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, inOrder(value[key]!)]));
}

/** What other commands take: `pod/web`, `deployment.apps/web`. */
export function objectName(resource: Pick<DiscoveredResource, "group" | "kind">, name: string): string {
  return `${kindWord(resource)}/${name}`;
}

export function kindWord({ group, kind }: Pick<DiscoveredResource, "group" | "kind">): string {
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}`;
}

export function nameOf(object: Json): string {
  const metadata = isObject(object) ? getKey(object, "metadata") : undefined;
  const name = isObject(metadata) ? getKey(metadata, "name") : undefined;
  return typeof name === "string" ? name : "";
}

/** Who owns which field fills pages and is rarely what one looks for. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = getKey(object, "metadata");
  if (!isObject(metadata) || !Object.hasOwn(metadata, "managedFields")) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
