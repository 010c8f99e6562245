// `"%s is %d".format([...])`: the clauses %s %d %f %e %b %o %x %X with an optional precision.

import { CelError } from "../errors.ts";
import { MAX_RESULT_SIZE } from "../limits.ts";
import { numberOf } from "../runtime/numbers.ts";
import { TOO_LARGE } from "../runtime/operations.ts";
import { formatDuration, formatTimestamp } from "../runtime/time.ts";
import { CelType } from "../types.ts";
import {
  CelDouble,
  CelDuration,
  CelMap,
  CelTimestamp,
  CelUint,
  type CelValue,
  isInt,
  isList,
  listToArray,
  typeOf,
} from "../values.ts";

/** The largest precision that a clause may ask for. */
const MAX_PRECISION = 1_000;
const DEFAULT_PRECISION = 6;

export function formatText(template: string, args: readonly CelValue[]): CelValue {
  let result = "";
  let used = 0;
  let at = 0;
  while (at < template.length) {
    const percent = template.indexOf("%", at);
    if (percent < 0) break;
    result += template.slice(at, percent);
    const clause = /^%(?:%|(?:\.(\d+))?([a-zA-Z])?)/.exec(template.slice(percent, percent + 16));
    const text = clause?.[0] ?? "%";
    at = percent + text.length;
    if (text === "%%") {
      result += "%";
      continue;
    }
    const letter = clause?.[2];
    if (letter === undefined) return new CelError("could not parse formatting clause: unexpected end of string");
    if (!"sdfebxXo".includes(letter)) {
      return new CelError(`could not parse formatting clause: unrecognized formatting clause "${letter}"`);
    }
    const precision = clause?.[1] === undefined ? DEFAULT_PRECISION : Number(clause[1]);
    if (precision > MAX_PRECISION) return new CelError(`precision ${precision} exceeds maximum of ${MAX_PRECISION}`);
    const arg = args[used];
    if (arg === undefined) return new CelError(`index ${used} out of range`);
    used++;
    const shown = formatClause(letter, precision, arg);
    if (shown === undefined) {
      return new CelError(`error during formatting: ${CLAUSES[letter]} on ${typeOf(arg).name}`);
    }
    if (result.length + shown.length > MAX_RESULT_SIZE) return TOO_LARGE;
    result += shown;
  }
  return result + template.slice(at);
}

const CLAUSES: Readonly<Record<string, string>> = {
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given a value it cannot show:",
  d: "decimal clause can only be used on ints, uints, and doubles, was given",
  f: "fixed-point clause can only be used on ints, uints, and doubles, was given",
  e: "scientific clause can only be used on ints, uints, and doubles, was given",
  b: "only ints, uints, and bools can be formatted as binary, was given",
  o: "octal clause can only be used on ints and uints, was given",
  x: "only ints, uints, bytes, and strings can be formatted as hex, was given",
  X: "only ints, uints, bytes, and strings can be formatted as hex, was given",
};

/** Undefined when the clause does not fit the value. */
function formatClause(letter: string, precision: number, arg: CelValue): string | undefined {
  switch (letter) {
    case "s":
      return formatAny(arg);
    case "d":
      return formatDecimal(arg);
    case "f":
      return formatFloat(arg, (value) => fixed(value, precision));
    case "e":
      return formatFloat(arg, (value) =>
        value.toExponential(Math.min(precision, 100)).replace(/e([+-])(\d)$/, "e$10$2"),
      );
    case "b":
      return typeof arg === "boolean" ? (arg ? "1" : "0") : inBase(arg, 2);
    case "o":
      return inBase(arg, 8);
    case "x":
      return formatHex(arg);
    default:
      return formatHex(arg)?.toUpperCase();
  }
}

function formatAny(value: CelValue): string | undefined {
  if (value === null) return "null";
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelType) return value.name;
  if (isList(value)) return bracketed("[", listToArray(value).map(formatAny), "]");
  if (value instanceof CelMap) {
    const entries = Array.from(value.keys(), (key) => [formatAny(key), formatAny(value.get(key) ?? null)]);
    if (entries.some(([key, item]) => key === undefined || item === undefined)) return undefined;
    entries.sort(([a = ""], [b = ""]) => (a < b ? -1 : a > b ? 1 : 0));
    return bracketed(
      "{",
      entries.map(([key, item]) => `${key}: ${item}`),
      "}",
    );
  }
  return formatDecimal(value);
}

function bracketed(open: string, items: readonly (string | undefined)[], close: string): string | undefined {
  return items.includes(undefined) ? undefined : `${open}${items.join(", ")}${close}`;
}

function formatDecimal(value: CelValue): string | undefined {
  if (isInt(value)) return String(value);
  if (value instanceof CelUint) return String(value.value);
  return value instanceof CelDouble ? formatFloat(value, plainDigits) : undefined;
}

function formatFloat(value: CelValue, format: (number: number) => string): string | undefined {
  const found = numberOf(value);
  if (found === undefined) return undefined;
  const number = Number(found);
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number)) return number > 0 ? "Infinity" : "-Infinity";
  return format(number);
}

/** All digits, never an exponent. */
function plainDigits(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return Object.is(value, -0) ? "-0" : text;
  const [mantissa = "", exponent = "0"] = text.split("e");
  const sign = mantissa.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const shift = Number(exponent);
  if (shift < 0) return `${sign}0.${"0".repeat(-shift - 1)}${whole}${fraction}`;
  return `${sign}${whole}${fraction.padEnd(shift, "0")}`;
}

/** Digits after the point, rounded from the exact value, half to even as printing does. */
function fixed(value: number, precision: number): string {
  if (precision <= 100 && Math.abs(value) < 1e21) return roundHalfEven(value, precision);
  const digits = plainDigits(value);
  return precision === 0 ? digits : `${digits}${digits.includes(".") ? "" : "."}${"0".repeat(precision)}`;
}

function roundHalfEven(value: number, precision: number): string {
  const rounded = value.toFixed(precision);
  // toFixed rounds ties up; a tie exists only where the exact digits end in 5.
  const exact = Math.abs(value).toFixed(Math.min(precision + 30, 100));
  const tail = exact.slice(exact.length - (Math.min(precision + 30, 100) - precision));
  if (!/^50*$/.test(tail)) return rounded;
  const kept = exact.slice(0, exact.length - tail.length).replace(/\.$/, "");
  const even = Number(kept.at(-1)) % 2 === 0;
  return even ? `${value < 0 ? "-" : ""}${kept}` : rounded;
}

function inBase(value: CelValue, base: number): string | undefined {
  if (isInt(value)) return value.toString(base);
  return value instanceof CelUint ? value.value.toString(base) : undefined;
}

function formatHex(value: CelValue): string | undefined {
  if (typeof value === "string") return Buffer.from(value, "utf8").toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return inBase(value, 16);
}
