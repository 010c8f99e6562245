// Timestamps and durations: reading, printing and arithmetic with their limits, and calendar fields by time zone.

import { BoundedCache } from "../../base/bounded-cache.ts";
import { isTimeZoneName } from "../../meta/time-zones.ts";
import { CelError } from "../errors.ts";
import { CelDuration, CelTimestamp } from "../values.ts";
import { countWork } from "./work.ts";

const NANOS = 1_000_000_000;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const MIN_TIMESTAMP_SECONDS = -62_135_596_800;
const MAX_TIMESTAMP_SECONDS = 253_402_300_799;
/** Spans are counted in 64-bit nanoseconds. */
const MAX_DURATION_NANOS = 2n ** 63n - 1n;
const MIN_DURATION_NANOS = -(2n ** 63n);

const TIMESTAMP_OVERFLOW = new CelError("timestamp overflow");
/** Spans are counted as ints are. */
const DURATION_OVERFLOW = new CelError("integer overflow");

export function timestampOf(seconds: number, nanos: number, offsetSeconds = 0): CelTimestamp | CelError {
  const carry = Math.floor(nanos / NANOS);
  const total = seconds + carry;
  if (total < MIN_TIMESTAMP_SECONDS || total > MAX_TIMESTAMP_SECONDS) return TIMESTAMP_OVERFLOW;
  return new CelTimestamp(total, nanos - carry * NANOS, offsetSeconds);
}

/** The first instant of all, which nobody has set. */
export function isZeroTimestamp(time: CelTimestamp): boolean {
  return time.seconds === MIN_TIMESTAMP_SECONDS && time.nanos === 0;
}

export function durationOf(nanos: bigint): CelDuration | CelError {
  if (nanos < MIN_DURATION_NANOS || nanos > MAX_DURATION_NANOS) return DURATION_OVERFLOW;
  return new CelDuration(Number(nanos / BigInt(NANOS)), Number(nanos % BigInt(NANOS)));
}

export function durationNanos(duration: CelDuration): bigint {
  return BigInt(duration.seconds) * BigInt(NANOS) + BigInt(duration.nanos);
}

export function addDurations(a: CelDuration, b: CelDuration): CelDuration | CelError {
  return durationSum(a.seconds + b.seconds, a.nanos + b.nanos);
}

export function subtractDurations(a: CelDuration, b: CelDuration): CelDuration | CelError {
  return durationSum(a.seconds - b.seconds, a.nanos - b.nanos);
}

/** So many seconds and nanoseconds, which may have different signs. Near the limits the exact count decides. */
function durationSum(seconds: number, nanos: number): CelDuration | CelError {
  if (Math.abs(seconds) > CLEAR_SECONDS) return durationOf(BigInt(seconds) * BigInt(NANOS) + BigInt(nanos));
  let [wholeSeconds, restNanos] = [seconds + Math.trunc(nanos / NANOS), nanos % NANOS];
  if (wholeSeconds > 0 && restNanos < 0) [wholeSeconds, restNanos] = [wholeSeconds - 1, restNanos + NANOS];
  if (wholeSeconds < 0 && restNanos > 0) [wholeSeconds, restNanos] = [wholeSeconds + 1, restNanos - NANOS];
  return new CelDuration(wholeSeconds + 0, restNanos + 0);
}

const CLEAR_SECONDS = 9_000_000_000;

export function addToTimestamp(time: CelTimestamp, span: CelDuration, sign: 1 | -1): CelTimestamp | CelError {
  return timestampOf(time.seconds + sign * span.seconds, time.nanos + sign * span.nanos, time.offsetSeconds);
}

export function subtractTimestamps(a: CelTimestamp, b: CelTimestamp): CelDuration | CelError {
  return durationSum(a.seconds - b.seconds, a.nanos - b.nanos);
}

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9})\d*)?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** RFC 3339; undefined when it is not. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const found = text.length > MAX_TIME_TEXT ? null : RFC3339.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const nanos = Number((found[7] ?? "").padEnd(9, "0"));
  // As upstream, which knows that some people write a day's hours and an hour's minutes.
  if (Number(found[9] ?? 0) > 24 || Number(found[10] ?? 0) > 60) return undefined;
  const offset = found[8] === undefined ? 0 : Number(`${found[8]}1`) * (Number(found[9]) * 60 + Number(found[10])) * 60;
  const seconds = utcMs(year, month, day, hour, minute, second) / 1000 - offset;
  const time = timestampOf(seconds, nanos, offset);
  return time instanceof CelError ? undefined : time;
}

/** Longer texts are no times. */
const MAX_TIME_TEXT = 256;

/** RFC 3339, as far from UTC as the time was written. */
export function formatTimestamp(time: CelTimestamp): string {
  countWork(WORK_PER_TEXT);
  const iso = new Date((time.seconds + time.offsetSeconds) * 1000).toISOString();
  const fraction = time.nanos === 0 ? "" : `.${String(time.nanos).padStart(9, "0").replace(/0+$/, "")}`;
  return `${iso.slice(0, iso.indexOf("."))}${fraction}${zoneText(time.offsetSeconds)}`;
}

