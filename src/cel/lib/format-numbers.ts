// Doubles as `format` prints them: with all their digits, in groups of three, or in scientific notation with raised
// exponents, the way that numbers are written in American English.

const DEFAULT_PRECISION = 6;

/** So many digits after the point. */
export function fixedPoint(value: number, precision = DEFAULT_PRECISION, groupMark = ","): string {
  if (!Number.isFinite(value)) return special(value);
  const digits = scaled(Math.abs(value), precision)
    .toString()
    .padStart(precision + 1, "0");
  const whole = digits.slice(0, digits.length - precision).replace(/\B(?=(?:\d{3})+$)/g, groupMark);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return precision === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(digits.length - precision)}`;
}

/** Upstream takes the precision for a width; six digits follow the point in any case. */
export function scientific(value: number, width = 0): string {
  if (!Number.isFinite(value)) return special(value).padStart(width);
  const [mantissa = "", exponent = "0"] = value.toExponential(DEFAULT_PRECISION).split("e");
  const sign = exponent.startsWith("-") ? "⁻" : "";
  const raised = Array.from(exponent.replace(/^[+-]/, "").padStart(2, "0"), (digit) => RAISED[Number(digit)]);
  return `${mantissa}×10${sign}${raised.join("")}`.padStart(width);
}

const RAISED = Array.from("⁰¹²³⁴⁵⁶⁷⁸⁹");

function special(value: number): string {
  return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞";
}

/** The value times a power of ten, rounded from its exact digits, half to even. */
function scaled(value: number, decimals: number): bigint {
  const { significand, exponent } = parts(value);
  const product = significand * 10n ** BigInt(decimals);
  if (exponent >= 0) return product << BigInt(exponent);
  const shift = BigInt(-exponent);
  const whole = product >> shift;
  const rest = product - (whole << shift);
  const half = 1n << (shift - 1n);
  const up = rest > half || (rest === half && whole % 2n === 1n);
  return up ? whole + 1n : whole;
}

/** A double is an integer times a power of two. */
function parts(value: number): { significand: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const raised = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  if (raised === 0) return { significand: fraction, exponent: -1074 };
  return { significand: fraction | (1n << 52n), exponent: raised - 1075 };
}
