// How much processor and memory something uses, from the forms in which servers and agents say it, and as text. Pure.

import type { JsonObject } from "../base/json.ts";
import { parseQuantity, quantityAsFloat } from "../meta/quantity.ts";
import { memberOf, numberAt, textAt } from "./json-members.ts";

export interface Usage {
  readonly milliCores: number;
  readonly memoryBytes: number;
  /** Undefined where nobody knows. */
  readonly swapBytes: number | undefined;
}

export type Measured = "cpu" | "memory" | "swap";

/** Of quantities: `{cpu: "250m", memory: "64Mi"}`. */
export function usageOf(quantities: JsonObject): Usage {
  return {
    milliCores: numberOf(quantities, "cpu") * 1000,
    memoryBytes: numberOf(quantities, "memory"),
    swapBytes: numberOf(quantities, "swap"),
  };
}

/** Of a node or container in an agent's summary. */
export function usageInSummary(statistics: unknown): Usage {
  const nanoCores = numberAt(memberOf(statistics, "cpu"), "usageNanoCores");
  return {
    milliCores: nanoCores / 1_000_000,
    memoryBytes: numberAt(memberOf(statistics, "memory"), "workingSetBytes"),
    swapBytes: numberAt(memberOf(statistics, "swap"), "swapUsageBytes"),
  };
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    milliCores: a.milliCores + b.milliCores,
    memoryBytes: a.memoryBytes + b.memoryBytes,
    swapBytes: (a.swapBytes ?? 0) + (b.swapBytes ?? 0),
  };
}

/** Cores, or bytes. Undefined where nobody knows. */
export function amountOf(usage: Usage, what: Measured): number | undefined {
  return what === "cpu" ? usage.milliCores : what === "memory" ? usage.memoryBytes : usage.swapBytes;
}

const MIB = 1024 * 1024;

/** Of each what was measured; with `of`, followed by its share, and unknown where the whole is. */
export function usageCells(usage: Usage | undefined, of: Usage | undefined, measured: readonly Measured[]): string[] {
  return measured.flatMap((what) => {
    const [used, whole] = [usage, of].map((one) => (one === undefined ? undefined : amountOf(one, what)));
    if (used === undefined || (of !== undefined && whole === undefined))
      return Array.from({ length: of === undefined ? 1 : 2 }, () => UNKNOWN);
    const text = what === "cpu" ? `${Math.ceil(used)}m` : `${Math.floor(used / MIB)}Mi`;
    return whole === undefined ? [text] : [text, shareOf(what, used, whole)];
  });
}

const UNKNOWN = "<unknown>";

function shareOf(what: Measured, used: number, whole: number): string {
  if (whole > 0) return `${Math.floor((used / whole) * 100)}%`;
  // A machine without swap uses nothing of nothing.
  return what === "swap" ? "0%" : UNKNOWN;
}

function numberOf(quantities: JsonObject, name: string): number {
  const quantity = parseQuantity(textAt(quantities, name));
  return quantity === undefined ? 0 : quantityAsFloat(quantity);
}
