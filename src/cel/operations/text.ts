// Strings by code point. Most strings of objects have no surrogates; those take the short way.

import { countWork } from "./work.ts";

const SURROGATE = /[\ud800-\udfff]/;
/** Up to this length looking at every unit is quicker than starting a pattern. */
const SHORT_TEXT = 48;
/** How many units of a text are gone through in the time of one unit of work: by a pattern, and one by one. */
const SCANNED_PER_WORK = 256;
const WALKED_PER_WORK = 10;

/** Code points in a string. */
export function textSize(text: string): number {
  return isPlainText(text) ? text.length : pointsBefore(text, text.length);
}

/** Whether UTF-16 units and code points are the same for this text. */
export function isPlainText(text: string): boolean {
  if (text.length > SHORT_TEXT) {
    countWork(text.length / SCANNED_PER_WORK);
    return !SURROGATE.test(text);
  }
  for (let index = 0; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xf800) === 0xd800) return false;
  }
  return true;
}

/** How many code points begin before a unit. */
export function pointsBefore(text: string, unit: number): number {
  countWork(unit / WALKED_PER_WORK);
  let points = 0;
  for (let at = 0; at < unit; at += unitsAt(text, at)) points++;
  return points;
}

/** The unit that a code point begins at; undefined for one beyond the end. The end itself is a place. */
export function unitOf(text: string, point: number): number | undefined {
  let at = 0;
  for (let points = 0; points < point; points++) {
    if (at >= text.length) return undefined;
    at += unitsAt(text, at);
  }
  countWork(at / WALKED_PER_WORK);
  return at;
}

/** 2 for a pair of surrogates, 1 for anything else. */
function unitsAt(text: string, at: number): 1 | 2 {
  const isHigh = (text.charCodeAt(at) & 0xfc00) === 0xd800;
  return isHigh && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1;
}

/** By code point, as UTF-8 bytes order: negative, 0 or positive. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  if (length > SHORT_TEXT) {
    if (a === b) return 0;
    if (isPlainText(a) && isPlainText(b)) return a < b ? -1 : 1;
    countWork(length / WALKED_PER_WORK);
  }
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all others, though their own numbers do not. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
