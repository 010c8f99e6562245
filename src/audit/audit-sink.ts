// Where audit events go.

import type { JsonObject } from "../base/json.ts";

export interface RecordedEvent {
  readonly event: JsonObject;
  /** The same as JSON. */
  readonly text: string;
}

export interface AuditSink {
  /** log or webhook. */
  readonly name: string;
  /** A request fails when it cannot be recorded. */
  readonly strict: boolean;
  /** Takes one event. A promise settles when it is recorded; without one nobody waits. */
  record(recorded: RecordedEvent): Promise<void> | undefined;
  /** Records what has been taken, and ends. */
  close(): Promise<void>;
}

export type SinkMode = "batch" | "blocking" | "blocking-strict";
