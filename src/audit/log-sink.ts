// Audit events as lines of JSON, in a file or on standard output.

import type { AuditSink, SinkMode } from "./audit-sink.ts";

/** A file that only grows. */
export interface LineFile {
  /** Whole lines. Resolves when they are written. */
  append(lines: string): Promise<void>;
  /** Ends when what was appended is written. */
  close(): Promise<void>;
}

/** `onError` learns of failures that no request waits for. */
export function fileSink(file: LineFile, mode: SinkMode, onError: (error: Error) => void): AuditSink {
  return {
    name: "log",
    strict: mode === "blocking-strict",
    record(event) {
      const written = file.append(`${event}\n`);
      if (mode !== "batch") return written;
      written.catch(onError);
      return undefined;
    },
    close: () => file.close(),
  };
}

export function standardOutputSink(): AuditSink {
  return {
    name: "log",
    strict: false,
    record(event) {
      process.stdout.write(`${event}\n`);
      return undefined;
    },
    close: () => Promise.resolve(),
  };
}
