// How much of a capacity may be asked for, where several may share it: one of some amounts, or any of a range.

import { type FieldError, forbiddenField, invalid, required } from "../../meta/field-error.ts";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityToInteger,
} from "../../meta/quantity.ts";
import { checkSet } from "./device-name-validation.ts";
import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from "./resource-slice-schema.ts";

const MAX_AMOUNTS = 10;

export function checkRequestPolicy(
  policy: CapacityRequestPolicy,
  capacity: string,
  at: string,
  errors: FieldError[],
): void {
  const { validValues = [], validRange } = policy;
  if (validValues.length > 0 && validRange) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    errors.push(forbiddenField(at, detail));
    return;
  }
  if (validValues.length === 0 && !validRange) return;
  const way = validRange ? "validRange" : "validValues";
  if (policy.default === undefined || policy.default === null) {
    errors.push(required(`${at}.default`, `required when ${way} is defined`));
  } else if (validRange) {
    checkRange(validRange, read(policy.default), read(capacity), `${at}.${way}`, errors);
  } else checkAmounts(validValues.map(read), read(policy.default), read(capacity), `${at}.${way}`, errors);
}

/** Amounts have been read before: their schema says so. */
const read = (text: string): Quantity => parseQuantity(text)!;

function checkAmounts(
  amounts: readonly Quantity[],
  usual: Quantity,
  capacity: Quantity,
  field: string,
  errors: FieldError[],
): void {
  amounts.forEach((amount, index) => {
    if (index === 0 || compareQuantities(amounts[index - 1]!, amount) <= 0) return;
    errors.push(invalid(`${field}[${index}]`, formatQuantity(amount), "values must be sorted in ascending order"));
  });
  const check = (amount: Quantity, at: string) => {
    if (compareQuantities(amount, capacity) <= 0) return;
    const detail = `option is larger than capacity value: ${formatQuantity(capacity)}`;
    errors.push(invalid(at, formatQuantity(amount), detail));
  };
  checkSet(amounts, field, MAX_AMOUNTS, (amount) => String(quantityToInteger(amount)), "", check, errors);
  if (amounts.some((amount) => compareQuantities(amount, usual) === 0)) return;
  errors.push(invalid(field, formatQuantity(usual), "default value is not valid according to the requestPolicy"));
}

function checkRange(
  range: CapacityRequestPolicyRange,
  usual: Quantity,
  capacity: Quantity,
  field: string,
  errors: FieldError[],
): void {
  if (range.min === undefined) {
    errors.push(required(`${field}.min`, "required when validRange is defined"));
    return;
  }
  const refuseAbove = (a: Quantity, b: Quantity, end: string, shown: Quantity, detail: string) => {
    if (compareQuantities(a, b) > 0) errors.push(invalid(`${field}.${end}`, formatQuantity(shown), detail));
  };
  const ofCapacity = `is larger than capacity value: ${formatQuantity(capacity)}`;
  const min = read(range.min);
  refuseAbove(min, capacity, "min", min, `min ${ofCapacity}`);
  refuseAbove(min, usual, "min", usual, `default is less than min: ${formatQuantity(min)}`);
  const max = range.max === undefined ? undefined : read(range.max);
  if (max !== undefined) {
    refuseAbove(min, max, "max", min, `min is larger than max: ${formatQuantity(max)}`);
    refuseAbove(max, capacity, "max", max, `max ${ofCapacity}`);
    refuseAbove(usual, max, "max", usual, `default is more than max: ${formatQuantity(max)}`);
  }
  if (range.step === undefined) return;
  const step = read(range.step);
  const first = addQuantities(min, step);
  refuseAbove(first, capacity, "step", step, `one step ${formatQuantity(first)} ${ofCapacity}`);
  for (const amount of max === undefined ? [usual] : [usual, max]) {
    if (isOnStep(amount, min, step)) continue;
    const detail = `value is not a multiple of a given step (${formatQuantity(step)}) from (${formatQuantity(min)})`;
    errors.push(invalid(`${field}.step`, formatQuantity(amount), detail));
  }
}

function isOnStep(amount: Quantity, min: Quantity, step: Quantity): boolean {
  const size = quantityToInteger(step);
  return size !== 0n && (quantityToInteger(amount) - quantityToInteger(min)) % size === 0n;
}
