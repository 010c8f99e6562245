// One pass over JSON bytes that says whether JSON.parse alone would lose something: it does not see repeated keys, rounds
// large integers, forgets that 1e2 was not written as an integer, and keeps halves of surrogate pairs.

/**
 * The number of keys in the document, or -1 when only the full parser reads it right. Says nothing about malformed
 * input beyond that: JSON.parse refuses it.
 */
export function countKeysInText(bytes: Uint8Array, maxDepth: number): number {
  const length = bytes.length;
  let keys = 0;
  let depth = 0;
  let at = 0;
  while (at < length) {
    const byte = bytes[at++]!;
    if (byte === QUOTE) {
      for (;;) {
        const inner = bytes[at++];
        if (inner === QUOTE || inner === undefined) break;
        if (inner !== BACKSLASH) continue;
        if (bytes[at] === LOWER_U && isSurrogateEscape(bytes, at)) return -1;
        at++;
      }
    } else if (byte === COLON) {
      keys++;
    } else if (byte >= ZERO && byte <= NINE) {
      const start = at;
      let next = bytes[at];
      while (next !== undefined && next >= ZERO && next <= NINE) next = bytes[++at];
      if (at - start > SAFE_DIGITS) return -1;
      if (next === DOT && isWholeFraction(bytes, at + 1)) return -1;
      if (next === LOWER_E || next === UPPER_E) return -1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > maxDepth) return -1;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
    }
  }
  return keys;
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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
const LOWER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Digits after the first that are safe whatever they are: 15 digits in all stay below 2^53. */
const SAFE_DIGITS = 14;

/** Whether `\uXXXX` at the `u` is half of a surrogate pair: D8 to DF in its first two digits. */
function isSurrogateEscape(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at + 1];
  if (first !== 0x64 && first !== 0x44) return false;
  const second = bytes[at + 2];
  return second !== undefined && second !== ZERO && (second < ZERO + 1 || second > ZERO + 7);
}

/** Whether a fraction has only zeros, so that the number is an integer in disguise. */
function isWholeFraction(bytes: Uint8Array, start: number): boolean {
  let at = start;
  while (bytes[at] === ZERO) at++;
  const next = bytes[at];
  if (next === LOWER_E || next === UPPER_E) return true;
  return next === undefined || next < ZERO || next > NINE;
}
