// Quantities as whole thousandths, in which metrics, requests and targets are compared.

import { formatQuantity, parseQuantity, type QuantityFormat, roundQuantityUp } from "../../meta/quantity.ts";

/** Rounded up; undefined for what is no quantity. */
export function milliValue(quantity: unknown): number | undefined {
  const parsed =
    typeof quantity === "string" || typeof quantity === "number" ? parseQuantity(String(quantity)) : undefined;
  if (parsed === undefined) return undefined;
  const { value, scale } = roundQuantityUp(parsed, -3);
  return Number(value) * 10 ** (scale + 3);
}

export function milliQuantity(milli: number, format: QuantityFormat = "DecimalSI"): string {
  return formatQuantity({ value: BigInt(Math.trunc(milli)), scale: -3, format, wide: false });
}
