// What a controller is: keys of objects come in, each is brought one step nearer to what should be.

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Client } from "../../client/client.ts";
import type { EventRecorder } from "../../client/event-recorder.ts";
import type { SharedInformers } from "../../client/shared-informers.ts";
import type { Names } from "../../meta/names.ts";
import type { ControllerGate, GateEnabled } from "../controller-gates.ts";
import type { ControllerOptions } from "../controller-options.ts";
import type { ControllerMetrics } from "./controller-metrics.ts";

/** What follows from a reconcile. A failure is thrown: the key comes back, later after each one in a row. */
export type Outcome = { readonly type: "done" } | { readonly type: "again"; readonly afterMs: number };

export const done: Outcome = { type: "done" };

export function againAfterMs(afterMs: number): Outcome {
  return { type: "again", afterMs };
}

/** Where handlers of informers leave the keys that have to be looked at. A key waits at most once. */
export interface KeyQueue {
  add(key: string): void;
  addAfter(key: string, afterMs: number): void;
}

type EventSubject = Parameters<EventRecorder["warning"]>[0];

export interface Controller {
  /** Before anything is known: adds handlers to informers. They return at once and only fill the queue. */
  watch(queue: KeyQueue): void;
  /** Once all informers have synced and before the first key. */
  start?(signal: AbortSignal): void | Promise<void>;
  /** The object behind a key, where it has one: told of, once, when it is such that no rule understands it. */
  subject?(key: string): EventSubject | undefined;
  /** One key at a time is given to one worker only. Reads caches, asks the rule, writes. */
  reconcile(key: string, signal: AbortSignal): Promise<Outcome>;
}

export interface ControllerContext {
  /** Acts as the controller's own account. */
  readonly client: Client;
  /** Shared by all controllers: what is asked for here is followed once. */
  readonly informers: SharedInformers;
  readonly events: EventRecorder;
  readonly names: Names;
  readonly clock: Clock;
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly options: ControllerOptions;
  readonly gateEnabled: GateEnabled;
  readonly metrics: ControllerMetrics;
}

export interface ControllerDefinition {
  /** As --controllers names it. */
  readonly name: string;
  /** The component that its events come from, where users know it by another name. */
  readonly reportsAs?: string;
  /** Older names of it, taken by --controllers too. */
  readonly aliases?: readonly string[];
  /**
   * The service account that it acts as; its rights are those of the role system:controller:<account>. The manager itself
   * when not given: for what accounts need before they can act.
   */
  readonly account?: string;
  /** Only with this feature gate. */
  readonly gate?: ControllerGate;
  /** Only when --controllers names it. */
  readonly offByDefault?: boolean;
  /** How many keys are reconciled side by side; 1 when not given. */
  readonly workers?: (options: ControllerOptions) => number;
  /** Whether it can run at all with these options; a reason when it cannot. */
  readonly missing?: (options: ControllerOptions) => string | undefined;
  build(context: ControllerContext): Controller;
}
