// What the extended string functions do with texts. Positions count code points.

import { append } from "../../base/append.ts";
import type { Steps } from "../../base/steps.ts";
import { CelError } from "../errors.ts";
import { MAX_RESULT_SIZE } from "../limits.ts";
import { TOO_LARGE } from "../operations/operators.ts";
import { isPlainText, pointsBefore, textSize, unitOf } from "../operations/text.ts";
import { eachText, findLastText, findText } from "../operations/text-search.ts";
import { countWork } from "../operations/work.ts";
import { type CelInt, type CelListValue, type CelValue, listAt, listSize, listToArray } from "../values.ts";

function outOfRange(index: CelInt): CelError {
  return new CelError(`index out of range: ${index}`);
}

export function charAt(text: string, index: CelInt): CelValue {
  const at = unitAt(text, Number(index));
  if (at === undefined) return outOfRange(index);
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}

/** The unit that a position means; the end is one too. */
function unitAt(text: string, position: number): number | undefined {
  if (position < 0 || position > text.length) return undefined;
  return isPlainText(text) ? position : unitOf(text, position);
}

function positionOf(text: string, unit: number): number {
  return unit < 0 || isPlainText(text) ? unit : pointsBefore(text, unit);
}

/** Beyond the end there is nothing to find. */
export function indexOf(text: string, part: string, from: CelInt): CelValue {
  if (part === "") return from;
  if (from < 0) return outOfRange(from);
  const start = unitAt(text, Number(from));
  return start === undefined ? -1 : positionOf(text, findText(text, part, start));
}

export function lastIndexOf(text: string, part: string, from?: CelInt): CelValue {
  if (part === "") return from ?? textSize(text);
  if (from === undefined) return positionOf(text, findLastText(text, part, text.length));
  if (from < 0) return outOfRange(from);
  const start = unitAt(text, Number(from));
  return start === undefined || start >= text.length ? -1 : positionOf(text, findLastText(text, part, start));
}

export function lowerAscii(text: string): string {
  return isAscii(text) ? text.toLowerCase() : moveLetters(text, 0x41, 32);
}

export function upperAscii(text: string): string {
  return isAscii(text) ? text.toUpperCase() : moveLetters(text, 0x61, -32);
}

function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}

/** The 26 letters from one on become others; what is not ASCII stays. */
function moveLetters(text: string, first: number, by: number): string {
  const units = Buffer.from(text, "utf16le");
  for (let at = 0; at < units.length; at += 2) {
    const low = units[at] as number;
    if (units[at + 1] === 0 && low >= first && low < first + 26) units[at] = low + by;
  }
  return units.toString("utf16le");
}

export function replace(text: string, old: string, replacement: string, limit: CelInt = -1): CelValue {
  const most = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  if (most === 0) return text;
  if (old === "") return replaceBetween(text, replacement, most);
  const parts = splitText(text, old, most + 1);
  const size = text.length + (parts.length - 1) * (replacement.length - old.length);
  return size > MAX_RESULT_SIZE ? TOO_LARGE : parts.join(replacement);
}

/** An empty text is found before every character and at the end. */
function replaceBetween(text: string, replacement: string, most: number): CelValue {
  if (text === "") return replacement;
  const parts = splitText(text, "", most);
  if (text.length + (parts.length + 1) * replacement.length > MAX_RESULT_SIZE) return TOO_LARGE;
  return `${replacement}${parts.join(replacement)}${most > parts.length ? replacement : ""}`;
}

export function split(text: string, separator: string, limit: CelInt = -1): CelValue {
  return splitText(text, separator, limit < 0 ? Number.POSITIVE_INFINITY : Number(limit));
}

