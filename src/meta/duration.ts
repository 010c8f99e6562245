// Durations in objects and flags: "1h2m3s", "500ms", "1.5h", read and written in upstream's form, in nanoseconds.

/** Nanoseconds, or a sentence saying why `text` is no duration. */
export function parseDuration(text: string): bigint | string {
  const bad = `time: invalid duration ${JSON.stringify(text.slice(0, MAX_DURATION_LENGTH))}`;
  if (text.length > MAX_DURATION_LENGTH) return bad;
  const negative = text.startsWith("-");
  let rest = negative || text.startsWith("+") ? text.slice(1) : text;
  if (rest === "0") return 0n;
  if (rest === "") return bad;
  let total = 0n;
  while (rest !== "") {
    const number = /^([0-9]*)(\.[0-9]*)?/.exec(rest);
    const whole = number?.[1] ?? "";
    const fraction = (number?.[2] ?? "").slice(1);
    if (whole === "" && fraction === "") return bad;
    rest = rest.slice(number?.[0].length ?? 0);
    const unit = /^[^0-9.]*/.exec(rest)?.[0] ?? "";
    if (unit === "") return bad.replace("invalid duration", "missing unit in duration");
    const scale = UNITS.get(unit);
    if (scale === undefined) return bad.replace("invalid", `unknown unit ${JSON.stringify(unit)} in`);
    rest = rest.slice(unit.length);
    total += BigInt(whole) * scale + fractionOf(fraction, scale);
    // Only the negative side reaches 2^63.
    if (total > MAX_MAGNITUDE) return bad;
  }
  if (negative) return -total;
  return total === MAX_MAGNITUDE ? bad : total;
}

/**
 * Nanoseconds of a duration, or of a text with numbers and spelled-out units anywhere in it, "3 weeks and 1 day", which
 * schemas take for durations too. Undefined when it is neither.
 */
export function parseSpelledDuration(text: string): bigint | undefined {
  const plain = parseDuration(text);
  if (typeof plain === "bigint") return plain;
  let total: bigint | undefined;
  // No number is looked at twice: a unit is not demanded here.
  for (const [, number = "", unit = ""] of text.matchAll(/(\d+)\s*([A-Za-z\u00b5]*)/g)) {
    if (unit === "") continue;
    const count = number.length > MAX_NUMBER_LENGTH ? MAX_MAGNITUDE : BigInt(number);
    if (count >= MAX_MAGNITUDE) return undefined;
    const scale = SPELLED_UNITS.find(([pattern]) => pattern.test(unit))?.[1];
    if (scale !== undefined) total = (total ?? 0n) + count * scale;
  }
  // As upstream, which lets the sum overflow.
  return total === undefined ? undefined : BigInt.asIntN(64, total);
}

/** The canonical text: 1h2m3.5s, 1.5ms, 0s. */
export function formatDuration(nanos: bigint): string {
  const sign = nanos < 0n ? "-" : "";
  const magnitude = nanos < 0n ? -nanos : nanos;
  if (magnitude === 0n) return "0s";
  if (magnitude < SECOND) {
    if (magnitude < MICROSECOND) return `${sign}${magnitude}ns`;
    if (magnitude < MILLISECOND) return `${sign}${decimal(magnitude, MICROSECOND)}µs`;
    return `${sign}${decimal(magnitude, MILLISECOND)}ms`;
  }
  const hours = magnitude / HOUR;
  const minutes = (magnitude / MINUTE) % 60n;
  const seconds = decimal(magnitude % MINUTE, SECOND);
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}s`;
  if (minutes > 0n) return `${sign}${minutes}m${seconds}s`;
  return `${sign}${seconds}s`;
}

/** Milliseconds, for timers; undefined when `text` is no duration. */
export function durationMs(text: string): number | undefined {
  const nanos = parseDuration(text);
  return typeof nanos === "string" ? undefined : Number(nanos) / 1e6;
}

/** Longer texts are refused before any digit is read. */
const MAX_DURATION_LENGTH = 256;

const MICROSECOND = 1_000n;
const MILLISECOND = 1_000_000n;
const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
const MAX_MAGNITUDE = 2n ** 63n;

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", MICROSECOND],
  ["\u00b5s", MICROSECOND],
  ["\u03bcs", MICROSECOND],
  ["ms", MILLISECOND],
  ["s", SECOND],
  ["m", MINUTE],
  ["h", HOUR],
]);

/** Longer numbers are refused before they are read. */
const MAX_NUMBER_LENGTH = 1_000;

const SPELLED_UNITS: readonly (readonly [pattern: RegExp, scale: bigint])[] = [
  [/^(?:ns$|nano)/i, 1n],
  [/^(?:us$|\u00b5s$|micro)/i, MICROSECOND],
  [/^(?:ms$|milli)/i, MILLISECOND],
  [/^(?:s$|sec)/i, SECOND],
  [/^(?:m$|min)/i, MINUTE],
  [/^(?:h$|hr$|hour)/i, HOUR],
  [/^(?:d$|day)/i, 24n * HOUR],
  [/^(?:w$|wk$|week)/i, 7n * 24n * HOUR],
];

/** Digits beyond what the unit can hold are cut off. */
function fractionOf(fraction: string, scale: bigint): bigint {
  return fraction === "" ? 0n : (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
}

function decimal(value: bigint, unit: bigint): string {
  const rest = value % unit;
  if (rest === 0n) return String(value / unit);
  const digits = String(rest).padStart(String(unit).length - 1, "0");
  return `${value / unit}.${digits.replace(/0+$/, "")}`;
}
