// The standard functions over sizes, types and strings, and the conversions between types.

import { doubleText } from "../../base/double-text.ts";
import { parseBool } from "../../base/truth-words.ts";
import { matchCost, searchCost, sizeOf, textCostOf } from "../cost/actual.ts";
import { multiplyRanges, regexCost, type SizedNode, textCost, UNKNOWN_SIZE } from "../cost/sizes.ts";
import { declareFunction, globalOverload, type Library, memberOverload, type OverloadCosts } from "../declarations.ts";
import { CelError } from "../errors.ts";
import { INT_OVERFLOW, intOf, UINT_OVERFLOW, uintOf } from "../operations/numbers.ts";
import { compilePattern, countMatching, TEXT_TOO_LONG } from "../operations/patterns.ts";
import { includesText } from "../operations/text-search.ts";
import {
  durationNanos,
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  timestampOf,
} from "../operations/time.ts";
import { countWork } from "../operations/work.ts";
import { MAX_INT64, MAX_UINT64, MIN_INT64 } from "../syntax/literals.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
  typeOfType,
  typeParam,
  UINT,
} from "../types.ts";
import {
  CelDouble,
  type CelDuration,
  type CelInt,
  type CelTimestamp,
  CelUint,
  type CelValue,
  typeOf,
} from "../values.ts";

const A = typeParam("A");
const B = typeParam("B");

const MATCHES_COST: OverloadCosts = {
  cost: (args) => matchCost(args[0] ?? "", args[1] ?? ""),
  estimate: ([text, pattern]) => ({ cost: regexCost(sizeRange(text), sizeRange(pattern)) }),
};

/** Upstream estimates with the length of the argument and charges for that of the text. */
const PREFIX_COST: OverloadCosts = {
  cost: ([text = ""]) => textCostOf(text),
  estimate: ([, part]) => ({ cost: textCost(sizeRange(part)) }),
};

export const standardFunctions: Library = {
  name: "standard functions",
  functions: [
    declareFunction(
      "size",
      ...[STRING, BYTES, listOf(A), mapOf(A, B)].flatMap((type) => [
        globalOverload(`size_${type.kind}`, [type], INT, sizeOf),
        memberOverload(`${type.kind}_size`, [type], INT, sizeOf),
      ]),
    ),
    declareFunction(
      "type",
      globalOverload("type", [A], typeOfType(A), (value: CelValue) => typeOf(value)),
    ),
    declareFunction(
      "dyn",
      globalOverload("to_dyn", [A], DYN, (value: CelValue) => value),
    ),
    declareFunction(
      "contains",
      memberOverload("contains_string", [STRING, STRING], BOOL, includesText, {
        cost: (args) => searchCost(args[0] ?? "", args[1] ?? ""),
        estimate: ([text, part]) => ({ cost: multiplyRanges(textCost(sizeRange(text)), textCost(sizeRange(part))) }),
      }),
    ),
    declareFunction(
      "startsWith",
      memberOverload(
        "starts_with_string",
        [STRING, STRING],
        BOOL,
        (text: string, part: string) => text.startsWith(part),
        PREFIX_COST,
      ),
    ),
    declareFunction(
      "endsWith",
      memberOverload(
        "ends_with_string",
        [STRING, STRING],
        BOOL,
        (text: string, part: string) => text.endsWith(part),
        PREFIX_COST,
      ),
    ),
    declareFunction(
      "matches",
      // Upstream counts only the member.
      globalOverload("matches", [STRING, STRING], BOOL, matches),
      memberOverload("matches_string", [STRING, STRING], BOOL, matches, MATCHES_COST),
    ),
    declareFunction(
      "int",
      globalOverload("int64_to_int64", [INT], INT, (value: CelInt) => value),
      globalOverload("double_to_int64", [DOUBLE], INT, doubleToInt),
      // In nanoseconds.
      globalOverload("duration_to_int64", [DURATION], INT, (value: CelDuration) => intOf(durationNanos(value))),
      globalOverload("string_to_int64", [STRING], INT, stringToInt),
      globalOverload("timestamp_to_int64", [TIMESTAMP], INT, (value: CelTimestamp) => value.seconds),
      globalOverload("uint64_to_int64", [UINT], INT, (value: CelUint) => intOf(BigInt(value.value))),
    ),
    declareFunction(
      "uint",
      globalOverload("uint64_to_uint64", [UINT], UINT, (value: CelUint) => value),
      globalOverload("double_to_uint64", [DOUBLE], UINT, doubleToUint),
      globalOverload("int64_to_uint64", [INT], UINT, (value: CelInt) => uintOf(BigInt(value))),
      globalOverload("string_to_uint64", [STRING], UINT, stringToUint),
    ),
    declareFunction(
      "double",
      globalOverload("double_to_double", [DOUBLE], DOUBLE, (value: CelDouble) => value),
      globalOverload("int64_to_double", [INT], DOUBLE, (value: CelInt) => new CelDouble(Number(value))),
      globalOverload("string_to_double", [STRING], DOUBLE, stringToDouble),
      globalOverload("uint64_to_double", [UINT], DOUBLE, (value: CelUint) => new CelDouble(Number(value.value))),
    ),
    declareFunction(
      "bool",
      globalOverload("bool_to_bool", [BOOL], BOOL, (value: boolean) => value),
      globalOverload("string_to_bool", [STRING], BOOL, stringToBool),
    ),
    declareFunction(
      "string",
      globalOverload("string_to_string", [STRING], STRING, (value: string) => value),
      globalOverload("bool_to_string", [BOOL], STRING, (value: boolean) => String(value)),
      globalOverload("bytes_to_string", [BYTES], STRING, bytesToString, {
        costWhenKnown: true,
        cost: ([bytes = ""]) => textCostOf(bytes),
        estimate: ([bytes]) => {
          const size = sizeRange(bytes);
          return { cost: textCost(size), resultSize: { min: Math.floor(size.min / 4), max: size.max } };
        },
      }),
      globalOverload("double_to_string", [DOUBLE], STRING, (value: CelDouble) => doubleText(value.value)),
      globalOverload("duration_to_string", [DURATION], STRING, formatDuration),
      globalOverload("int64_to_string", [INT], STRING, (value: CelInt) => String(value)),
      globalOverload("timestamp_to_string", [TIMESTAMP], STRING, formatTimestamp),
      globalOverload("uint64_to_string", [UINT], STRING, (value: CelUint) => String(value.value)),
    ),
    declareFunction(
      "bytes",
      globalOverload("bytes_to_bytes", [BYTES], BYTES, (value: Uint8Array) => value),
      globalOverload("string_to_bytes", [STRING], BYTES, (value: string) => new TextEncoder().encode(value), {
        costWhenKnown: true,
        cost: ([text = ""]) => textCostOf(text),
        estimate: ([text]) => {
          const size = sizeRange(text);
          return { cost: textCost(size), resultSize: { min: size.min, max: size.max * 4 } };
        },
      }),
    ),
    declareFunction(
      "timestamp",
      globalOverload("timestamp_to_timestamp", [TIMESTAMP], TIMESTAMP, (value: CelTimestamp) => value),
      globalOverload("int64_to_timestamp", [INT], TIMESTAMP, (value: CelInt) => timestampOf(Number(value), 0)),
      globalOverload("string_to_timestamp", [STRING], TIMESTAMP, (text: string) => {
        return parseTimestamp(text) ?? conversionError(TIMESTAMP);
      }),
    ),
    declareFunction(
      "duration",
      globalOverload("duration_to_duration", [DURATION], DURATION, (value: CelDuration) => value),
      globalOverload("string_to_duration", [STRING], DURATION, (text: string) => {
        return parseDuration(text) ?? conversionError(DURATION);
      }),
      // Declared and never right, as upstream has it: a number has no unit.
      globalOverload("int64_to_duration", [INT], DURATION, () => conversionError(DURATION, INT)),
    ),
  ],
};

