// Runs one controller: its queue, its workers, what they report. Level based: only keys travel, what is true is read when
// a key is reconciled.

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { nextTurn } from "../../base/next-turn.ts";
import type { QueueMetrics } from "../../base/queue-metrics.ts";
import { isApiError } from "../../client/api-error.ts";
import type { EventRecorder } from "../../client/event-recorder.ts";
import { WorkQueue } from "../../client/work-queue.ts";
import type { Controller, KeyQueue } from "./controller.ts";

interface RunControllerOptions {
  readonly name: string;
  readonly controller: Controller;
  readonly workers: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: QueueMetrics;
  readonly events: Pick<EventRecorder, "warning">;
}

/** Waits are counted by the machine's clock: one that it was set back in begins anew soon after it is right again. */
const MAX_WAIT_MS = 3_600_000;
/** Objects that make no sense and are remembered. */
const MAX_TOLD = 1_000;

/** The flow of a key is its namespace: many keys of one do not keep those of others waiting. */
const flowOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf("/")));

export class RunningController {
  readonly name: string;
  readonly #options: RunControllerOptions;
  readonly #queue: WorkQueue;
  readonly #stop = new AbortController();
  readonly #addedMs = new Map<string, number>();
  /** Keys whose objects make no sense, and the version of which that was told. */
  readonly #told = new Map<string, string>();
  #working = 0;
  #workers: Promise<unknown> = Promise.resolve();

  constructor(options: RunControllerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock, flowOf });
    options.controller.watch(this.#keys());
  }

  /** Whether a key waits or is being worked on; keys that come later do not count. */
  get busy(): boolean {
    return this.#queue.length > 0 || this.#working > 0;
  }

  /** All informers have synced. */
  async start(): Promise<void> {
    await this.#options.controller.start?.(this.#stop.signal);
    this.#workers = Promise.all(Array.from({ length: this.#options.workers }, () => this.#work()));
  }

  /** Nothing new begins; resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the controller was stopped"));
    this.#queue.close();
    await this.#workers;
  }

  #keys(): KeyQueue {
    return {
      add: (key) => {
        this.#noteAdded(key);
        this.#queue.add(key);
      },
      addAfter: (key, afterMs) => {
        if (afterMs <= 0) this.#noteAdded(key);
        this.#queue.addAfter(key, afterMs);
      },
    };
  }

  #noteAdded(key: string): void {
    const { metrics, clock } = this.#options;
    if (this.#addedMs.has(key)) return;
    this.#addedMs.set(key, clock.monotonicMs());
    metrics.added(this.#queue.length + 1);
  }

  async #work(): Promise<void> {
    const { clock, metrics } = this.#options;
    for (;;) {
      const key = await this.#queue.take();
      if (key === undefined) return;
      this.#working += 1;
      // What comes with it has its turn first: the controller's own last writes on their way back, more changes of the same.
      await nextTurn();
      this.#queue.begin(key);
      const startMs = clock.monotonicMs();
      const ended = metrics.taken(this.#queue.length, (startMs - (this.#addedMs.get(key) ?? startMs)) / 1000);
      this.#addedMs.delete(key);
      try {
        await this.#reconcile(key);
      } finally {
        this.#working -= 1;
        this.#queue.done(key);
        ended();
      }
    }
  }

  async #reconcile(key: string): Promise<void> {
    const { name, controller, log, metrics } = this.#options;
    try {
      const outcome = await controller.reconcile(key, this.#stop.signal);
      this.#queue.forget(key);
      if (this.#told.size > 0) this.#told.delete(key);
      if (outcome.type === "again") this.#queue.addAfter(key, Math.min(outcome.afterMs, MAX_WAIT_MS));
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      metrics.retried();
      // A conflict says that the cache is behind: the newer object is on its way.
      const level = isApiError(error, "Conflict", "AlreadyExists", "NotFound") ? "debug" : "warn";
      log[level]({ err: error, controller: name, key }, "a key could not be reconciled, trying again");
      if (error instanceof TypeError) this.#tellOfNonsense(key, error);
      this.#queue.addRateLimited(key);
    }
  }

  /** What the server takes no rule stumbles over; what came into the store in other ways costs one event, and waits. */
  #tellOfNonsense(key: string, { message }: TypeError): void {
    const { controller, events } = this.#options;
    const subject = controller.subject?.(key);
    const version = subject?.metadata.resourceVersion ?? "";
    if (subject === undefined || this.#told.get(key) === version) return;
    if (this.#told.size < MAX_TOLD) this.#told.set(key, version);
    events.warning(
      subject,
      "FailedReconcile",
      `The object is not complete or not of its kind: ${message.slice(0, 200)}`,
    );
  }
}
