// What a plain YAML scalar means: the YAML 1.1 words and numbers that upstream's parser knows. `yes` is true, 010 is eight,
// a date is text.

import { DecodeError } from "../decode-error.ts";

export type Resolved = null | boolean | number | bigint | string;

const WORDS = new Map<string, Resolved>([
  ...words(null, "", "~", "null", "Null", "NULL"),
  ...words(true, "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"),
  ...words(false, "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"),
  ...words(Number.NaN, ".nan", ".NaN", ".NAN"),
  ...words(Number.POSITIVE_INFINITY, ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"),
  ...words(Number.NEGATIVE_INFINITY, "-.inf", "-.Inf", "-.INF"),
]);

/** The value of a scalar without quotes and tag. */
export function resolvePlain(text: string): Resolved {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  const isDigit = first >= 0x30 && first <= 0x39;
  if (isDigit || first === 0x2b || first === 0x2d || first === 0x2e) return resolveNumber(text) ?? text;
  return text;
}

/** The value of a scalar with a tag, such as !!str. Unknown tags leave the text. */
export function resolveTagged(tag: string, text: string): Resolved {
  const name = CORE_TAGS.get(tag);
  if (name === undefined || name === "str" || name === "timestamp") return text;
  if (name === "binary") return Buffer.from(text, "base64").toString("utf8");
  const value = resolvePlain(text);
  const fits =
    (name === "null" && value === null) ||
    (name === "bool" && typeof value === "boolean") ||
    (name === "int" && (typeof value === "bigint" || Number.isInteger(value))) ||
    (name === "float" && (typeof value === "number" || typeof value === "bigint"));
  if (!fits) throw new DecodeError(`yaml: cannot decode !!${kindOf(value)} \`${text}\` as a !!${name}`);
  return value;
}

/** Integers are exact up to 64 bits; more become doubles. */
function resolveNumber(text: string): number | bigint | undefined {
  const plain = text.replaceAll("_", "");
  const integer = readInteger(plain);
  if (integer !== undefined) return integer;
  const value = DECIMAL.test(plain) ? Number(plain) : Number.NaN;
  // What is too large for a double is a text.
  return Number.isFinite(value) ? value : undefined;
}

const DECIMAL = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const INTEGER = /^([-+]?)(?:(0[xX][0-9a-fA-F]+)|(0[bB][01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const MAX_UINT64 = 2n ** 64n - 1n;
const MIN_INT64 = -(2n ** 63n);
/** Longer digits cannot be 64-bit integers in any base. */
const MAX_DIGITS = 80;

function readInteger(text: string): number | bigint | undefined {
  const match = text.length > MAX_DIGITS ? null : INTEGER.exec(text);
  if (match === null) return undefined;
  const [, sign, hexadecimal, binary, octal, decimal] = match;
  const magnitude = BigInt(hexadecimal ?? binary ?? (octal === undefined ? decimal! : `0o${octal}`));
  const value = sign === "-" ? -magnitude : magnitude;
  if (value < MIN_INT64 || value > MAX_UINT64) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const CORE_TAGS = new Map(
  ["str", "null", "bool", "int", "float", "binary", "timestamp"].flatMap((name) => [
    [`!!${name}`, name],
    [`!<tag:yaml.org,2002:${name}>`, name],
  ]),
);

function kindOf(value: Resolved): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "str";
  return typeof value === "number" && !Number.isInteger(value) ? "float" : "int";
}

function words<T>(value: T, ...texts: string[]): [string, T][] {
  return texts.map((text) => [text, value]);
}
