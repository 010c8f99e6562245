// What the events of budgets say, in the words that users know from elsewhere. Pure.

import type { Pod } from "../../kinds/core/pod.ts";
import type { LabelSelectorObject } from "../../meta/label-selector.ts";

/** A pod under more than one budget cannot be evicted. */
export function severalWords({ metadata: { namespace, name } }: Pod, budgets: readonly string[]): string {
  const chosen = [...budgets].sort()[0];
  return `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${chosen}" arbitrarily.`;
}

export function unmanagedWords(selector: LabelSelectorObject | undefined): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${selectorWords(selector)}) were found to be unmanaged. ` +
    "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To " +
    'account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}

function selectorWords(selector: LabelSelectorObject | undefined): string {
  if (selector === undefined) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const rules = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(" ")}],},`,
  );
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${rules.join("")}},}`
  );
}
