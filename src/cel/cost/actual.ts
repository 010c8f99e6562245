// What operations cost at run time, in upstream's units.

import { textSize } from "../operations/text.ts";
import { countWork } from "../operations/work.ts";
import {
  CelList,
  CelMap,
  CelObject,
  CelOpaque,
  CelOptional,
  type CelValue,
  isList,
  listAt,
  listSize,
} from "../values.ts";
import { REGEX_FACTOR, TEXT_FACTOR } from "./sizes.ts";

/** Characters, bytes, elements or entries; 1 for everything without a size. */
export function sizeOf(value: CelValue): number {
  if (typeof value === "string") return textSize(value);
  if (typeof value !== "object" || value === null) return 1;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof CelList || value instanceof CelMap || value instanceof CelObject || value instanceof CelOpaque) {
    return value.size;
  }
  if (value instanceof CelOptional && value.value !== undefined) return sizeOf(value.value);
  return 1;
}

/** Going once through a text. */
export function textCostOf(value: CelValue): number {
  // Up to ten units cost the same however many code points they are.
  if (typeof value === "string" && value.length <= 10) return value.length === 0 ? 0 : 1;
  return Math.ceil(sizeOf(value) * TEXT_FACTOR);
}

/** `==`: values of libraries are one unit. */
export function equalityCost(a: CelValue, b: CelValue): number {
  return a instanceof CelOpaque ? 1 : comparisonCost(a, b);
}

/** `!=` and the orders of texts. */
export function comparisonCost(a: CelValue, b: CelValue): number {
  if (typeof a === "string" && typeof b === "string") {
    const units = Math.min(a.length, b.length);
    // Up to ten units cost the same however many code points they are.
    if (units <= 10) return units === 0 ? 0 : 1;
  }
  return Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * TEXT_FACTOR);
}

export function joinCost(a: CelValue, b: CelValue): number {
  return Math.ceil((sizeOf(a) + sizeOf(b)) * TEXT_FACTOR);
}

export function searchCost(text: CelValue, part: CelValue): number {
  return textCostOf(text) * textCostOf(part);
}

export function matchCost(text: CelValue, pattern: CelValue): number {
  return Math.ceil((1 + sizeOf(text)) * TEXT_FACTOR) * Math.ceil(sizeOf(pattern) * REGEX_FACTOR);
}

/** Going through a value with all that it contains. */
export function traversalCost(value: CelValue): number {
  if (typeof value === "string") return Math.floor(utf8Length(value) * TEXT_FACTOR);
  if (typeof value !== "object") return 1;
  if (value instanceof Uint8Array) return Math.floor(value.length * TEXT_FACTOR);
  if (isList(value)) {
    let cost = 0;
    const size = listSize(value);
    // Empty texts cost nothing, but are gone through all the same.
    countWork(size);
    for (let index = 0; index < size; index++) cost += traversalCost(listAt(value, index));
    return cost;
  }
  if (value instanceof CelMap) {
    let cost = 0;
    countWork(value.size);
    for (const key of value.keys()) cost += traversalCost(key) + traversalCost(value.get(key) ?? null);
    return cost;
  }
  return 1;
}

function utf8Length(text: string): number {
  // Up to three units the cost is nothing, however many bytes they are.
  if (text.length <= 3) return text.length;
  return /^[\x00-\x7f]*$/.test(text) ? text.length : Buffer.byteLength(text);
}
