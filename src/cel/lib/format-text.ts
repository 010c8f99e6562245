// `"%s is %d".format([...])`: what the clauses make of their arguments, as the first version of the library has it.

import { isUtf8 } from "node:buffer";
import { doubleText } from "../../base/double-text.ts";
import { goQuote } from "../../base/go-quote.ts";
import { CelError } from "../errors.ts";
import { MAX_RESULT_SIZE } from "../limits.ts";
import { type ClauseLetter, clauseComplaint, visitClauses } from "../operations/format-clauses.ts";
import { TOO_LARGE } from "../operations/operators.ts";
import { formatDuration, formatTimestamp } from "../operations/time.ts";
import { countWork } from "../operations/work.ts";
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
import { fixedPoint, scientific } from "./format-numbers.ts";

export function formatText(template: string, args: readonly CelValue[]): CelValue {
  const parts: string[] = [];
  let length = 0;
  const add = (part: string): void => {
    length += part.length;
    if (length <= MAX_RESULT_SIZE) parts.push(part);
  };
  const outcome = visitClauses(template, {
    count: args.length,
    text: add,
    clause(letter, precision, index) {
      countWork(WORK_PER_ELEMENT);
      const arg = args[index] as CelValue;
      const shown = formatClause(letter, precision, arg);
      if (shown === undefined) return { message: complaint(letter, arg) };
      add(shown);
      return undefined;
    },
  });
  if (typeof outcome !== "number") return new CelError(outcome.message);
  return length > MAX_RESULT_SIZE ? TOO_LARGE : parts.join("");
}

function complaint(letter: ClauseLetter, arg: CelValue): string {
  if (letter !== "s" || !(arg instanceof Uint8Array)) return clauseComplaint(letter, typeOf(arg).name);
  return 'could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string';
}

/** Undefined when the clause does not fit the value. */
function formatClause(letter: ClauseLetter, precision: number | undefined, arg: CelValue): string | undefined {
  switch (letter) {
    case "s":
      return formatAny(arg);
    case "d":
      return inBase(arg, 10);
    case "f":
      return ofDouble(arg, (value) => fixedPoint(value, precision));
    case "e":
      return ofDouble(arg, (value) => scientific(value, precision));
    case "b":
      return typeof arg === "boolean" ? (arg ? "1" : "0") : inBase(arg, 2);
    case "o":
      return inBase(arg, 8);
    case "x":
      return formatHex(arg);
    case "X":
      return formatHex(arg)?.toUpperCase();
  }
}

/** Numbers, quotes and pieces of text take their time. */
const WORK_PER_ELEMENT = 10;

function formatAny(value: CelValue): string | undefined {
  if (typeof value === "string") return value;
  if (value === null || typeof value === "boolean") return String(value);
  if (value instanceof Uint8Array) return isUtf8(value) ? Buffer.from(value).toString("utf8") : undefined;
  if (value instanceof CelDouble) return doubleText(value.value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelType) return value.name;
  if (isList(value)) return formatList(listToArray(value));
  return value instanceof CelMap ? formatMap(value) : inBase(value, 10);
}

function formatList(items: readonly CelValue[]): string | undefined {
  countWork(items.length * WORK_PER_ELEMENT);
  const shown = items.map(formatElement);
  return shown.includes(undefined) ? undefined : `[${shown.join(", ")}]`;
}

function formatMap(map: CelMap): string | undefined {
  const entries: [key: string, value: string][] = [];
  countWork(2 * map.size * WORK_PER_ELEMENT);
  for (const key of map.keys()) {
    const name = typeof key === "string" || typeof key === "boolean" ? formatElement(key) : inBase(key, 10);
    const value = formatElement(map.get(key) ?? null);
    if (name === undefined || value === undefined) return undefined;
    entries.push([name, value]);
  }
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}

/** Inside of lists and maps values are shown as they would be written. */
function formatElement(value: CelValue): string | undefined {
  if (typeof value === "string") return goQuote(value);
  if (value instanceof Uint8Array) return `b${goQuote(Buffer.from(value).toString("utf8"))}`;
  if (value instanceof CelTimestamp) return `timestamp(${goQuote(formatTimestamp(value))})`;
  if (value instanceof CelDuration) return `duration(${goQuote(formatDuration(value))})`;
  if (!(value instanceof CelDouble)) return formatAny(value);
  const { value: number } = value;
  if (Number.isFinite(number)) return fixedPoint(number, undefined, "");
  return Number.isNaN(number) ? '"NaN"' : number > 0 ? '"+Inf"' : '"-Inf"';
}

const DOUBLE_TEXTS: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

function ofDouble(value: CelValue, format: (number: number) => string): string | undefined {
  const number = typeof value === "string" ? DOUBLE_TEXTS.get(value) : undefined;
  if (number !== undefined) return format(number);
  return value instanceof CelDouble ? format(value.value) : undefined;
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
