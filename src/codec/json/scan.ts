// One pass over JSON bytes that says whether JSON.parse alone would lose something: it does not see repeated keys, rounds
// large integers, forgets that 1e2 was not written as an integer, and keeps halves of surrogate pairs.

import type { JsonObject } from "../../base/json.ts";
import { keysInStep } from "../../base/json-in-steps.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import { MAX_NESTING_DEPTH } from "../decode-error.ts";

/** How far a pass has come over a document that is gone through in pieces. */
interface Pass {
  at: number;
  /** It stands within a string. */
  inString: boolean;
}

/** So much of a long document is gone through in one step. */
const BYTES_PER_STEP = 32 * 1024;

/** Goes through the document piece by piece, until there is something to say of it. */
function* inPieces<T>(
  pass: Pass,
  bytes: Uint8Array,
  ofHalfAPair: T,
  goOn: (end: number) => T | undefined,
): Steps<T | undefined> {
  while (pass.at < bytes.length) {
    const end = Math.min(bytes.length, pass.at + BYTES_PER_STEP);
    const found = pass.inString ? goOnInString(pass, bytes, end, ofHalfAPair) : goOn(end);
    if (found !== undefined) return found;
    yield;
  }
  return undefined;
}

function goOnInString<T>(pass: Pass, bytes: Uint8Array, most: number, ofHalfAPair: T): T | undefined {
  const end = endOfString(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), bytes, pass.at, most);
  if (end === HALF_OF_A_PAIR) return ofHalfAPair;
  pass.inString = end < 0;
  pass.at = end < 0 ? goesOnAt(end) : end;
  return undefined;
}

/**
 * The number of keys in the document, or -1 when only the full parser reads it right. Says nothing about malformed
 * input beyond that: JSON.parse refuses it. Bytes are compared with character codes written out: named constants of a
 * bundled module are variables, which halves the speed of such loops.
 */
export function countKeysInText(bytes: Uint8Array, maxDepth: number): number {
  const pass: KeysPass = { at: 0, inString: false, depth: 0, keys: 0 };
  return countKeys(bytes, maxDepth, pass, bytes.length) ?? pass.keys;
}

/** The same for long documents. */
export function* countKeysInSteps(bytes: Uint8Array, maxDepth: number): Steps<number> {
  const pass: KeysPass = { at: 0, inString: false, depth: 0, keys: 0 };
  return (yield* inPieces(pass, bytes, -1, (end) => countKeys(bytes, maxDepth, pass, end))) ?? pass.keys;
}

interface KeysPass extends Pass {
  depth: number;
  keys: number;
}

/** Up to `end`, or a little further; undefined: nothing there needs the full parser. */
function countKeys(bytes: Uint8Array, maxDepth: number, pass: KeysPass, end: number): -1 | undefined {
  const { length } = bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  let { at, depth, keys } = pass;
  while (at < end) {
    const byte = bytes[at++]!;
    if (byte === 0x22 /* " */) {
      at = endOfString(view, bytes, at, end);
      if (at < 0) {
        if (at === HALF_OF_A_PAIR) return -1;
        at = goesOnAt(at);
        pass.inString = true;
        break;
      }
      if (at < length && bytes[at] === 0x3a) {
        keys++;
        at++;
      }
    } else if (byte === 0x3a /* : */) {
      keys++;
    } else if (byte === 0x7b /* { */ || byte === 0x5b /* [ */) {
      if (++depth > maxDepth) return -1;
    } else if (byte === 0x7d /* } */ || byte === 0x5d /* ] */) {
      depth--;
    } else if (byte >= 0x30 && byte <= 0x39 /* 0-9 */) {
      const digitsEnd = endOfDigits(bytes, at);
      if (digitsEnd - at > SAFE_DIGITS || isOddNumber(bytes, digitsEnd)) return -1;
      at = digitsEnd;
    }
  }
  pass.at = at;
  pass.depth = depth;
  pass.keys = keys;
  return undefined;
}

/** What a document may hold. */
interface TextLimits {
  /** In lists and objects, or a little more: counted by what separates them. */
  readonly values: number;
  /** In one object. */
  readonly keys: number;
}

/** Of what a document holds too much; undefined when it keeps to the limits. */
export function crowdOf(bytes: Uint8Array, limits: TextLimits): keyof TextLimits | undefined {
  return findCrowd(bytes, limits, newCrowdPass(), bytes.length) || undefined;
}

/** The same in steps. */
export function* crowdOfInSteps(bytes: Uint8Array, limits: TextLimits): Steps<keyof TextLimits | undefined> {
  const pass = newCrowdPass();
  return (
    (yield* inPieces<ReturnType<typeof findCrowd>>(pass, bytes, false, (end) => findCrowd(bytes, limits, pass, end))) ||
    undefined
  );
}

interface CrowdPass extends Pass {
  /** For every list and object around: those that have come in it; objects count from 0, lists from far below. */
  readonly around: number[];
  values: number;
  here: number;
}

const newCrowdPass = (): CrowdPass => ({ at: 0, inString: false, around: [], values: 1, here: 0 });

