// Amounts of the capacities of a device, by their names. Pure.

import { addQuantities, parseQuantity, type Quantity, subtractQuantities } from "../../meta/quantity.ts";

export type CapacityAmounts = ReadonlyMap<string, Quantity>;

/** What cannot be read counts nothing. */
export function capacityAmounts(texts: Readonly<Record<string, string>>): CapacityAmounts {
  const amounts = Object.entries(texts).flatMap(([name, text]) => {
    const amount = parseQuantity(text);
    return amount === undefined ? [] : [[name, amount] as const];
  });
  return new Map(amounts);
}

/** With the change added or, where it is -1, taken away. */
export function changedAmounts(amounts: CapacityAmounts, change: CapacityAmounts, by: 1 | -1): CapacityAmounts {
  const sums = new Map(amounts);
  for (const [name, amount] of change) {
    const known = sums.get(name);
    if (known === undefined) sums.set(name, amount);
    else sums.set(name, by === 1 ? addQuantities(known, amount) : subtractQuantities(known, amount));
  }
  return sums;
}
