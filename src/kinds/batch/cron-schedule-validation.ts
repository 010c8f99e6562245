// Schedules in the five fields of cron, or by name (@daily, @every 1h), and the time zones they are meant in.

import { parseDuration } from "../../meta/duration.ts";

/** Why `schedule` is none; undefined when it is one. */
export function scheduleProblem(schedule: string): string | undefined {
  let text = schedule;
  const zone = /^(?:CRON_)?TZ=(\S*)/.exec(text);
  if (zone) {
    const problem = timeZoneProblem(zone[1] ?? "");
    if (problem !== undefined) return `provided bad location ${zone[1]}: ${problem}`;
    text = text.slice(zone[0].length).trim();
  }
  if (text.startsWith("@")) return descriptorProblem(text);
  const fields = text.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== FIELDS.length) {
    return `expected exactly ${FIELDS.length} fields, found ${fields.length}: [${fields.join(" ")}]`;
  }
  for (const [index, bounds] of FIELDS.entries()) {
    for (const range of fields[index]!.split(",")) {
      const problem = range === "" ? undefined : rangeProblem(range, bounds);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** Why `zone` names no time zone. */
export function timeZoneProblem(zone: string): string | undefined {
  if (zone === "" || zone === "UTC" || zone === "Local") return undefined;
  // The runtime also reads offsets as zones; those are no names.
  const isName = /^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(zone);
  return isName && isKnownZone(zone) ? undefined : `unknown time zone ${zone}`;
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

const DESCRIPTORS = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);
const EVERY = "@every ";

function descriptorProblem(text: string): string | undefined {
  if (DESCRIPTORS.has(text)) return undefined;
  if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`;
  const duration = parseDuration(text.slice(EVERY.length));
  return typeof duration === "string" ? `failed to parse duration ${text}: ${duration}` : undefined;
}

/** One range of a field: `*`, `5`, `1-5`, `0-30/5`, `mon-fri`. */
function rangeProblem(text: string, bounds: Bounds): string | undefined {
  const [range = "", stepText, ...moreSteps] = text.split("/");
  const [lowText = "", highText, ...moreParts] = range.split("-");
  let low: number | string = bounds.least;
  let high: number | string = bounds.most;
  if (lowText !== "*" && lowText !== "?") {
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
  return step === 0 ? `step of range should be a positive number: ${text}` : undefined;
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

function isKnownZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
