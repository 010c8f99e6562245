// By which labels an object chooses its pods: the selector of a workload or a Service, the labels of a pod itself.

import { memberOf, textAt } from "./json-members.ts";

/** Empty when it chooses none. */
export function podLabelsOf(object: unknown): Record<string, string> {
  const selector = memberOf(memberOf(object, "spec"), "selector");
  const matchLabels = texts(memberOf(selector, "matchLabels"));
  if (Object.keys(matchLabels).length > 0) return matchLabels;
  const own = texts(selector);
  if (Object.keys(own).length > 0 || textAt(object, "kind") !== "Pod") return own;
  return texts(memberOf(memberOf(object, "metadata"), "labels"));
}

function texts(labels: Readonly<Record<string, unknown>>): Record<string, string> {
  const pairs = Object.entries(labels).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return Object.fromEntries(pairs);
}
