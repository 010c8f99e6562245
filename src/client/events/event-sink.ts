// Where reports go: core Events, or those of the events group.

import type { ReportedEvent } from "./reported-event.ts";

/** Who reports. */
export interface Reporter {
  readonly controller: string;
  readonly instance: string;
  readonly host?: string;
}

export interface EventSink {
  /** Takes note of the event at once; the returned write may be repeated. Undefined: there is nothing to write. */
  prepare(event: ReportedEvent, name: string): (() => Promise<void>) | undefined;
  /** Writes what is still to be said. */
  close(): Promise<void>;
}
