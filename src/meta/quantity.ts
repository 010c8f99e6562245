// Resource quantities ("500m", "1.5Gi", "2e3"): exact decimal arithmetic and the canonical text form.
// Serves the resource fields of all kinds and the quantity library of the expression language.

import { BoundedCache } from "../base/bounded-cache.ts";

export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** The exact number `value * 10^scale`, with the family of suffixes it prints with. */
export interface Quantity {
  readonly value: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** True once the number left the 64-bit representation: such a quantity never counts as a 64-bit integer. */
  readonly wide: boolean;
  /** The text it was read from, where that is kept as the canonical form. */
  readonly text?: string;
}

/** Decimal exponents beyond this are refused: arithmetic on them would need unbounded memory. */
const MAX_QUANTITY_EXPONENT = 1000;
/** Longer texts are refused before any digit is read. */
const MAX_QUANTITY_LENGTH = 2048;

const QUANTITY_FORMAT_ERROR =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const QUANTITY_SUFFIX_ERROR = "unable to parse quantity's suffix";

/** The quantity that `text` says, or undefined; `quantityProblem` says why. */
export function parseQuantity(text: string): Quantity | undefined {
  const read = readQuantity(text);
  return typeof read === "string" ? undefined : read;
}

/** Why `text` is not a quantity; undefined when it is one. */
export function quantityProblem(text: string): string | undefined {
  const read = readQuantity(text);
  return typeof read === "string" ? read : undefined;
}

export function quantityOfInt(value: bigint | number, format: QuantityFormat = "DecimalSI"): Quantity {
  return { value: BigInt(value), scale: 0, format, wide: false };
}

/** The canonical text: no fraction, the largest suffix that keeps the number whole. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.value === 0n) return "0";
  if (quantity.format === "BinarySI" && isAtLeast1024(quantity)) {
    const whole = wholeValue(quantity);
    if (whole !== undefined) return formatBinary(whole);
  }
  return formatDecimal(quantity);
}

export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return combine(a, b, b.value);
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return combine(a, b, -b.value);
}

/** -1, 0 or 1. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const scale = Math.min(a.scale, b.scale);
  const left = atScale(a.value, a.scale, scale);
  const right = atScale(b.value, b.scale, scale);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

export function quantitySign(quantity: Quantity): -1 | 0 | 1 {
  if (quantity.value === 0n) return 0;
  return quantity.value < 0n ? -1 : 1;
}

/** The number as a 64-bit integer; undefined where it has a fraction, is too large or left the 64-bit form. */
export function quantityAsInt64(quantity: Quantity): bigint | undefined {
  if (quantity.wide || quantity.scale < 0) return undefined;
  const value = quantity.value * 10n ** BigInt(quantity.scale);
  return fitsInt64(value) ? value : undefined;
}

/** The nearest double; not exact for large numbers and fractions. */
export function quantityAsFloat(quantity: Quantity): number {
  const base = Number(quantity.value);
  return quantity.scale === 0 ? base : base * 10 ** quantity.scale;
}

/** Rounded up (away from zero) to a multiple of 10^scale, as limits and requests are at milli scale. */
export function roundQuantityUp(quantity: Quantity, scale: number): Quantity {
  if (quantity.scale >= scale) return quantity;
  const { format, wide } = quantity;
  return { value: divideAwayFromZero(quantity.value, 10n ** BigInt(scale - quantity.scale)), scale, format, wide };
}

/** The integer at or above the quantity (away from zero), for sums and limits counted in whole units. */
export function quantityToInteger(quantity: Quantity): bigint {
  return atScale(roundQuantityUp(quantity, 0).value, Math.max(quantity.scale, 0), 0);
}

/** How many units make the quantity, rounded up (away from zero). The unit is not zero. */
export function quantityInUnits(quantity: Quantity, unit: Quantity): bigint {
  const scale = Math.min(quantity.scale, unit.scale);
  return divideAwayFromZero(atScale(quantity.value, quantity.scale, scale), atScale(unit.value, unit.scale, scale));
}

const NANO = -9;
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
/** Digits that always fit 64 bits: texts with more go to the wide form. */
const MAX_NARROW_DIGITS = 18;

const DECIMAL_SUFFIXES = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const BINARY_SUFFIXES = new Map([
  ["Ki", 10],
  ["Mi", 20],
  ["Gi", 30],
  ["Ti", 40],
  ["Pi", 50],
  ["Ei", 60],
]);
const DECIMAL_SUFFIX_OF = new Map([...DECIMAL_SUFFIXES].map(([suffix, exponent]) => [exponent, suffix]));

// Digits are not tried in parts: what follows them is never a digit, and trying would take quadratic time.
const SHAPE = /^([+-]?)([0-9]*)(?![0-9])(?:\.([0-9]*)(?![0-9]))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;

/** Objects say few quantities, again and again; each is read several times on its way. */
const READ_QUANTITIES = new BoundedCache<string, Quantity>({ maxEntries: 2_048, eviction: "segmented" });
const MAX_REMEMBERED_LENGTH = 24;

function readQuantity(text: string): Quantity | string {
  const known = READ_QUANTITIES.get(text);
  if (known !== undefined) return known;
  const read = readNewQuantity(text);
  if (typeof read !== "string" && text.length <= MAX_REMEMBERED_LENGTH) READ_QUANTITIES.set(text, read);
  return read;
}

