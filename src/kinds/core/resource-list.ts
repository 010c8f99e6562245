// Amounts of resources by name, as many kinds carry them.

import { formatQuantity, parseQuantity, roundQuantityUp } from "../../meta/quantity.ts";

export type ResourceList = Record<string, string>;

// The finest amount that objects keep: thousandths.
const MILLI = -3;

/** Rounds every amount up to thousandths, as objects keep them. */
export function roundResourceList(list: ResourceList | null | undefined): void {
  for (const name in list) {
    const text = list[name]!;
    // Only amounts with a sub-milli suffix or a fraction can be finer.
    if (!/[nu.e]/i.test(text)) continue;
    const quantity = parseQuantity(text);
    if (quantity !== undefined) list[name] = formatQuantity(roundQuantityUp(quantity, MILLI));
  }
}
