// What the events of budgets say, in the words that users know from elsewhere. Pure.

import type { Pod } from "../../kinds/core/pod.ts";
import type { LabelSelectorObject } from "../../meta/label-selector.ts";
import { selectorStruct } from "../../meta/selector-struct.ts";

/** A pod under more than one budget cannot be evicted. */
export function severalWords({ metadata: { namespace, name } }: Pod, budgets: readonly string[]): string {
  const chosen = [...budgets].sort()[0];
  return `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${chosen}" arbitrarily.`;
}

export function unmanagedWords(selector: LabelSelectorObject | undefined): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${selectorStruct(selector)}) were found to be unmanaged. ` +
    "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To " +
    'account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}
