// Audit events as lines, in a file or on standard output: of JSON, or of what `lineOf` makes of it.

import type { AuditSink, RecordedEvent, SinkMode } from "./audit-sink.ts";

/** A file that only grows. */
export interface LineFile {
  /** Whole lines. Resolves when they are written. */
  append(lines: string): Promise<void>;
  /** Ends when what was appended is written. */
  close(): Promise<void>;
}

type LineOf = (recorded: RecordedEvent) => string;

/** `onError` learns of failures that no request waits for. */
export function fileSink(file: LineFile, lineOf: LineOf, mode: SinkMode, onError: (error: Error) => void): AuditSink {
  return {
    name: "log",
    strict: mode === "blocking-strict",
    record(recorded) {
      const written = file.append(`${lineOf(recorded)}\n`);
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
    record(recorded) {
      process.stdout.write(`${lineOf(recorded)}\n`);
      return undefined;
    },
    close: () => Promise.resolve(),
  };
}
