// Where audit events go.

export interface AuditSink {
  /** log or webhook. */
  readonly name: string;
  /** A request fails when it cannot be recorded. */
  readonly strict: boolean;
  /** Takes one event as JSON. A promise settles when it is recorded; without one nobody waits. */
  record(event: string): Promise<void> | undefined;
  /** Records what has been taken, and ends. */
  close(): Promise<void>;
}

export type SinkMode = "batch" | "blocking" | "blocking-strict";
