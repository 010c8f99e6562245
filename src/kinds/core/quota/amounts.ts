// Sums of quantities by resource name. Pure.

import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityOfInt,
  quantitySign,
  subtractQuantities,
} from "../../../meta/quantity.ts";

export type Amounts = ReadonlyMap<string, Quantity>;

const ZERO = quantityOfInt(0);

export function readAmounts(list: Readonly<Record<string, string>> | undefined | null): Map<string, Quantity> {
  const amounts = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = parseQuantity(text);
    if (quantity !== undefined) amounts.set(name, quantity);
  }
  return amounts;
}

export function writeAmounts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

export function addAmounts(a: Amounts, b: Amounts): Map<string, Quantity> {
  const sum = new Map(a);
  for (const [name, quantity] of b) sum.set(name, addQuantities(sum.get(name) ?? ZERO, quantity));
  return sum;
}

/** What `a` has more than `b`; nothing is less than none. */
export function increase(a: Amounts, b: Amounts): Map<string, Quantity> {
  const more = new Map<string, Quantity>();
  for (const [name, quantity] of a) {
    const difference = subtractQuantities(quantity, b.get(name) ?? ZERO);
    if (quantitySign(difference) > 0) more.set(name, difference);
  }
  return more;
}

export function only(amounts: Amounts, names: ReadonlySet<string>): Map<string, Quantity> {
  return new Map([...amounts].filter(([name]) => names.has(name)));
}

/** The names of which `amounts` has more than `limits` allow. */
export function exceeding(amounts: Amounts, limits: Amounts): Set<string> {
  const over = new Set<string>();
  for (const [name, quantity] of amounts) {
    const limit = limits.get(name);
    if (limit !== undefined && compareQuantities(quantity, limit) > 0) over.add(name);
  }
  return over;
}

/** `cpu=1,memory=2Gi`. */
export function amountsText(amounts: Amounts): string {
  return [...amounts]
    .map(([name, quantity]) => `${name}=${formatQuantity(quantity)}`)
    .sort()
    .join(",");
}
