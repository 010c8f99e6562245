// By which labels an object chooses its pods: the selector of a workload or a Service, the labels of a pod itself.

import { itemsAt, memberOf, textAt } from "./json-members.ts";

/** Empty when it chooses none, or not by single values. */
export function podLabelsOf(object: unknown): Record<string, string> {
  const selector = memberOf(memberOf(object, "spec"), "selector");
  const matchLabels = texts(memberOf(selector, "matchLabels"));
  if (Object.keys(matchLabels).length > 0) return matchLabels;
  const own = texts(selector);
  if (Object.keys(own).length > 0 || textAt(object, "kind") !== "Pod") return own;
  return texts(memberOf(memberOf(object, "metadata"), "labels"));
}

const OPERATORS: ReadonlyMap<string, (key: string, values: string) => string> = new Map([
  ["In", (key, values) => `${key} in (${values})`],
  ["NotIn", (key, values) => `${key} notin (${values})`],
  ["Exists", (key) => key],
  ["DoesNotExist", (key) => `!${key}`],
]);

/** As lists take it: `app=web,tier in (a,b)`. Empty when the object chooses no pods. */
export function podSelectorOf(object: unknown): string {
  const selector = memberOf(memberOf(object, "spec"), "selector");
  const expressions = itemsAt(selector, "matchExpressions").map((term) => {
    const values = Array.isArray(term["values"]) ? term["values"].join(",") : "";
    return OPERATORS.get(textAt(term, "operator"))?.(textAt(term, "key"), values) ?? "";
  });
  return [...Object.entries(podLabelsOf(object)).map(([key, value]) => `${key}=${value}`), ...expressions].join(",");
}

function texts(labels: Readonly<Record<string, unknown>>): Record<string, string> {
  const pairs = Object.entries(labels).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return Object.fromEntries(pairs);
}
