// Audit events as lines, in a file or on standard output: of JSON, or of what `lineOf` makes of it.

import type { AuditSink, SinkMode } from "./audit-sink.ts";

/** A file that only grows. */
export interface LineFile {
  /** Whole lines. Resolves when they are written. */
  append(lines: string): Promise<void>;
  /** Ends when what was appended is written. */
  close(): Promise<void>;
}

type LineOf = (event: string) => string;

/** `onError` learns of failures that no request waits for. */
export function fileSink(file: LineFile, lineOf: LineOf, mode: SinkMode, onError: (error: Error) => void): AuditSink {
  return {
    name: "log",
    strict: mode === "blocking-strict",
    record(event) {
      const written = file.append(`${lineOf(event)}\n`);
      if (mode !== "batch") return written;
      written.catch(onError);
      return undefined;
    },
    close: () => file.close(),
  };
}

export function standardOutputSink(lineOf: LineOf): AuditSink {
  return {
    name: "log",
    strict: false,
    record(event) {
      process.stdout.write(`${lineOf(event)}\n`);
      return undefined;
    },
    close: () => Promise.resolve(),
  };
}
