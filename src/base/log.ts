// The log: structured lines on standard error, fields first, then a sentence.

import { pino } from "pino";

export interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  trace(fields: object, message: string): void;
  /** A log whose every line carries these fields too. */
  child(fields: object): Log;
}

interface LogOptions {
  /** The -v flag: 0 to 3 informs, 4 and 5 debug, 6 and more trace. */
  readonly verbosity: number;
  /** Drops what is less than this; for a foreground command that talks to its user in other ways. */
  readonly quiet?: boolean;
}

export function createLog(options: LogOptions): Log {
  // A file descriptor, not process.stderr: lines written just before an exit are not lost.
  const destination = pino.destination({ fd: 2, sync: true });
  const settings = {
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino({ ...settings, level: levelOf(options) }, destination);
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

function levelOf({ verbosity, quiet = false }: LogOptions): string {
  if (verbosity >= 6) return "trace";
  if (verbosity >= 4) return "debug";
  return quiet ? "warn" : "info";
}
