// One pass over JSON bytes that says whether JSON.parse alone would lose something: it does not see repeated keys, rounds
// large integers, forgets that 1e2 was not written as an integer, and keeps halves of surrogate pairs.

/**
 * The number of keys in the document, or -1 when only the full parser reads it right. Says nothing about malformed
 * input beyond that: JSON.parse refuses it.
 */
export function countKeysInText(bytes: Uint8Array, maxDepth: number): number {
  const { length } = bytes;
  let keys = 0;
  let depth = 0;
  let at = 0;
  while (at < length) {
    const byte = bytes[at++]!;
    if (byte === QUOTE) {
      let inner = bytes[at++]!;
      while (inner !== QUOTE && at < length) {
        if (inner === BACKSLASH) {
          if (isSurrogateEscape(bytes, at)) return -1;
          at++;
        }
        inner = bytes[at++]!;
      }
    } else if (byte === COLON) {
      keys++;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > maxDepth) return -1;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
    } else if (byte >= ZERO && byte <= NINE) {
      const end = endOfDigits(bytes, at);
      if (end - at > SAFE_DIGITS || isOddNumber(bytes, end)) return -1;
      at = end;
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

/** Whether `uXXXX` after a backslash is half of a surrogate pair: D8 to DF in its first two digits. */
function isSurrogateEscape(bytes: Uint8Array, at: number): boolean {
  if (at + 2 >= bytes.length || bytes[at] !== LOWER_U) return false;
  const first = bytes[at + 1]!;
  if (first !== 0x64 && first !== 0x44) return false;
  const second = bytes[at + 2]!;
  return second < ZERO || second > ZERO + 7;
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && isDigit(bytes[at]!)) at++;
  return at;
}

/** Whether a number goes on after its digits in a way that may hide an integer: an exponent, a fraction of zeros. */
function isOddNumber(bytes: Uint8Array, at: number): boolean {
  if (at >= bytes.length) return false;
  const next = bytes[at]!;
  if (next === LOWER_E || next === UPPER_E) return true;
  if (next !== DOT) return false;
  let zeros = at + 1;
  while (zeros < bytes.length && bytes[zeros] === ZERO) zeros++;
  if (zeros >= bytes.length) return true;
  if (!isDigit(bytes[zeros]!)) return true;
  const after = endOfDigits(bytes, zeros);
  return after < bytes.length && (bytes[after] === LOWER_E || bytes[after] === UPPER_E);
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