function readNewQuantity(text: string): Quantity | string {
  if (text.length > MAX_QUANTITY_LENGTH) return QUANTITY_FORMAT_ERROR;
  const shape = text === "" ? null : SHAPE.exec(text);
  if (shape === null) return QUANTITY_FORMAT_ERROR;
  const negative = shape[1] === "-";
  const whole = (shape[2] ?? "").replace(/^0+/, "") || "0";
  const fraction = shape[3] ?? "";
  const suffix = readSuffix(shape[4] ?? "");
  if (suffix === undefined) return QUANTITY_SUFFIX_ERROR;
  const { exponent, format } = suffix;
  const digits = whole + fraction;
  const sign = negative ? -1n : 1n;

  if (format === "BinarySI") {
    const precision = 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1;
    const power = 2n ** BigInt(exponent);
    if (fraction === "" && precision >= 0) {
      const number = BigInt(digits);
      const kept = (number & 7n) !== 0n ? { text } : {};
      return { value: sign * number * power, scale: 0, format, wide: false, ...kept };
    }
    return wideQuantity(BigInt(digits) * power, -fraction.length, format, sign);
  }
  const scale = exponent - fraction.length;
  if (digits.length <= MAX_NARROW_DIGITS && scale >= NANO) {
    // These texts are canonical already, or close enough that they are kept as they were written.
    const kept = text === "0" || (scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0"));
    return { value: sign * BigInt(digits), scale, format, wide: false, ...(kept ? { text } : {}) };
  }
  return wideQuantity(BigInt(digits), scale, format, sign);
}

function readSuffix(suffix: string): { exponent: number; format: QuantityFormat } | undefined {
  const decimal = DECIMAL_SUFFIXES.get(suffix);
  if (decimal !== undefined) return { exponent: decimal, format: "DecimalSI" };
  const binary = BINARY_SUFFIXES.get(suffix);
  if (binary !== undefined) return { exponent: binary, format: "BinarySI" };
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) return undefined;
  const exponent = Number(suffix.slice(1));
  if (Math.abs(exponent) > MAX_QUANTITY_EXPONENT) return undefined;
  return { exponent, format: "DecimalExponent" };
}

/** Numbers below one nano round up to it: who asks for a little gets a little. */
function wideQuantity(magnitude: bigint, scale: number, format: QuantityFormat, sign: bigint): Quantity {
  let value = magnitude;
  let valueScale = scale;
  if (valueScale < NANO) {
    value = divideAwayFromZero(value, 10n ** BigInt(NANO - valueScale));
    valueScale = NANO;
  }
  if (format !== "BinarySI") return { value: sign * value, scale: valueScale, format, wide: true };
  if (value > atScale(MAX_INT64, 0, valueScale)) {
    value = MAX_INT64;
    valueScale = 0;
  }
  const belowOne = value > 0n && value < 10n ** BigInt(-valueScale);
  return { value: sign * value, scale: valueScale, format: belowOne ? "DecimalSI" : format, wide: true };
}

function combine(a: Quantity, b: Quantity, addend: bigint): Quantity {
  const format = a.value === 0n ? b.format : a.format;
  if (b.value === 0n) return { value: a.value, scale: a.scale, format, wide: a.wide || b.wide };
  if (a.value === 0n) return { value: addend, scale: b.scale, format, wide: a.wide || b.wide };
  const scale = Math.min(a.scale, b.scale);
  const value = atScale(a.value, a.scale, scale) + atScale(addend, b.scale, scale);
  return { value, scale, format, wide: a.wide || b.wide || !fitsInt64(value) };
}

function isAtLeast1024(quantity: Quantity): boolean {
  const magnitude = quantity.value < 0n ? -quantity.value : quantity.value;
  return compareQuantities({ ...quantity, value: magnitude }, quantityOfInt(1024)) >= 0;
}

function wholeValue(quantity: Quantity): bigint | undefined {
  if (quantity.scale >= 0) return atScale(quantity.value, quantity.scale, 0);
  const unit = 10n ** BigInt(-quantity.scale);
  return quantity.value % unit === 0n ? quantity.value / unit : undefined;
}

const BINARY_SUFFIX_LIST = ["", ...BINARY_SUFFIXES.keys()];

function formatBinary(whole: bigint): string {
  let number = whole;
  let thousands = 0;
  while (number % 1024n === 0n && thousands < BINARY_SUFFIX_LIST.length - 1) {
    number /= 1024n;
    thousands++;
  }
  return `${number}${BINARY_SUFFIX_LIST[thousands] ?? ""}`;
}

function formatDecimal(quantity: Quantity): string {
  let number = quantity.value;
  let exponent = quantity.scale;
  while (number % 10n === 0n) {
    number /= 10n;
    exponent++;
  }
  while (exponent % 3 !== 0) {
    number *= 10n;
    exponent--;
  }
  if (quantity.format === "DecimalExponent") return exponent === 0 ? `${number}` : `${number}e${exponent}`;
  // Beyond the largest suffix the digits are written out.
  while (exponent > 18) {
    number *= 1000n;
    exponent -= 3;
  }
  return `${number}${DECIMAL_SUFFIX_OF.get(exponent) ?? ""}`;
}

function atScale(value: bigint, from: number, to: number): bigint {
  return from === to ? value : value * 10n ** BigInt(from - to);
}

function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (value % divisor === 0n) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

function fitsInt64(value: bigint): boolean {
  return value >= MIN_INT64 && value <= MAX_INT64;
}
