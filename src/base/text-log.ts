// A log for people and for tools that read the lines of upstream's components: a letter, the time, the process, then the
// sentence in quotes and the fields after it.
//
//   W1116 04:05:00.123000    4711 plinth] "the lease cannot be renewed; trying again" err="socket hang up" node="a"

const LEVELS = ["trace", "debug", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];

type Line = (fields: object, message: string) => void;

interface TextLog extends Readonly<Record<Level, Line>> {
  child(fields: object): TextLog;
}

/** Upstream knows three severities. */
const LETTERS: Readonly<Record<Level, string>> = { trace: "I", debug: "I", info: "I", warn: "W", error: "E" };
const MAX_VALUE_CHARACTERS = 4_096;

interface TextLogOptions {
  /** What is less is dropped. Asked at every line. */
  readonly level: () => Level;
  readonly write: (line: string) => void;
  readonly pid: number;
  readonly nowMs?: () => number;
}

export function textLog(options: TextLogOptions, own: object = {}): TextLog {
  const { level: least, write, pid, nowMs = Date.now } = options;
  const line =
    (level: Level): Line =>
    (fields, message) => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least())) return;
      const words = Object.entries({ ...own, ...fields }).map(([name, value]) => ` ${name}=${valueText(value)}`);
      write(`${LETTERS[level]}${timeText(nowMs())} ${pid} plinth] ${JSON.stringify(message)}${words.join("")}\n`);
    };
  return {
    error: line("error"),
    warn: line("warn"),
    info: line("info"),
    debug: line("debug"),
    trace: line("trace"),
    child: (fields) => textLog(options, { ...own, ...fields }),
  };
}

/** "1116 04:05:00.123000" in the machine's own time. */
function timeText(nowMs: number): string {
  const time = new Date(nowMs);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${two(time.getMonth() + 1)}${two(time.getDate())}`;
  const hour = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return `${day} ${hour}.${String(time.getMilliseconds()).padStart(3, "0")}000`;
}

/** On one line, whatever it is: errors by their words. */
function valueText(value: unknown): string {
  const text = JSON.stringify(value instanceof Error ? value.message : value) ?? String(value);
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}...` : text;
}
