// Thresholds below which a resource of the node counts as scarce: "memory.available": "100Mi", "nodefs.available": "10%".

import { parseQuantity, quantityAsFloat, quantitySign } from "../../meta/quantity.ts";

export const EVICTION_SIGNALS = [
  "memory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "containerfs.available",
  "containerfs.inodesFree",
  "pid.available",
  "allocatableMemory.available",
] as const;

export type EvictionSignal = (typeof EVICTION_SIGNALS)[number];

export type Threshold = { readonly share: number } | { readonly amount: number };

/** Undefined when the text is no threshold: shares are above 0% and at most 100%, amounts are not negative. */
export function parseThreshold(text: string): Threshold | undefined {
  if (text.endsWith("%")) {
    const percent = /^[0-9]{1,3}(?:\.[0-9]{1,6})?%$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN;
    return percent >= 0 && percent <= 100 ? { share: percent / 100 } : undefined;
  }
  const quantity = parseQuantity(text);
  return quantity === undefined || quantitySign(quantity) < 0 ? undefined : { amount: quantityAsFloat(quantity) };
}