/** At most so many parts, the last with the rest. */
function splitText(text: string, separator: string, most: number): string[] {
  if (most === 0) return [];
  if (separator === "" && most >= text.length) return pointsOf(text);
  const parts: string[] = [];
  let from = 0;
  for (const at of separator === "" ? eachPoint(text) : eachText(text, separator)) {
    if (parts.length + 1 >= most) break;
    countWork(1);
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  if (separator !== "" || from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Shorter texts are taken apart at once. */
const LONG_TEXT = 50_000;
const PARTS_PER_STEP = 1_000;

export function splitInSteps(text: string, separator: string, limit: CelInt = -1): Steps<CelValue> | undefined {
  if (text.length < LONG_TEXT || separator === "") return undefined;
  return longSplit(text, separator, limit < 0 ? Number.POSITIVE_INFINITY : Number(limit));
}

function* longSplit(text: string, separator: string, most: number): Steps<string[]> {
  const all: string[] = [];
  for (const parts of eachParts(text, separator, most)) {
    append(all, parts);
    yield;
  }
  return all;
}

export function replaceInSteps(
  text: string,
  old: string,
  replacement: string,
  limit: CelInt = -1,
): Steps<CelValue> | undefined {
  if (text.length < LONG_TEXT || old === "" || Number(limit) === 0) return undefined;
  return longReplace(text, old, replacement, limit < 0 ? Number.POSITIVE_INFINITY : Number(limit));
}

function* longReplace(text: string, old: string, replacement: string, most: number): Steps<CelValue> {
  const joined: string[] = [];
  let size = text.length + old.length - replacement.length;
  for (const parts of eachParts(text, old, most + 1)) {
    size += parts.length * (replacement.length - old.length);
    if (replacement.length <= old.length || size <= MAX_RESULT_SIZE) joined.push(parts.join(replacement));
    yield;
  }
  return size > MAX_RESULT_SIZE ? TOO_LARGE : joined.join(replacement);
}

/** What `splitText` finds, so many parts at a time. */
function* eachParts(text: string, separator: string, most: number): Generator<string[]> {
  if (most === 0) return;
  let parts: string[] = [];
  let count = 1;
  let from = 0;
  for (const at of eachText(text, separator)) {
    if (count >= most) break;
    countWork(1);
    parts.push(text.slice(from, at));
    from = at + separator.length;
    count += 1;
    if (parts.length < PARTS_PER_STEP) continue;
    yield parts;
    parts = [];
  }
  yield [...parts, text.slice(from)];
}

function pointsOf(text: string): string[] {
  countWork(text.length);
  return isPlainText(text) ? text.split("") : Array.from(text);
}

/** Where each code point but the first begins. */
function* eachPoint(text: string): Generator<number> {
  let at = 0;
  for (const point of text) {
    if (at > 0) yield at;
    at += point.length;
  }
}

export function join(list: CelListValue, separator = ""): CelValue {
  countWork(listSize(list));
  const items = listToArray(list);
  let length = 0;
  for (const item of items) {
    if (typeof item !== "string") return NO_TEXTS;
    length += item.length + separator.length;
  }
  return length > MAX_RESULT_SIZE ? TOO_LARGE : items.join(separator);
}

/** The same for long lists. */
export function* joinInSteps(list: CelListValue, separator = ""): Steps<CelValue> {
  const size = listSize(list);
  countWork(size);
  const joined: string[] = [];
  let length = 0;
  for (let from = 0; from < size; from += PARTS_PER_STEP) {
    const parts: string[] = [];
    for (let index = from; index < Math.min(size, from + PARTS_PER_STEP); index++) {
      const item = listAt(list, index);
      if (typeof item !== "string") return NO_TEXTS;
      parts.push(item);
      length += item.length + separator.length;
    }
    if (length > MAX_RESULT_SIZE) return TOO_LARGE;
    joined.push(parts.join(separator));
    yield;
  }
  return joined.join(separator);
}

const NO_TEXTS = new CelError("join: invalid input: the list must hold strings");

export function substring(text: string, start: CelInt, end?: CelInt): CelValue {
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  const from = unitAt(text, Number(start));
  if (from === undefined) return outOfRange(start);
  const to = end === undefined ? text.length : unitAt(text, Number(end));
  return to === undefined ? outOfRange(end ?? 0) : text.slice(from, to);
}

const SPACES: ReadonlySet<number> = new Set(
  Array.from("\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000", (space) => space.charCodeAt(0)),
);

function isSpace(unit: number): boolean {
  return SPACES.has(unit) || (unit >= 0x2000 && unit <= 0x200a);
}

export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function quote(text: string): CelValue {
  countWork(text.length);
  const escaped = text.replace(/[\x07-\r\\"]/g, (char) => ESCAPES[char] ?? char);
  return `"${escaped.replace(LONE_SURROGATE, "\ufffd")}"`;
}
