// Equality and order of values, across numeric types and all the way down.

import { Pace, type Steps } from "../../base/steps.ts";
import { type CelError, noSuchOverload } from "../errors.ts";
import { CelType, equalTypes } from "../types.ts";
import {
  CelDouble,
  CelDuration,
  CelList,
  type CelListValue,
  CelMap,
  CelObject,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  type CelValue,
  isList,
  listAt,
  listSize,
} from "../values.ts";
import { compareNumbers, numberOf } from "./numbers.ts";
import { compareBytes, compareText } from "./text.ts";
import { countWork } from "./work.ts";

/** Values of different types are unequal, never an error; numbers compare by what they count. */
export function equals(a: CelValue, b: CelValue): boolean {
  // What is no number is not equal to itself.
  if (a === b) return !(a instanceof CelDouble) || !Number.isNaN(a.value);
  if (typeof a === "string" || typeof a === "boolean" || a === null) return false;
  if (numberOf(a) !== undefined) return numberOf(b) !== undefined && compareNumbers(a, b) === 0;
  if (isList(a)) return isList(b) && equalLists(a, b);
  if (a instanceof CelMap) return b instanceof CelMap && (a.equals(b) ?? equalMaps(a, b));
  if (a instanceof CelObject) return b instanceof CelObject && a.equals(b);
  if (a instanceof CelOpaque) return b instanceof CelOpaque && a.type.name === b.type.name && a.equals(b);
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a, b);
  if (a instanceof CelType) {
    return b instanceof CelType && (a.name === b.name || equalTypes(a, b));
  }
  return false;
}

/** The same for what may be large. */
export function* equalsInSteps(a: CelValue, b: CelValue, pace = new Pace(PARTS_PER_STEP)): Steps<boolean> {
  if (a === b || typeof a !== "object" || typeof b !== "object") return equals(a, b);
  if (isList(a) && isList(b)) return yield* equalListsInSteps(a, b, pace);
  if (a instanceof CelMap && b instanceof CelMap)
    return yield* a.equalsInSteps(b, pace) ?? equalMapsInSteps(a, b, pace);
  return equals(a, b);
}

/** So many parts are gone through in one step. */
export const PARTS_PER_STEP = 1_000;

/** Negative, 0 or positive; undefined where NaN takes part; an error where the two have no order. */
export function compare(a: CelValue, b: CelValue): number | undefined | CelError {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string") return typeof b === "string" ? compareText(a, b) : noSuchOverload();
  if (numberOf(a) !== undefined) return numberOf(b) === undefined ? noSuchOverload() : compareNumbers(a, b);
  if (typeof a === "boolean") return typeof b === "boolean" ? Number(a) - Number(b) : noSuchOverload();
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareBytes(a, b) : noSuchOverload();
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp ? compareTimes(a, b) : noSuchOverload();
  if (a instanceof CelDuration) return b instanceof CelDuration ? compareTimes(a, b) : noSuchOverload();
  return noSuchOverload();
}

export function listContains(list: CelListValue, value: CelValue): boolean {
  const size = listSize(list);
  countWork(size);
  for (let index = 0; index < size; index++) {
    if (equals(listAt(list, index), value)) return true;
  }
  return false;
}

/** The same where the list, or what is looked for, may be large. */
export function* listContainsInSteps(
  list: CelListValue,
  value: CelValue,
  pace = new Pace(PARTS_PER_STEP),
): Steps<boolean> {
  countWork(listSize(list));
  return (yield* positionInSteps(list, value, pace)) >= 0;
}

/** Of the first element that equals the value; -1 where none does. */
export function* positionInSteps(list: CelListValue, value: CelValue, pace = new Pace(PARTS_PER_STEP)): Steps<number> {
  for (let index = 0; index < listSize(list); index++) {
    if (pace.due()) yield;
    const item = listAt(list, index);
    if (typeof item === "object" ? yield* equalsInSteps(item, value, pace) : equals(item, value)) return index;
  }
  return -1;
}

function compareTimes(a: CelTimestamp | CelDuration, b: CelTimestamp | CelDuration): number {
  return a.seconds === b.seconds ? a.nanos - b.nanos : a.seconds - b.seconds;
}

function equalLists(a: CelListValue, b: CelListValue): boolean {
  if (a instanceof CelList) {
    const unordered = a.equals(b);
    if (unordered !== undefined) return unordered;
  }
  const size = listSize(a);
  if (size !== listSize(b)) return false;
  countWork(size);
  for (let index = 0; index < size; index++) {
    if (!equals(listAt(a, index), listAt(b, index))) return false;
  }
  return true;
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  countWork(a.size);
  for (const key of a.keys()) {
    const left = a.get(key);
    const right = b.get(key);
    if (left === undefined || right === undefined || !equals(left, right)) return false;
  }
  return true;
}

function* equalListsInSteps(a: CelListValue, b: CelListValue, pace: Pace): Steps<boolean> {
  const unordered = a instanceof CelList ? a.equalsInSteps(b, pace) : undefined;
  if (unordered !== undefined) return yield* unordered;
  const size = listSize(a);
  if (size !== listSize(b)) return false;
  countWork(size);
  for (let index = 0; index < size; index++) {
    if (pace.due()) yield;
    const left = listAt(a, index);
    const right = listAt(b, index);
    if (!(typeof left === "object" ? yield* equalsInSteps(left, right, pace) : equals(left, right))) return false;
  }
  return true;
}

/** The keys of a large map alone take long to find. */
function* equalMapsInSteps(a: CelMap, b: CelMap, pace: Pace): Steps<boolean> {
  const known = a.equals(b);
  if (known !== undefined) return known;
  const { size } = a;
  if (pace.due(size)) yield;
  if (size !== b.size) return false;
  if (pace.due(size)) yield;
  countWork(a.size);
  for (const key of a.keys()) {
    if (pace.due()) yield;
    const left = a.get(key);
    const right = b.get(key);
    if (left === undefined || right === undefined) return false;
    if (!(typeof left === "object" ? yield* equalsInSteps(left, right, pace) : equals(left, right))) return false;
  }
  return true;
}

function equalOptionals(a: CelOptional, b: CelOptional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value);
}
