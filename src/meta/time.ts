// Times in objects: RFC 3339 text with whole seconds (Time) or microseconds (MicroTime), read as leniently and refused
// in the same words as upstream does, written in UTC.

/** A moment: whole seconds since 1970 (negative before) and the nanoseconds after them. */
interface Instant {
  readonly epochSeconds: number;
  readonly nanos: number;
}

export type TimePrecision = "seconds" | "micros";

/** The moment that `text` says, or a sentence saying why it says none. */
export function parseTime(text: string, precision: TimePrecision): Instant | string {
  return new TimeReader(text, precision).read();
}

/** The text that objects carry: in UTC; null for the zero moment (year 1). Finer digits are cut off. */
export function formatTime(instant: Instant, precision: TimePrecision): string | null {
  const { epochSeconds, nanos } = instant;
  if (epochSeconds === ZERO_EPOCH_SECONDS && nanos === 0) return null;
  // Most times are of now, and many things happen in a second.
  if (epochSeconds !== last.epochSeconds) last = { epochSeconds, text: secondText(epochSeconds) };
  if (precision === "seconds") return `${last.text}Z`;
  return `${last.text}.${String(Math.trunc(nanos / 1000)).padStart(6, "0")}Z`;
}

let last = { epochSeconds: Number.NaN, text: "" };

function secondText(epochSeconds: number): string {
  const date = new Date(epochSeconds * 1000);
  const year = String(date.getUTCFullYear()).padStart(4, "0");
  // toISOString widens years beyond 9999; everything after the year is the same.
  return `${year}${date.toISOString().slice(-20, -5)}`;
}

/** The canonical text of `text`: itself when it is canonical already. `problem` says why there is none. */
export function canonicalTime(text: string, precision: TimePrecision): { text: string | null } | { problem: string } {
  const instant = parseTime(text, precision);
  if (typeof instant === "string") return { problem: instant };
  // In UTC it may be of another year, which nobody could read again.
  if (!isInYears(instant.epochSeconds)) return { problem: `parsing time ${quote(text)}: year out of range` };
  return { text: formatTime(instant, precision) };
}

/** The canonical text of a clock's reading. */
export function timeOfMs(epochMs: number, precision: TimePrecision = "seconds"): string {
  const epochSeconds = Math.floor(epochMs / 1000);
  return formatTime({ epochSeconds, nanos: Math.round((epochMs - epochSeconds * 1000) * 1e6) }, precision) ?? "";
}

const LAYOUT: Record<TimePrecision, string> = {
  seconds: "2006-01-02T15:04:05Z07:00",
  micros: "2006-01-02T15:04:05.000000Z07:00",
};
const ZERO_EPOCH_SECONDS = -62_135_596_800;
/** The first second of the year 0, and the last one of the year 9999: years are written with four digits. */
const MIN_EPOCH_SECONDS = -62_167_219_200;
const MAX_EPOCH_SECONDS = 253_402_300_799;

/** Whether there is a text for it. */
export function isInYears(epochSeconds: number): boolean {
  return epochSeconds >= MIN_EPOCH_SECONDS && epochSeconds <= MAX_EPOCH_SECONDS;
}

// Reads one element of the layout after the other, so that a failure names the element it was at.
class TimeReader {
  readonly #text: string;
  readonly #precision: TimePrecision;
  #rest: string;
  #problem: string | undefined;

  constructor(text: string, precision: TimePrecision) {
    this.#text = text;
    this.#precision = precision;
    this.#rest = text;
  }

  read(): Instant | string {
    const year = this.#digits("2006", 4, 4);
    this.#literal("-");
    const month = this.#digits("01", 2, 2);
    this.#range("month", month >= 1 && month <= 12);
    this.#literal("-");
    const day = this.#digits("02", 2, 2);
    this.#literal("T");
    const hour = this.#digits("15", 1, 2);
    this.#range("hour", hour <= 23);
    this.#literal(":");
    const minute = this.#digits("04", 2, 2);
    this.#range("minute", minute <= 59);
    this.#literal(":");
    const second = this.#digits("05", 2, 2);
    this.#range("second", second <= 59);
    const nanos = this.#fraction();
    const offsetSeconds = this.#zone();
    if (this.#rest !== "") this.#fail(`parsing time ${quote(this.#text)}: extra text: ${quote(this.#rest)}`);
    this.#range("day", day >= 1 && day <= daysIn(year, month));
    if (this.#problem !== undefined) return this.#problem;
    const seconds = daysSinceEpoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    return { epochSeconds: seconds - offsetSeconds, nanos };
  }

  #digits(element: string, least: number, most: number): number {
    let length = 0;
    while (length < most && isDigit(this.#rest, length)) length++;
    if (length < least) return this.#cannotParse(element);
    const value = Number(this.#rest.slice(0, length));
    this.#rest = this.#rest.slice(length);
    return value;
  }

  #literal(text: string): void {
    if (!this.#rest.startsWith(text)) this.#cannotParse(text);
    else this.#rest = this.#rest.slice(text.length);
  }

  #fraction(): number {
    const starts = /^[.,]/.test(this.#rest);
    let end = 1;
    while (isDigit(this.#rest, end)) end++;
    if (this.#precision === "micros") {
      if (!starts || end < 7) return this.#cannotParse(".000000");
      end = 7;
    } else if (!starts || end === 1) {
      return 0;
    }
    const nanos = Number(this.#rest.slice(1, Math.min(end, 10)).padEnd(9, "0"));
    this.#rest = this.#rest.slice(end);
    return nanos;
  }

  #zone(): number {
    if (this.#rest.startsWith("Z")) {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const zone = /^([+-])([0-9]{2}):([0-9]{2})/.exec(this.#rest);
    if (zone === null) return this.#cannotParse("Z07:00");
    const hours = Number(zone[2]);
    const minutes = Number(zone[3]);
    this.#rest = this.#rest.slice(6);
    this.#range("time zone offset hour", hours <= 24);
    this.#range("time zone offset minute", minutes <= 60);
    return (zone[1] === "-" ? -1 : 1) * (hours * 3600 + minutes * 60);
  }

  #range(what: string, inside: boolean): void {
    if (!inside) this.#fail(`parsing time ${quote(this.#text)}: ${what} out of range`);
  }

  #cannotParse(element: string): number {
    const layout = quote(LAYOUT[this.#precision]);
    this.#fail(
      `parsing time ${quote(this.#text)} as ${layout}: cannot parse ${quote(this.#rest)} as ${quote(element)}`,
    );
    return 0;
  }

  #fail(problem: string): void {
    this.#problem ??= problem;
  }
}

function isDigit(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 48 && code <= 57;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function daysSinceEpoch(year: number, month: number, day: number): number {
  // Date.UTC takes years below 100 for those of the last century.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / 86_400_000;
}

const MAX_QUOTED_LENGTH = 256;

function quote(text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, MAX_QUOTED_LENGTH));
  let quoted = '"';
  for (const byte of bytes) {
    if (byte === 0x22 || byte === 0x5c) quoted += `\\${String.fromCharCode(byte)}`;
    else if (byte < 0x20 || byte >= 0x7f) quoted += `\\x${byte.toString(16).padStart(2, "0")}`;
    else quoted += String.fromCharCode(byte);
  }
  return `${quoted}"`;
}
