// How much of a resource: never less than nothing, and of things that are counted only whole ones.

import { type FieldError, invalid } from "../../meta/field-error.ts";
import type { Names } from "../../meta/names.ts";
import { compareQuantities, parseQuantity, quantitySign } from "../../meta/quantity.ts";
import { addProblems, NOT_NEGATIVE } from "../meta/value-checks.ts";
import { isCounted, isWhole } from "./pod/resource-names.ts";

export function checkResourceAmount(
  errors: FieldError[],
  field: string,
  name: string,
  amount: string,
  names: Names,
): void {
  checkAmountNotNegative(errors, field, amount);
  if (isCounted(name, names) && !isWhole(amount)) errors.push(invalid(field, amount, "must be an integer"));
}

export function checkAmountNotNegative(errors: FieldError[], field: string, amount: string | undefined): void {
  if (amount !== undefined) addProblems(errors, field, amount, negativeAmountProblems(amount));
}

export const negativeAmountProblems = (amount: string): string[] => (signOf(amount) < 0 ? [NOT_NEGATIVE] : []);

export function checkAmountPositive(errors: FieldError[], field: string, amount: string): void {
  if (signOf(amount) <= 0) errors.push(invalid(field, amount, "must be greater than zero"));
}

/** Texts that are no amounts have been refused before; here they count as nothing. */
export function signOf(amount: string): number {
  const quantity = parseQuantity(amount);
  return quantity === undefined ? 0 : quantitySign(quantity);
}

export function compareAmounts(a: string, b: string): number {
  const [one, other] = [parseQuantity(a), parseQuantity(b)];
  return one === undefined || other === undefined ? 0 : compareQuantities(one, other);
}
