// What the scheduler's thread and its owner say to each other, beside the requests of its client.

import type { MessagePort } from "node:worker_threads";
import type { Dialect } from "../../meta/names.ts";
import type { SchedulerGates } from "../../scheduler/scheduler-gates.ts";
import type { SchedulerOptions } from "../../scheduler/scheduler-options.ts";
import type { LogLine } from "./passed-log.ts";

/** What the scheduler of a thread is. */
export interface SchedulerSetup {
  readonly dialect: Dialect;
  readonly options: SchedulerOptions;
  readonly gates: SchedulerGates;
}

/** What a thread has from the start. */
export interface ThreadData extends SchedulerSetup {
  /** Leads to the server. */
  readonly port: MessagePort;
}

export type OwnerMessage =
  /** Until then the scheduler only gets ready. */
  | { readonly type: "start" }
  /** The thread ends by itself when the scheduler has. */
  | { readonly type: "stop" }
  | { readonly type: "expose"; readonly id: number };

export type ThreadMessage =
  /** The scheduler works. */
  | { readonly type: "started" }
  | { readonly type: "log"; readonly line: LogLine }
  | { readonly type: "exposed"; readonly id: number; readonly text: string };
