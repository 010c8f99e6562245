// Labels and label selectors as text in table cells. Pure.

import { keysOf } from "../../base/wide-keys.ts";
import { isSorted, sortedKeys } from "../../schema/sorted-keys.ts";
import type { LabelSelector } from "../meta/label-selector.ts";

type Labels = Readonly<Record<string, string>>;

/** `a=1,b=2` by sorted key, `<none>` without labels. */
export function labelsText(labels: Labels | null | undefined): string {
  const all = labels ?? {};
  const pairs = keysOf(all).map((key) => `${key}=${all[key]}`);
  return pairs.length === 0 ? "<none>" : (isSorted(pairs) ? pairs : pairs.sort()).join(",");
}

/** A selector the way the query parameter spells it, `<none>` when it selects nothing or everything. */
export function selectorCell(selector: LabelSelector | null | undefined): string {
  return selectorText(selector) || "<none>";
}

/** A selector the way the query parameter spells it: requirements by key, empty when there are none. */
export function selectorText(selector: LabelSelector | null | undefined): string {
  if (!selector) return "";
  const labels = selector.matchLabels ?? {};
  const expressions = selector.matchExpressions ?? [];
  const keys = sortedKeys(labels);
  const textOf = (key: string) => `${key}=${labels[key]}`;
  if (expressions.length === 0) return keys.map(textOf).join(",");
  const parts = keys.map((key) => ({ key, text: textOf(key) }));
  for (const { key, operator, values } of expressions)
    parts.push({ key, text: requirementText(key, operator, values ?? []) });
  if (!isSorted(parts.map(({ key }) => key))) parts.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return parts.map(({ text }) => text).join(",");
}

function requirementText(key: string, operator: string, values: readonly string[]): string {
  const list = (isSorted(values) ? values : [...values].sort()).join(",");
  switch (operator) {
    case "In":
      return `${key} in (${list})`;
    case "NotIn":
      return `${key} notin (${list})`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return "<error>";
  }
}