/** Printing a date takes so long. */
const WORK_PER_TEXT = 20;

function zoneText(offsetSeconds: number): string {
  if (offsetSeconds === 0) return "Z";
  const minutes = Math.abs(offsetSeconds) / 60;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  return `${offsetSeconds < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

const UNITS_NANOS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "\u00b5s": 1_000n,
  "\u03bcs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Sequences of decimal numbers with units, such as `1h30m` or `-1.5s`; undefined when it is not one. */
export function parseDuration(text: string): CelDuration | undefined {
  if (text.length > MAX_TIME_TEXT) return undefined;
  const sign = text.startsWith("-") ? -1n : 1n;
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === "0") return new CelDuration(0, 0);
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/.test(body)) return undefined;
  let total = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of body.matchAll(/(\d*)\.?(\d*)([a-z\u00b5\u03bc]+)/g)) {
    const unitNanos = UNITS_NANOS[unit] ?? 0n;
    total += BigInt(whole === "" ? "0" : whole) * unitNanos;
    if (fraction !== "") total += (BigInt(fraction) * unitNanos) / 10n ** BigInt(fraction.length);
  }
  const span = durationOf(sign * total);
  return span instanceof CelError ? undefined : span;
}

/** As seconds: `90s`, `0.5s`. As upstream, which counts them as a double: what that cannot tell apart looks the same. */
export function formatDuration({ seconds, nanos }: CelDuration): string {
  const text = String(seconds + nanos / NANOS);
  return `${text.includes("e") ? (nanos / NANOS).toFixed(9).replace(/0+$/, "") : text}s`;
}

export interface CalendarFields {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  /** From 1. */
  readonly dayOfMonth: number;
  /** Sunday is 0. */
  readonly dayOfWeek: number;
  /** From 0. */
  readonly dayOfYear: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: number;
}

/** The fields in a zone: a name such as `Europe/Berlin`, an offset such as `-02:00`; UTC when undefined. */
export function calendarFields(time: CelTimestamp, zone: string | undefined): CalendarFields | CelError {
  const offset = zone === undefined || zone === "" ? 0 : zoneOffsetSeconds(time, zone);
  if (offset === undefined) return new CelError(`unknown time zone ${zone?.slice(0, MAX_TIME_TEXT)}`);
  const date = new Date((time.seconds + offset) * 1000);
  const year = date.getUTCFullYear();
  const dayOfYear = Math.floor((date.getTime() - utcMs(year, 1, 1, 0, 0, 0)) / 86_400_000);
  return {
    year,
    month: date.getUTCMonth(),
    dayOfMonth: date.getUTCDate(),
    dayOfWeek: date.getUTCDay(),
    dayOfYear,
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    milliseconds: Math.floor(time.nanos / 1_000_000),
  };
}

function zoneOffsetSeconds(time: CelTimestamp, zone: string): number | undefined {
  if (zone.length > MAX_TIME_TEXT) return undefined;
  const fixed = /^([+-]?)(\d{1,2}):(\d{1,2})$/.exec(zone);
  if (fixed !== null) {
    if (Number(fixed[2]) > 23 || Number(fixed[3]) > 59) return undefined;
    return (fixed[1] === "-" ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3])) * 60;
  }
  if (zone === "UTC") return 0;
  const format = zoneFormat(zone);
  if (format === undefined) return undefined;
  countWork(WORK_PER_ZONE);
  const parts = new Map(format.formatToParts(time.seconds * 1000).map((part) => [part.type, part.value]));
  const read = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name) ?? 0);
  const year = parts.get("era") === "BC" ? 1 - read("year") : read("year");
  const local = utcMs(year, read("month"), read("day"), read("hour") % 24, read("minute"), read("second"));
  return Math.round(local / 1000 - time.seconds);
}

/** What the engine takes for the fields of a time in a zone, and for getting to know a zone. */
const WORK_PER_ZONE = 50;
const WORK_PER_NEW_ZONE = 2_000;

/** Formats are dear to make; names come from users, so only so many are kept. */
const MAX_CACHED_ZONES = 64;
const zoneFormats = new BoundedCache<string, Intl.DateTimeFormat>({ maxEntries: MAX_CACHED_ZONES });

function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  const known = zoneFormats.get(zone);
  if (known !== undefined) return known;
  // What else Intl takes is no zone upstream.
  if (!isTimeZoneName(zone)) return undefined;
  countWork(WORK_PER_NEW_ZONE);
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    zoneFormats.set(zone, format);
    return format;
  } catch {
    return undefined;
  }
}

function utcMs(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  // Date.UTC reads years below 100 as 19xx.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, 0);
  return date.getTime();
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