/** Up to `end`, or a little further. False: the parser looks closer, and what is left is not counted here. */
function findCrowd(
  bytes: Uint8Array,
  { values: maxValues, keys: maxKeys }: TextLimits,
  pass: CrowdPass,
  end: number,
): keyof TextLimits | false | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { around } = pass;
  let { at, values, here } = pass;
  while (at < end) {
    const byte = bytes[at++]!;
    if (byte === 0x22 /* " */) {
      at = endOfString(view, bytes, at, end);
      if (at < 0) {
        if (at === HALF_OF_A_PAIR) return false;
        at = goesOnAt(at);
        pass.inString = true;
        break;
      }
    } else if (byte === 0x2c /* , */) {
      if (++values > maxValues) return "values";
      if (++here >= maxKeys) return "keys";
    } else if (byte === 0x7b /* { */ || byte === 0x5b /* [ */) {
      if (++values > maxValues) return "values";
      // Too deep: the parser says so, whatever follows.
      if (around.push(here) > MAX_NESTING_DEPTH) return false;
      here = byte === 0x7b ? 0 : -maxValues;
    } else if (byte === 0x7d /* } */ || byte === 0x5d /* ] */) {
      here = around.pop() ?? 0;
    }
  }
  pass.at = at;
  pass.values = values;
  pass.here = here;
  return undefined;
}

/** The number of keys in a decoded value. Fewer than in its text: some were repeated. */
export function countKeysInValue(value: object): number {
  let keys = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === "object" && item !== null) keys += countKeysInValue(item);
    }
    return keys;
  }
  const members = value as Record<string, unknown>;
  for (const key in members) {
    keys++;
    const member = members[key];
    if (typeof member === "object" && member !== null) keys += countKeysInValue(member);
  }
  return keys;
}

/** The same for large values. */
export function* countKeysInValueInSteps(value: unknown, pace = new Pace(VALUES_PER_STEP)): Steps<number> {
  if (typeof value !== "object" || value === null) return 0;
  const names = Array.isArray(value) ? undefined : yield* keysInStep(value);
  const length = names === undefined ? (value as unknown[]).length : names.length;
  let keys = names === undefined ? 0 : length;
  for (let index = 0; index < length; index += 1) {
    if (pace.due()) yield;
    const member = names === undefined ? (value as unknown[])[index] : (value as JsonObject)[names[index]!];
    if (typeof member === "object") keys += yield* countKeysInValueInSteps(member, pace);
  }
  return keys;
}

/** So many values are gone through in one step. */
const VALUES_PER_STEP = 1_000;

/** Digits after the first that are safe whatever they are: 15 digits in all stay below 2^53. */
const SAFE_DIGITS = 14;

/** A string has half of a surrogate pair in it. */
export const HALF_OF_A_PAIR = -1;

/** Where a string goes on whose end has not come yet. */
export const goesOnAt = (end: number): number => -2 - end;

/**
 * Where the string that starts here has ended; negative when it has half of a surrogate pair in it, or goes on at `most`
 * or a little further. Looks at four bytes at a time: quotes become zero in `quotes`, backslashes in `slashes`, and the
 * subtraction borrows into the highest bit of the first zero byte.
 */
export function endOfString(view: DataView, bytes: Uint8Array, start: number, most: number): number {
  const { length } = bytes;
  const lastWord = Math.min(length, most) - 4;
  let at = start;
  for (;;) {
    if (at <= lastWord) {
      const word = view.getInt32(at, true);
      const quotes = word ^ 0x22222222;
      const slashes = word ^ 0x5c5c5c5c;
      const found = (((quotes - 0x01010101) & ~quotes) | ((slashes - 0x01010101) & ~slashes)) & 0x80808080;
      if (found === 0) {
        at += 4;
        continue;
      }
      at += (31 - Math.clz32(found & -found)) >> 3;
    }
    if (at >= length) return at;
    if (at >= most) return goesOnAt(at);
    if (bytes[at] === 0x22) return at + 1;
    // One of the last.
    if (bytes[at] !== 0x5c) at++;
    // Where one character is escaped, others are: they are not looked for four at a time.
    while (bytes[at] === 0x5c && at < most) {
      if (bytes[at + 1] !== 0x75) at += 2;
      else if (isHalfOfCharacter(bytes, at + 2)) return HALF_OF_A_PAIR;
      // If those are no digits, nobody reads the document.
      else at += 6;
    }
  }
}

/** Whether the digits of an escape are half of a surrogate pair: D8 to DF stands first. */
function isHalfOfCharacter(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at];
  if (first !== 0x64 && first !== 0x44) return false;
  const second = bytes[at + 1]!;
  return second < 0x30 || second > 0x37;
}

/** Further than the safe ones only the full parser reads. */
function endOfDigits(bytes: Uint8Array, start: number): number {
  const end = Math.min(start + SAFE_DIGITS + 1, bytes.length);
  let at = start;
  while (at < end && isDigit(bytes[at]!)) at++;
  return at;
}

/** Whether a number goes on after its digits in a way that may hide an integer: an exponent, a fraction of zeros. */
function isOddNumber(bytes: Uint8Array, at: number): boolean {
  if (at >= bytes.length) return false;
  if (isExponent(bytes[at]!)) return true;
  if (bytes[at] !== 0x2e) return false;
  const after = endOfDigits(bytes, at + 1);
  let zeros = at + 1;
  while (zeros < after && bytes[zeros] === 0x30) zeros++;
  return zeros === after || (after < bytes.length && isExponent(bytes[after]!));
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** e or E. */
function isExponent(byte: number): boolean {
  return byte === 0x65 || byte === 0x45;
}
