// Exact 64-bit arithmetic. Safe integers are plain numbers; only results beyond 2^53 take the slow way through bigint.

import { CelError, noSuchOverload } from "../errors.ts";
import { MAX_INT64, MAX_UINT64, MIN_INT64 } from "../syntax/literals.ts";
import { CelDouble, type CelInt, CelUint, type CelValue } from "../values.ts";

export const INT_OVERFLOW = new CelError("integer overflow");
export const UINT_OVERFLOW = new CelError("unsigned integer overflow");
const DIVISION_BY_ZERO = new CelError("division by zero");
const MODULUS_BY_ZERO = new CelError("modulus by zero");

/** An int of any size in its one representation; an error when it is beyond 64 bits. */
export function intOf(value: bigint): CelInt | CelError {
  if (value < MIN_INT64 || value > MAX_INT64) return INT_OVERFLOW;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

export function uintOf(value: bigint): CelUint | CelError {
  if (value < 0n || value > MAX_UINT64) return UINT_OVERFLOW;
  const number = Number(value);
  return new CelUint(Number.isSafeInteger(number) ? number : value);
}

export function addInts(a: CelInt, b: CelInt): CelInt | CelError {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return intOf(BigInt(a) + BigInt(b));
}

export function subtractInts(a: CelInt, b: CelInt): CelInt | CelError {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return intOf(BigInt(a) - BigInt(b));
}

export function multiplyInts(a: CelInt, b: CelInt): CelInt | CelError {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    // Adding zero turns -0 into 0: an int has no negative zero.
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return intOf(BigInt(a) * BigInt(b));
}

export function divideInts(a: CelInt, b: CelInt): CelInt | CelError {
  if (b === 0) return DIVISION_BY_ZERO;
  if (typeof a === "number" && typeof b === "number") return Math.trunc(a / b) + 0;
  return intOf(BigInt(a) / BigInt(b));
}

export function moduloInts(a: CelInt, b: CelInt): CelInt | CelError {
  if (b === 0) return MODULUS_BY_ZERO;
  if (typeof a === "number" && typeof b === "number") return (a % b) + 0;
  // The remainder of the smallest int by -1 would come from an overflowing division.
  if (b === -1 && a === MIN_INT64) return INT_OVERFLOW;
  return intOf(BigInt(a) % BigInt(b));
}

function negateInt(a: CelInt): CelInt | CelError {
  return typeof a === "number" ? 0 - a : intOf(-a);
}

export function negate(value: CelValue): CelValue {
  if (typeof value === "number" || typeof value === "bigint") return negateInt(value);
  if (value instanceof CelDouble) return new CelDouble(-value.value);
  return noSuchOverload();
}

type Arithmetic = "+" | "-" | "*" | "/" | "%";

/** uint with uint. */
export function calculateUints(a: CelUint, b: CelUint, operator: Arithmetic): CelValue {
  const left = BigInt(a.value);
  const right = BigInt(b.value);
  switch (operator) {
    case "+":
      return uintOf(left + right);
    case "-":
      return uintOf(left - right);
    case "*":
      return uintOf(left * right);
    case "/":
      return right === 0n ? DIVISION_BY_ZERO : uintOf(left / right);
    case "%":
      return right === 0n ? MODULUS_BY_ZERO : uintOf(left % right);
  }
}

/** The number behind an int, uint or double; undefined for anything else. JavaScript compares mixed ones exactly. */
export function numberOf(value: CelValue): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof CelDouble || value instanceof CelUint) return value.value;
  return undefined;
}

/** Negative, 0 or positive; undefined where NaN takes part. A double meets ints and uints as a double, as upstream. */
export function compareNumbers(a: CelValue, b: CelValue): number | undefined {
  let left = numberOf(a) ?? Number.NaN;
  let right = numberOf(b) ?? Number.NaN;
  if (a instanceof CelDouble || b instanceof CelDouble) {
    left = Number(left);
    right = Number(right);
  }
  if (left < right) return -1;
  if (left > right) return 1;
  return left === right ? 0 : undefined;
}
