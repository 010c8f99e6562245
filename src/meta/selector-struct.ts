// A label selector the way upstream prints the structure itself: table cells, events and conditions show it so. Pure.

import { keysOf } from "../base/wide-keys.ts";
import type { LabelSelectorObject } from "./label-selector.ts";

/** `nil` when there is none. */
export function selectorStruct(selector: LabelSelectorObject | undefined): string {
  if (selector === undefined) return "nil";
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const labels = [...keysOf(matchLabels)].sort().map((key) => `${key}: ${matchLabels[key]},`);
  const requirements = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${requirements.join("")}},}`
  );
}
