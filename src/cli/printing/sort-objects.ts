// `--sort-by PATH`: numbers and amounts (1Gi) by their size, everything else as text; what has no value comes first.

import type { JsonObject } from "../../base/json.ts";
import { parseJsonPath } from "../../codec/json-path.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../meta/quantity.ts";
import { CliError } from "../command.ts";

/** Fails with CliError. */
export function sortedBy<T>(items: readonly T[], path: string, objectOf: (item: T) => JsonObject | undefined): T[] {
  const read = parseJsonPath(path);
  if (read === undefined) throw new CliError(`--sort-by: ${JSON.stringify(path)} is no path`);
  const keyed = items.map((item) => ({ item, ...keyOf(read(objectOf(item))) }));
  // A typing error would look like an order.
  if (keyed.length > 0 && keyed.every(({ value }) => value === undefined))
    throw new CliError(`couldn't find any field with path ${JSON.stringify(path)} in the list of objects`);
  return keyed.sort(compare).map(({ item }) => item);
}

interface Key {
  readonly value: unknown;
  /** Of texts that are amounts. */
  readonly quantity: Quantity | undefined;
}

function keyOf(value: unknown): Key {
  return { value, quantity: typeof value === "string" ? parseQuantity(value) : undefined };
}

function compare(a: Key, b: Key): number {
  if (a.value === undefined || b.value === undefined) {
    if (a.value === b.value) return 0;
    return a.value === undefined ? -1 : 1;
  }
  if (typeof a.value === "number" && typeof b.value === "number") return a.value - b.value;
  if (a.quantity !== undefined && b.quantity !== undefined) return compareQuantities(a.quantity, b.quantity);
  return naturally(String(a.value), String(b.value));
}

/** Numbers inside of texts count as numbers: web-9 before web-10. */
function naturally(a: string, b: string): number {
  const [left, right] = [a.match(PIECES) ?? [], b.match(PIECES) ?? []];
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const [one, other] = [left[at]!, right[at]!];
    if (one === other) continue;
    const both = /^\d/.test(one) && /^\d/.test(other);
    const [x, y] = both ? [one.replace(/^0+(?=\d)/, ""), other.replace(/^0+(?=\d)/, "")] : [one, other];
    if (both && x.length !== y.length) return x.length - y.length;
    if (x !== y) return x < y ? -1 : 1;
  }
  return left.length - right.length;
}

const PIECES = /\d+|\D+/g;
