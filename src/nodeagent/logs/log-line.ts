// One line of a container's log as runtimes write it: "2016-10-06T00:17:09.669794202Z stdout F the text". The tag P marks a
// piece of a longer line, F its end. Pure.

export interface LogLine {
  /** As written. */
  readonly time: string;
  readonly timeMs: number;
  readonly stream: "stdout" | "stderr";
  /** With the newline where the line ends here. */
  readonly text: Buffer;
}

const SPACE = 0x20;
const NEWLINE = Buffer.from("\n");

/** Undefined for what is no such line. `line` is without its newline. */
export function parseLogLine(line: Buffer): LogLine | undefined {
  const first = line.indexOf(SPACE);
  const second = first < 0 ? -1 : line.indexOf(SPACE, first + 1);
  if (second < 0) return undefined;
  const third = line.indexOf(SPACE, second + 1);
  const time = line.toString("latin1", 0, first);
  const stream = line.toString("latin1", first + 1, second);
  const tags = line.toString("latin1", second + 1, third < 0 ? line.length : third).split(":");
  const timeMs = Date.parse(time);
  if ((stream !== "stdout" && stream !== "stderr") || Number.isNaN(timeMs)) return undefined;
  const content = third < 0 ? Buffer.alloc(0) : line.subarray(third + 1);
  return { time, timeMs, stream, text: tags.includes("P") ? content : Buffer.concat([content, NEWLINE]) };
}