function sizeRange(node: SizedNode | undefined): { min: number; max: number } {
  return node?.size ?? UNKNOWN_SIZE;
}

function matches(text: string, pattern: string): CelValue {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return compiled;
  countMatching(text);
  return compiled.test(text) ?? TEXT_TOO_LONG;
}

function doubleToInt(double: CelDouble): CelValue {
  const { value } = double;
  // The bounds are doubles themselves; at either of them the conversion would not be exact.
  if (!(value > Number(MIN_INT64) && value < Number(MAX_INT64))) return INT_OVERFLOW;
  const whole = Math.trunc(value);
  return Number.isSafeInteger(whole) ? whole + 0 : intOf(BigInt(whole));
}

function doubleToUint(double: CelDouble): CelValue {
  const { value } = double;
  if (!(value >= 0 && value < Number(MAX_UINT64))) return UINT_OVERFLOW;
  return uintOf(BigInt(Math.trunc(value)));
}

/** Longer texts are no numbers. */
const MAX_NUMBER_TEXT = 4_096;

function isNumberText(text: string, pattern: RegExp): boolean {
  if (text.length > MAX_NUMBER_TEXT) return false;
  countWork(text.length / READ_PER_WORK);
  return pattern.test(text);
}

/** How many digits are read in the time of one unit of work. */
const READ_PER_WORK = 4;

function stringToInt(text: string): CelValue {
  if (!isNumberText(text, /^[+-]?[0-9]+$/)) return conversionError(INT);
  const value = intOf(BigInt(text.replace(/^\+/, "")));
  return value instanceof CelError ? conversionError(INT) : value;
}

function stringToUint(text: string): CelValue {
  if (!isNumberText(text, /^[0-9]+$/)) return conversionError(UINT);
  const value = uintOf(BigInt(text));
  return value instanceof CelUint ? value : conversionError(UINT);
}

const DOUBLE_TEXT = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

function stringToDouble(text: string): CelValue {
  if (isNumberText(text, DOUBLE_TEXT)) {
    const value = Number(text);
    return Number.isFinite(value) ? new CelDouble(value) : conversionError(DOUBLE);
  }
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (special === null) return conversionError(DOUBLE);
  if (special[2]?.toLowerCase() === "nan")
    return special[1] === "" ? new CelDouble(Number.NaN) : conversionError(DOUBLE);
  return new CelDouble(special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
}

function stringToBool(text: string): CelValue {
  return parseBool(text) ?? conversionError(BOOL);
}

function bytesToString(bytes: Uint8Array): CelValue {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

function conversionError(type: CelType, from: CelType = STRING): CelError {
  return new CelError(`type conversion error from '${from.name}' to '${type.name}'`);
}
