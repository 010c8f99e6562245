// How much of each capacity of a device a request takes: what it asks for, rounded as the device's policy says. Pure.
//
//   a request for 3 of a capacity of 10     takes
//   without a policy                        3
//   validValues [1, 2, 4, 8]                4
//   validRange { min: 2, step: 2 }          4
//   ... and of one that it does not name    the policy's default, or all 10

import type { CapacityRequestPolicy, Device } from "../../kinds/resource/resource-slice-schema.ts";
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityOfInt,
  quantityToInteger,
} from "../../meta/quantity.ts";
import type { CapacityAmounts } from "../state/capacity-amounts.ts";

/** Undefined when the device cannot give such amounts, to whomever. */
export function amountsTaken(
  { capacity }: Device,
  requests: Readonly<Record<string, string>> | undefined,
): CapacityAmounts | undefined {
  const capacities = Object.entries(capacity ?? {});
  const named = new Map(Object.entries(requests ?? {}));
  const taken = new Map<string, Quantity>();
  for (const [name, { value, requestPolicy }] of capacities) {
    const asked = named.get(name);
    named.delete(name);
    const amount = asked === undefined ? read(requestPolicy?.default ?? value) : roundedUp(read(asked), requestPolicy);
    if (compareQuantities(amount, read(value)) > 0 || !isAllowed(amount, requestPolicy)) return undefined;
    taken.set(name, amount);
  }
  // It asks for something that the device does not have.
  return named.size > 0 ? undefined : taken;
}

const NOTHING = parseQuantity("0")!;

const read = (text: string): Quantity => parseQuantity(text) ?? NOTHING;

function roundedUp(asked: Quantity, policy: CapacityRequestPolicy | undefined): Quantity {
  const { validRange: range, validValues } = policy ?? {};
  if (range?.min !== undefined) {
    const min = read(range.min);
    if (compareQuantities(asked, min) < 0) return min;
    return range.step === undefined ? asked : onStep(asked, min, read(range.step));
  }
  return validValues?.map(read).find((value) => compareQuantities(asked, value) <= 0) ?? asked;
}

/** Steps are whole numbers, as upstream. */
function onStep(asked: Quantity, min: Quantity, step: Quantity): Quantity {
  const [from, size] = [quantityToInteger(min), quantityToInteger(step)];
  if (size <= 0n) return asked;
  const steps = (quantityToInteger(asked) - from + size - 1n) / size;
  return quantityOfInt(from + steps * size, step.format);
}

function isAllowed(amount: Quantity, policy: CapacityRequestPolicy | undefined): boolean {
  const { default: usual, validRange: range, validValues = [] } = policy ?? {};
  const is = (text: string): boolean => compareQuantities(amount, read(text)) === 0;
  if (usual !== undefined && usual !== null && is(usual)) return true;
  if (range?.max !== undefined && compareQuantities(amount, read(range.max)) > 0) return false;
  if (range !== undefined || validValues.length === 0) return true;
  return validValues.some(is);
}
