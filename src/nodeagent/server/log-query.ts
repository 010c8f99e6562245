// What a query of the machine's logs asks for (`GET /logs/?query=`): a file of the folder for logs, or services of the
// journal, with a time, a boot, a pattern and a number of lines. Pure.

interface LogQuery {
  /** Below the folder for logs. */
  readonly files: readonly string[];
  readonly services: readonly string[];
  readonly sinceTime?: Date;
  readonly untilTime?: Date;
  readonly boot?: number;
  readonly pattern?: string;
  readonly tailLines?: number;
}

/** Undefined where nothing is asked for. A list of problems where it cannot be answered. */
export function parseLogQuery(query: URLSearchParams): LogQuery | readonly string[] | undefined {
  const names = query.getAll("query").filter((name) => name !== "");
  if (names.length === 0) return undefined;
  const problems: string[] = [];
  const [files, services] = [names.filter(isFile), names.filter((name) => !isFile(name))];
  if (names.length > MAX_NAMES) problems.push(`query: Too many: ${names.length}: must have at most ${MAX_NAMES} items`);
  if (files.length > 0 && names.length > 1)
    problems.push("query: Invalid value: specifying more than one file, or files and services, is not allowed");
  if (files.length > 0 && OPTIONS.some((name) => query.has(name)))
    problems.push(`query: Invalid value: ${OPTIONS.join(", ")} are not for files`);
  for (const name of services)
    if (/[^a-zA-Z0-9_@.:-]/.test(name) || name.startsWith("-") || name.length > MAX_LENGTH)
      problems.push(`query: Invalid value: ${JSON.stringify(name.slice(0, MAX_LENGTH))} is no name of a service`);
  const sinceTime = timeOf(query.get("sinceTime"), "sinceTime", problems);
  const untilTime = timeOf(query.get("untilTime"), "untilTime", problems);
  if (sinceTime && untilTime && untilTime < sinceTime)
    problems.push("untilTime: Invalid value: must be after sinceTime");
  const boot = integerOf(query.get("boot"), "boot", problems);
  if (boot !== undefined && boot > 0) problems.push("boot: Invalid value: must be 0 or less");
  const tailLines = integerOf(query.get("tailLines"), "tailLines", problems);
  if (tailLines !== undefined && (tailLines < 0 || tailLines > MAX_LINES))
    problems.push(`tailLines: Invalid value: must be between 0 and ${MAX_LINES}`);
  const pattern = query.get("pattern") ?? undefined;
  if (pattern !== undefined && pattern.length > MAX_LENGTH)
    problems.push(`pattern: Too long: must have at most ${MAX_LENGTH} characters`);
  if (problems.length > 0) return problems;
  return {
    files,
    services,
    ...(sinceTime === undefined ? {} : { sinceTime }),
    ...(untilTime === undefined ? {} : { untilTime }),
    ...(boot === undefined ? {} : { boot }),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(pattern === undefined ? {} : { pattern }),
  };
}

const OPTIONS = ["sinceTime", "untilTime", "boot", "pattern", "tailLines"];
const MAX_NAMES = 4;
const MAX_LENGTH = 256;
const MAX_LINES = 100_000;

const isFile = (name: string): boolean => name.includes("/") || name.includes("\\");

/** What the journal's own tool is told. */
export function journalArguments({ services, sinceTime, untilTime, boot, pattern, tailLines }: LogQuery): string[] {
  return [
    "--utc",
    "--no-pager",
    "--output=short-precise",
    ...(sinceTime === undefined ? [] : [`--since=${journalTime(sinceTime)}`]),
    ...(untilTime === undefined ? [] : [`--until=${journalTime(untilTime)}`]),
    ...(tailLines === undefined ? [] : [`--lines=${tailLines}`]),
    ...(pattern === undefined ? [] : [`--grep=${pattern}`]),
    ...(boot === undefined ? [] : [`--boot=${boot}`]),
    ...services.map((service) => `--unit=${service}`),
  ];
}

/** Where services that do not write to the journal have their files, the usual place first. */
export function usualFiles(service: string): string[] {
  return [service, `${service}.log`, `${service}/${service}.log`];
}

function journalTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function timeOf(text: string | null, name: string, problems: string[]): Date | undefined {
  if (text === null) return undefined;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text);
  const ms = isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return new Date(ms);
  problems.push(`${name}: Invalid value: must be in the form of RFC 3339`);
  return undefined;
}

function integerOf(text: string | null, name: string, problems: string[]): number | undefined {
  if (text === null) return undefined;
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  problems.push(`${name}: Invalid value: must be a whole number`);
  return undefined;
}
