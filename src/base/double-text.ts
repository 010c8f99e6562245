// Numbers as upstream prints them in messages.

/** A double with the fewest digits; with an exponent of two digits or more when that is below -4 or above 5. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const scientific = value.toExponential();
  const exponent = Number(scientific.slice(scientific.indexOf("e") + 1));
  if (exponent < -4 || exponent > 5) return scientific.replace(/e([+-])(\d)$/, "e$10$2");
  return String(value);
}

/** A number of decoded JSON: all digits where it is an integer of 64 bits. */
export function numberText(value: number | bigint): string {
  return isInt64(value) ? String(value) : doubleText(Number(value));
}

const INT64_END = 2 ** 63;

/** Whole, and not too large to be taken for an integer. */
export function isInt64(value: number | bigint): boolean {
  return (typeof value === "bigint" || Number.isInteger(value)) && value >= -INT64_END && value < INT64_END;
}
