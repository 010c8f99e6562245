// Numbers as upstream reads them: an integer of 64 bits (with or without a sign) is exact, everything else a double.

import { DecodeError } from "../decode-error.ts";

const MIN_INT64 = -(2n ** 63n);
const MAX_UINT64 = 2n ** 64n - 1n;
/** Longer digits say no 64-bit integer and are not worth an exact reading. */
const MAX_DIGITS = 20;

/** Longer numbers are refused: 1,100 characters write down any double exactly, and millions would be read at once. */
export const MAX_NUMBER_CHARACTERS = 4_096;

export const longNumber = (): DecodeError =>
  new DecodeError(`json: cannot unmarshal a number of more than ${MAX_NUMBER_CHARACTERS} characters`);

/**
 * The value of a JSON number's text. Integers beyond 2^53 but within 64 bits become bigints. `odd`: the text is not that
 * of a 64-bit integer although the value is whole.
 */
export function readNumber(text: string): { value: number | bigint; odd: boolean } {
  const value = Number(text);
  if (!Number.isFinite(value)) {
    throw new DecodeError(`json: cannot unmarshal number ${text} into Go value of type float64`);
  }
  if (!/^-?[0-9]+$/.test(text)) return { value, odd: Number.isInteger(value) };
  if (Number.isSafeInteger(value)) return { value: value === 0 ? 0 : value, odd: false };
  if (text.length <= MAX_DIGITS + 1) {
    const exact = BigInt(text);
    if (exact >= MIN_INT64 && exact <= MAX_UINT64) return { value: exact, odd: false };
  }
  return { value, odd: true };
}
