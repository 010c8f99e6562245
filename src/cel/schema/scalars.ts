// Scalars of JSON as the values that their schemas say they are. What does not fit the schema is taken as it comes:
// validation tells about it, not the expression.

import { CelError } from "../errors.ts";
import { fromJson } from "../json.ts";
import { parseDuration, parseTimestamp } from "../operations/time.ts";
import { CelDouble, type CelValue } from "../values.ts";

export function readString(raw: unknown): CelValue {
  return typeof raw === "string" ? raw : fromJson(raw);
}

export function readBoolean(raw: unknown): CelValue {
  return typeof raw === "boolean" ? raw : fromJson(raw);
}

export function readInt(raw: unknown): CelValue {
  return typeof raw === "number" && Number.isSafeInteger(raw) ? raw + 0 : fromJson(raw);
}

export function readDouble(raw: unknown): CelValue {
  return typeof raw === "number" || typeof raw === "bigint" ? new CelDouble(Number(raw)) : fromJson(raw);
}

export function readBytes(raw: unknown): CelValue {
  if (typeof raw !== "string") return fromJson(raw);
  if (!/^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/.test(raw)) return new CelError("failed to parse base64 value");
  return new Uint8Array(Buffer.from(raw, "base64"));
}

export function readDateTime(raw: unknown): CelValue {
  if (typeof raw !== "string") return fromJson(raw);
  return parseTimestamp(raw) ?? new CelError(`date-time format is invalid: ${shown(raw)}`);
}

export function readDate(raw: unknown): CelValue {
  if (typeof raw !== "string") return fromJson(raw);
  return parseTimestamp(`${raw}T00:00:00Z`) ?? new CelError(`date format is invalid: ${shown(raw)}`);
}

export function readDuration(raw: unknown): CelValue {
  if (typeof raw !== "string") return fromJson(raw);
  return parseDuration(raw) ?? new CelError(`duration format is invalid: ${shown(raw)}`);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
