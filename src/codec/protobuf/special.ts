// How protobuf carries the values that JSON writes as text or number but upstream keeps in messages: times, durations,
// int-or-string.

import { formatDuration, parseDuration } from "../../meta/duration.ts";
import { formatTime, isInYears, parseTime } from "../../meta/time.ts";
import { DecodeError } from "../decode-error.ts";
import type { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

const FIELD1_VARINT = 0x08;
const FIELD2_VARINT = 0x10;
const FIELD3_BYTES = 0x1a;

// By number.
const TIME_FIELDS = ["", "seconds", "nanos"];
const DURATION_FIELDS = ["", "duration"];
const INT_OR_STRING_FIELDS = ["", "type", "intVal", "strVal"];

/** The content of a Timestamp message: nothing for no time. */
export function writeTime(writer: Writer, value: unknown, precision: "seconds" | "micros"): void {
  if (typeof value !== "string" || value === "") return;
  const fast = precision === "seconds" ? secondsOf(value) : undefined;
  if (fast !== undefined) {
    writer.int64(0);
    writer.uint32(FIELD2_VARINT);
    writer.int64(fast);
    writer.uint32(FIELD1_VARINT);
    return;
  }
  const instant = parseTime(value, precision);
  if (typeof instant === "string") throw new DecodeError(instant);
  writer.int64(precision === "seconds" ? 0 : Math.trunc(instant.nanos / 1000) * 1000);
  writer.uint32(FIELD2_VARINT);
  writer.int64(instant.epochSeconds);
  writer.uint32(FIELD1_VARINT);
}

/** The text of a Timestamp message; null for no time. */
export function readTime(reader: Reader, precision: "seconds" | "micros"): string | null {
  // No time is an empty message; that of 1970 has its zeros written.
  if (reader.at === reader.end) return null;
  let seconds = 0;
  let nanos = 0;
  while (reader.at < reader.end) {
    const tag = reader.tag();
    if (tag === FIELD1_VARINT) seconds = Number(reader.int64());
    else if (tag === FIELD2_VARINT) nanos = reader.int32();
    else reader.skipUnknown(tag, TIME_FIELDS);
  }
  // Clients may send any number: more than a second, or less than none.
  const micros = precision === "seconds" ? 0 : Math.trunc(nanos / 1_000);
  const over = Math.floor(micros / 1_000_000);
  const epochSeconds = seconds + over;
  if (!isInYears(epochSeconds)) throw new DecodeError("proto: time out of range");
  if (precision === "seconds") return textOfSeconds(epochSeconds);
  return formatTime({ epochSeconds, nanos: (micros - over * 1_000_000) * 1_000 }, precision);
}

const TIME_SLOTS = 256;
const recentSeconds = new Float64Array(TIME_SLOTS).fill(Number.NaN);
const recentTimes = new Array<string | null>(TIME_SLOTS).fill(null);

/** The times of an object are often the same or close: those seen lately are not formatted anew. */
function textOfSeconds(seconds: number): string | null {
  const slot = Math.abs(seconds % TIME_SLOTS);
  if (recentSeconds[slot] === seconds) return recentTimes[slot]!;
  const text = formatTime({ epochSeconds: seconds, nanos: 0 }, "seconds");
  recentSeconds[slot] = seconds;
  recentTimes[slot] = text;
  return text;
}

export function writeDuration(writer: Writer, value: unknown): void {
  const nanos = typeof value === "string" && value !== "" ? parseDuration(value) : 0n;
  if (typeof nanos === "string") throw new DecodeError(nanos);
  writer.int64(nanos ?? 0n);
  writer.uint32(FIELD1_VARINT);
}

export function readDuration(reader: Reader, before?: unknown): unknown {
  let nanos: number | bigint | undefined;
  while (reader.at < reader.end) {
    const tag = reader.tag();
    if (tag === FIELD1_VARINT) nanos = reader.int64();
    else reader.skipUnknown(tag, DURATION_FIELDS);
  }
  return nanos === undefined && before !== undefined ? before : formatDuration(BigInt(nanos ?? 0));
}

export function writeIntOrString(writer: Writer, value: unknown): void {
  const text = typeof value === "string" ? value : "";
  writer.string(text);
  writer.uint32(FIELD3_BYTES);
  writer.int64(typeof value === "number" ? value : 0);
  writer.uint32(FIELD2_VARINT);
  writer.uint32(typeof value === "string" ? 1 : 0);
  writer.uint32(FIELD1_VARINT);
}

export function readIntOrString(reader: Reader, before: unknown = 0): number | string {
  let isString = typeof before === "string";
  let number = typeof before === "number" ? before : 0;
  let text = typeof before === "string" ? before : "";
  while (reader.at < reader.end) {
    const tag = reader.tag();
    if (tag === FIELD1_VARINT) isString = reader.int64() !== 0;
    else if (tag === FIELD2_VARINT) number = reader.int32();
    else if (tag === FIELD3_BYTES) text = reader.string();
    else reader.skipUnknown(tag, INT_OR_STRING_FIELDS);
  }
  return isString ? text : number;
}

/** The canonical form only, `2024-01-02T03:04:05Z`; others take the long way. */
function secondsOf(text: string): number | undefined {
  if (text.length !== 20 || text.charCodeAt(19) !== 0x5a) return undefined;
  const epochMs = Date.parse(text);
  return Number.isNaN(epochMs) ? undefined : epochMs / 1000;
}
