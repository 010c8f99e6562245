// Scalars of JSON as the values that their schemas say they are. What does not fit is an error for the expressions that
// read it: validation lets it stand where it had been stored before the schema.

import { parseSpelledDuration } from "../../meta/duration.ts";
import { CelError } from "../errors.ts";
import { fromJson, isJson } from "../json.ts";
import { durationOf, parseTimestamp } from "../operations/time.ts";
import { CelDouble, type CelValue } from "../values.ts";

export function readString(raw: unknown): CelValue {
  return typeof raw === "string" ? raw : misfit(raw, "string");
}

export function readBoolean(raw: unknown): CelValue {
  return typeof raw === "boolean" ? raw : misfit(raw, "bool");
}

export function readInt(raw: unknown): CelValue {
  if (typeof raw === "number" && Number.isSafeInteger(raw)) return raw + 0;
  return typeof raw === "bigint" ? raw : misfit(raw, "int");
}

export function readDouble(raw: unknown): CelValue {
  return typeof raw === "number" || typeof raw === "bigint" ? new CelDouble(Number(raw)) : misfit(raw, "float");
}

export function readIntOrString(raw: unknown): CelValue {
  if (typeof raw === "string") return raw;
  if (typeof raw === "bigint" || Number.isSafeInteger(raw)) return fromJson(raw);
  return unfit(raw, "invalid data, expected XIntOrString value to be either a string or integer");
}

/** An error, but for values of the language, which stay as they are, and null, which is judged by who reads it. */
export function unfit(raw: unknown, message: string): CelValue {
  return raw === null || !isJson(raw) ? fromJson(raw) : new CelError(message);
}

function misfit(raw: unknown, expected: string): CelValue {
  return unfit(raw, `invalid data, expected ${expected}, got ${goType(raw)}`);
}

/** As upstream names the type of what it has decoded. */
function goType(raw: unknown): string {
  if (Array.isArray(raw)) return "[]interface {}";
  switch (typeof raw) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "object":
      return "map[string]interface {}";
    default:
      return typeof raw === "bigint" || Number.isSafeInteger(raw) ? "int64" : "float64";
  }
}

export function readBytes(raw: unknown): CelValue {
  if (typeof raw !== "string") return misfit(raw, "string");
  // Both alphabets: upstream reads that of URLs only, though the format asks for the other.
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(raw.replace(/[\r\n]/g, ""))) return new CelError("failed to parse base64 value");
  return new Uint8Array(Buffer.from(raw, "base64"));
}

export function readDateTime(raw: unknown): CelValue {
  if (typeof raw !== "string") return misfit(raw, "string");
  return parseTimestamp(raw) ?? new CelError(`date-time format is invalid: ${shown(raw)}`);
}

export function readDate(raw: unknown): CelValue {
  if (typeof raw !== "string") return misfit(raw, "string");
  return parseTimestamp(`${raw}T00:00:00Z`) ?? new CelError(`date format is invalid: ${shown(raw)}`);
}

export function readDuration(raw: unknown): CelValue {
  if (typeof raw !== "string") return misfit(raw, "string");
  const nanos = parseSpelledDuration(raw);
  return nanos === undefined ? new CelError(`duration format is invalid: ${shown(raw)}`) : durationOf(nanos);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
