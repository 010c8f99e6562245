// Schedules in the five fields of cron, or by name (@daily, @every 1h), and the time zones they are meant in.

import { parseDuration } from "../../meta/duration.ts";
import { isTimeZoneName } from "../../meta/time-zones.ts";

/** Which values of each field a schedule wants, in ascending order. */
export interface CronFields {
  readonly type: "fields";
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
  /** Both the day and the weekday must fit; either is enough when both fields name some. */
  readonly needsBothDays: boolean;
  /** The zone that the text itself names; undefined when it names none. */
  readonly zone: string | undefined;
}

/** Once after every so many milliseconds, whole seconds, at least one. */
interface CronInterval {
  readonly type: "interval";
  readonly everyMs: number;
}

export type CronSchedule = CronFields | CronInterval;

/** To name every value of every field takes less than four hundred. */
const MAX_LENGTH = 4096;

/** What `schedule` says, or a sentence saying why it says nothing. */
export function parseSchedule(schedule: string): CronSchedule | string {
  if (schedule.length > MAX_LENGTH) return `must be no more than ${MAX_LENGTH} characters`;
  let text = schedule;
  let zone: string | undefined;
  const prefix = /^(?:CRON_)?TZ=(\S*)/.exec(text);
  if (prefix) {
    zone = prefix[1] ?? "";
    const problem = timeZoneProblem(zone);
    if (problem !== undefined) return `provided bad location ${zone}: ${problem}`;
    text = text.slice(prefix[0].length).trim();
  }
  if (text.startsWith(EVERY)) return parseInterval(text);
  if (text.startsWith("@")) {
    const fields = DESCRIPTORS.get(text);
    return fields === undefined ? `unrecognized descriptor: ${text}` : parseFields(fields, zone);
  }
  return parseFields(text, zone);
}

/** No zone has a name half as long. */
export const MAX_ZONE_LENGTH = 128;

/** Why `zone` names no time zone. */
export function timeZoneProblem(zone: string): string | undefined {
  if (zone === "" || zone === "UTC" || zone === "Local") return undefined;
  return isTimeZoneName(zone) && isKnownZone(zone) ? undefined : `unknown time zone ${zone}`;
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly names: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: readonly Bounds[] = [
  { least: 0, most: 59, names: [] },
  { least: 0, most: 23, names: [] },
  { least: 1, most: 31, names: [] },
  { least: 1, most: 12, names: MONTHS },
  { least: 0, most: 6, names: DAYS },
];

const DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);
const EVERY = "@every ";

function parseInterval(text: string): CronInterval | string {
  const nanos = parseDuration(text.slice(EVERY.length));
  if (typeof nanos === "string") return `failed to parse duration ${text}: ${nanos}`;
  return { type: "interval", everyMs: Math.max(1, Number(nanos / 1_000_000_000n)) * 1000 };
}

function parseFields(text: string, zone: string | undefined): CronFields | string {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length !== FIELDS.length) {
    return `expected exactly ${FIELDS.length} fields, found ${words.length}: [${words.join(" ")}]`;
  }
  const fields: Field[] = [];
  for (const [index, bounds] of FIELDS.entries()) {
    const field = parseField(words[index]!, bounds);
    if (typeof field === "string") return field;
    fields.push(field);
  }
  const [minutes, hours, days, months, weekdays] = fields as [Field, Field, Field, Field, Field];
  return {
    type: "fields",
    minutes: minutes.values,
    hours: hours.values,
    days: days.values,
    months: months.values,
    weekdays: weekdays.values,
    needsBothDays: days.isStar || weekdays.isStar,
    zone,
  };
}

interface Field {
  readonly values: readonly number[];
  /** Whether it names no value in particular. */
  readonly isStar: boolean;
}

function parseField(text: string, bounds: Bounds): Field | string {
  const values = new Set<number>();
  let isStar = false;
  for (const part of text.split(",")) {
    if (part === "") continue;
    const range = parseRange(part, bounds);
    if (typeof range === "string") return range;
    for (const value of range.values) values.add(value);
    isStar ||= range.isStar;
  }
  return { values: [...values].sort((a, b) => a - b), isStar };
}

/** One range of a field: `*`, `5`, `1-5`, `0-30/5`, `mon-fri`. */
function parseRange(text: string, bounds: Bounds): Field | string {
  const [range = "", stepText, ...moreSteps] = text.split("/");
  const [lowText = "", highText, ...moreParts] = range.split("-");
  const isStar = lowText === "*" || lowText === "?";
  let low: number | string = bounds.least;
  let high: number | string = bounds.most;
  if (!isStar) {
    low = numberOf(lowText, bounds);
    if (typeof low === "string") return low;
    if (moreParts.length > 0) return `too many hyphens: ${text}`;
    high = highText === undefined ? low : numberOf(highText, bounds);
    if (typeof high === "string") return high;
  }
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const step = stepText === undefined ? 1 : numberOf(stepText);
  if (typeof step === "string") return step;
  // A step from one number on runs to the end.
  if (stepText !== undefined && highText === undefined) high = bounds.most;
  if (low < bounds.least) return `beginning of range (${low}) below minimum (${bounds.least}): ${text}`;
  if (high > bounds.most) return `end of range (${high}) above maximum (${bounds.most}): ${text}`;
  if (low > high) return `beginning of range (${low}) beyond end of range (${high}): ${text}`;
  if (step === 0) return `step of range should be a positive number: ${text}`;
  const values: number[] = [];
  for (let value = low; value <= high; value += step) values.push(value);
  return { values, isStar: isStar && step === 1 };
}

function numberOf(text: string, bounds?: Bounds): number | string {
  const name = bounds?.names.indexOf(text.toLowerCase()) ?? -1;
  if (name >= 0) return name + bounds!.least;
  const failed = (why: string) =>
    `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`;
  if (!/^[+-]?[0-9]+$/.test(text)) return failed("invalid syntax");
  const number = Number(text);
  if (Math.abs(number) >= 2 ** 63) return failed("value out of range");
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}

/** The runtime may be one with few of them. */
function isKnownZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
