// How much processor and memory something uses, from the forms in which servers and agents say it, and as text. Pure.

import type { JsonObject } from "../base/json.ts";
import { parseQuantity, quantityAsFloat } from "../meta/quantity.ts";
import { memberOf, numberAt, textAt } from "./json-members.ts";

export interface Usage {
  readonly milliCores: number;
  readonly memoryBytes: number;
}

/** Of quantities: `{cpu: "250m", memory: "64Mi"}`. */
export function usageOf(quantities: JsonObject): Usage {
  return { milliCores: numberOf(quantities, "cpu") * 1000, memoryBytes: numberOf(quantities, "memory") };
}

/** Of a node or container in an agent's summary. */
export function usageInSummary(statistics: unknown): Usage {
  const nanoCores = numberAt(memberOf(statistics, "cpu"), "usageNanoCores");
  return {
    milliCores: nanoCores / 1_000_000,
    memoryBytes: numberAt(memberOf(statistics, "memory"), "workingSetBytes"),
  };
}

export function addUsage(a: Usage, b: Usage): Usage {
  return { milliCores: a.milliCores + b.milliCores, memoryBytes: a.memoryBytes + b.memoryBytes };
}

export const amountOf = ({ milliCores, memoryBytes }: Usage, what: "cpu" | "memory"): number =>
  what === "cpu" ? milliCores : memoryBytes;

const MIB = 1024 * 1024;

/** Cores and bytes; with `of`, each followed by its share. */
export function usageCells(usage: Usage | undefined, of: Usage | undefined): string[] {
  if (usage === undefined) return Array.from({ length: of === undefined ? 2 : 4 }, () => "<unknown>");
  const share = (what: "cpu" | "memory"): string[] => {
    if (of === undefined) return [];
    const whole = amountOf(of, what);
    return [whole > 0 ? `${Math.floor((amountOf(usage, what) / whole) * 100)}%` : "<unknown>"];
  };
  return [
    `${Math.ceil(usage.milliCores)}m`,
    ...share("cpu"),
    `${Math.floor(usage.memoryBytes / MIB)}Mi`,
    ...share("memory"),
  ];
}

function numberOf(quantities: JsonObject, name: string): number {
  const quantity = parseQuantity(textAt(quantities, name));
  return quantity === undefined ? 0 : quantityAsFloat(quantity);
}
