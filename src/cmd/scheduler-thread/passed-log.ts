// The log of a thread: its lines are written where the lines of everybody else are.

import type { Log } from "../../base/log.ts";

type Level = Exclude<keyof Log, "child">;

/** A line that can go from one thread to another. */
export interface LogLine {
  readonly level: Level;
  readonly fields: object;
  readonly message: string;
  /** What `err` of the fields was. */
  readonly error?: PassedError;
}

interface PassedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: unknown;
}

/** A log whose lines are handed to `pass`. */
export function passedLog(pass: (line: LogLine) => void, own: object = {}): Log {
  const at =
    (level: Level) =>
    (fields: object, message: string): void => {
      const { err, ...others } = { ...own, ...fields } as { readonly err?: unknown };
      pass({ level, fields: others, message, ...(err === undefined ? {} : { error: passedError(err) }) });
    };
  return {
    error: at("error"),
    warn: at("warn"),
    info: at("info"),
    debug: at("debug"),
    trace: at("trace"),
    child: (fields) => passedLog(pass, { ...own, ...fields }),
  };
}

/** Writes a line that was passed. */
export function writeLine(log: Log, { level, fields, message, error }: LogLine): void {
  const err = error === undefined ? {} : { err: Object.assign(new Error(error.message), error) };
  log[level]({ ...fields, ...err }, message);
}

/** Of errors of one's own class, another thread would see no more than the text. */
function passedError(error: unknown): PassedError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack } = error;
  return { name, message, ...(stack === undefined ? {} : { stack }), ...("code" in error ? { code: error.code } : {}) };
}
