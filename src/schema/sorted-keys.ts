// The keys of an object in the order in which maps are written: by their bytes.

import { isObject, setKey } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import { keysOf } from "../base/wide-keys.ts";

/** Whether texts stand in that order already. */
export function isSorted(texts: readonly string[]): boolean {
  for (let index = 1; index < texts.length; index++) {
    if (compareByBytes(texts[index - 1]!, texts[index]!) > 0) return false;
  }
  return true;
}

/** The same of many. */
export function* areSorted(texts: readonly string[]): Steps<boolean> {
  for (let start = 0; start < texts.length; start += TEXTS_PER_STEP) {
    if (start > 0) yield;
    // The last of them is compared with the first of the next.
    if (!isSorted(texts.slice(start, start + TEXTS_PER_STEP + 1))) return false;
  }
  return true;
}

/** Own keys, ordered by code point, which is the order of their UTF-8 bytes. */
export function sortedKeys(source: object): readonly string[] {
  const keys = keysOf(source);
  return isSorted(keys) ? keys : [...keys].sort(compareByBytes);
}

/** A copy as messages show it: the keys of all objects in it in that order. */
export function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isObject(value)) return value;
  const ordered: Record<string, unknown> = {};
  for (const key of sortedKeys(value)) setKey(ordered, key, inKeyOrder(value[key]));
  return ordered;
}

/** The texts in that order, for many of them. */
export function sortedInSteps(texts: readonly string[]): Steps<readonly string[]> {
  return sortedByInSteps(texts, compareByBytes);
}

/** Many items in the order that a comparison says; those that are equal by it stay as they were. */
export function* sortedByInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let start = 0; start < items.length; start += TEXTS_PER_STEP) {
    runs.push(items.slice(start, start + TEXTS_PER_STEP).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = [];
    for (let index = 0; index < runs.length; index += 2)
      longer.push(yield* merged(runs[index]!, runs[index + 1] ?? [], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

const TEXTS_PER_STEP = 1_000;

function* merged<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Steps<readonly T[]> {
  const all: T[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (all.length % TEXTS_PER_STEP === TEXTS_PER_STEP - 1) yield;
    all.push(j === b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0) ? a[i++]! : b[j++]!);
  }
  return all;
}

/** Orders texts as their UTF-8 bytes are ordered; UTF-16 order differs beyond the basic plane. */
export function compareByBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === length) return a.length - b.length;
  const x = a.charCodeAt(i);
  const y = b.charCodeAt(i);
  const surrogateX = (x & 0xf800) === 0xd800;
  const surrogateY = (y & 0xf800) === 0xd800;
  if (surrogateX !== surrogateY) return surrogateX ? 1 : -1;
  return x - y;
}
