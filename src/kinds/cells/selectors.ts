// Labels and label selectors as text in table cells. Pure.

import type { LabelSelector } from "../meta/label-selector.ts";

/** `a=1,b=2` by sorted key, `<none>` without labels. */
export function labelsText(labels: Readonly<Record<string, string>> | null | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort().join(",");
}

/** A selector the way the query parameter spells it, `<none>` when it selects nothing or everything. */
export function selectorCell(selector: LabelSelector | null | undefined): string {
  return selectorText(selector) || "<none>";
}

/** A selector the way the query parameter spells it: requirements by key, empty when there are none. */
export function selectorText(selector: LabelSelector | null | undefined): string {
  if (!selector) return "";
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = (selector.matchExpressions ?? []).map((expression) => ({
    key: expression.key,
    text: requirementText(expression.key, expression.operator, expression.values ?? []),
  }));
  return [...labels, ...expressions]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(",");
}

function requirementText(key: string, operator: string, values: readonly string[]): string {
  const list = [...values].sort().join(",");
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
