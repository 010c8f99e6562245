// The log: lines on standard error, as JSON or as text, fields and a sentence.

import { pino } from "pino";
import { type Level, textLog } from "./text-log.ts";

export interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  trace(fields: object, message: string): void;
  /** A log whose every line carries these fields too. */
  child(fields: object): Log;
}

/** A log that can be told to say more, or less, while it is used. Children that were made before go on as they did. */
export interface AdjustableLog extends Log {
  setVerbosity(verbosity: number): void;
}

interface LogOptions {
  /** The -v flag: 0 to 3 informs, 4 and 5 debug, 6 and more trace. */
  readonly verbosity: number;
  /** Drops what is less than this; for a foreground command that talks to its user in other ways. */
  readonly quiet?: boolean;
  /** One JSON object a line unless told. */
  readonly format?: "json" | "text";
}

export function createLog(options: LogOptions): AdjustableLog {
  // A file descriptor, not process.stderr: lines written just before an exit are not lost.
  const destination = pino.destination({ fd: 2, sync: true });
  if (options.format === "text") {
    let level = levelOf(options);
    const log = textLog({ level: () => level, write: (line) => destination.write(line), pid: process.pid });
    const setVerbosity = (verbosity: number) => {
      level = levelOf({ verbosity });
    };
    return Object.assign(log, { setVerbosity });
  }
  const settings = {
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: shownError },
  };
  const log = pino({ ...settings, level: levelOf(options) }, destination);
  const setVerbosity = (verbosity: number) => {
    log.level = levelOf({ verbosity });
  };
  return Object.assign(log, { setVerbosity });
}

/**
 * What the system, a peer or a command answers has a code: where it was heard of in here is no help to anybody. Codes of
 * Node's own (ERR_) are about how it was called.
 */
function shownError(error: Error): object {
  if (!(error instanceof Error) || !("code" in error) || String(error.code).startsWith("ERR_"))
    return pino.stdSerializers.err(error);
  const { name, message, code } = error;
  return { type: name, message: message.trim().replaceAll(/\s*\n\s*/g, "; "), code };
}

/** For tests and for parts that are built without a log. */
export const silentLog: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  trace: () => undefined,
  child: () => silentLog,
};

function levelOf({ verbosity, quiet = false }: LogOptions): Level {
  if (verbosity >= 6) return "trace";
  if (verbosity >= 4) return "debug";
  return quiet ? "warn" : "info";
}
