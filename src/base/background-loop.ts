// The runner of work in the background that has keys: what changed is reconciled a moment later, one round per key at a time,
// again after a failure, and every so often if it should be. Work without keys uses one: the empty one.
//
//   idle --enqueue--> waiting --settle time--> queued --room--> running --done--> idle, or waiting for the next period
//                                                              |  ^
//                                              asked meanwhile +--+   failed: waiting, twice as long each time

import { setMaxListeners } from "node:events";
import type { Clock, Timer } from "./clock.ts";
import { nextTurn } from "./next-turn.ts";
import type { QueueMetrics } from "./queue-metrics.ts";

/** What follows from a round: nothing until somebody asks, another one after a time, or one like after a failure. */
export type Outcome = "done" | "retry" | { readonly againInMs: number };

export interface BackgroundLoopOptions {
  readonly clock: Clock;
  /** One round. The signal is aborted when the loop is closed. */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Outcome>;
  /** A round has failed and is repeated later. Not told of after the loop was closed. */
  readonly onError: (error: unknown, key: string) => void;
  /** Changes within this time are reconciled together. 0, the default: those of one turn of the event loop. */
  readonly settleMs?: number;
  /** How long after a failure, doubled with each one in a row. */
  readonly retryMs?: { readonly first: number; readonly max: number };
  /** A key that is done is reconciled again after this time. */
  readonly everyMs?: number;
  /** How many keys are reconciled side by side: 1 unless told. */
  readonly maxAtOnce?: number;
  /** Where the queue is measured; nowhere when not given. */
  readonly metrics?: QueueMetrics;
}

const RETRY_MS = { first: 1_000, max: 60_000 };

export class BackgroundLoop {
  readonly #options: BackgroundLoopOptions;
  readonly #retryMs: { readonly first: number; readonly max: number };
  readonly #maxAtOnce: number;
  readonly #stop = new AbortController();
  readonly #waiting = new Map<string, WaitingRound>();
  readonly #queued = new Set<string>();
  /** Of those, since when; nothing where nobody measures. */
  readonly #queuedSinceMs = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #following = new Map<string, Promise<void>>();
  /** Keys that somebody asked for while they ran. */
  readonly #again = new Set<string>();
  /** How long the next retry waits, of keys whose last round failed. */
  readonly #nextRetryMs = new Map<string, number>();
  #idle: (() => void)[] = [];
  #turnIsDue = false;

  constructor(options: BackgroundLoopOptions) {
    this.#options = options;
    const { everyMs } = options;
    this.#retryMs = options.retryMs ?? (everyMs === undefined ? RETRY_MS : { first: everyMs, max: everyMs });
    this.#maxAtOnce = options.maxAtOnce ?? 1;
    // Every round that runs may listen to it, many at once.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Asks for a round, after the settle time unless told. One that is due earlier stays; a later one is moved forward. */
  enqueue(key = "", inMs = this.#options.settleMs ?? 0): void {
    this.#schedule(key, inMs, true);
  }

  /** Reconciles now, whatever else is queued. Resolves when a round that began after the call has ended; never fails. */
  settle(key = ""): Promise<void> {
    if (this.closed) return Promise.resolve();
    this.#unschedule(key);
    this.#queued.delete(key);
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key);
    // All who ask during a round share the next one.
    const next =
      this.#following.get(key) ??
      running.then(() => {
        this.#following.delete(key);
        return this.closed ? undefined : (this.#running.get(key) ?? this.#start(key));
      });
    this.#following.set(key, next);
    return next;
  }

  /** The key is not reconciled again until somebody asks; a round that runs goes on. */
  forget(key = ""): void {
    this.#unschedule(key);
    this.#queued.delete(key);
    this.#queuedSinceMs.delete(key);
    this.#again.delete(key);
    this.#nextRetryMs.delete(key);
    this.#tellIfIdle();
  }

  /** Resolves when everything that was asked for has been done; retries and periods are not waited for. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#tellIfIdle();
    });
  }

  /** Nothing begins afterwards; what runs hears of it by its signal. */
  close(): void {
    this.#stop.abort();
    for (const key of [...this.#waiting.keys()]) this.#unschedule(key);
    this.#queued.clear();
    this.#queuedSinceMs.clear();
    this.#again.clear();
    this.#nextRetryMs.clear();
    this.#tellIfIdle();
  }

  /** Whether something that was asked for has not been done yet. */
  get busy(): boolean {
    if (this.#running.size > 0 || this.#queued.size > 0) return true;
    for (const { asked } of this.#waiting.values()) if (asked) return true;
    return false;
  }

  get closed(): boolean {
    return this.#stop.signal.aborted;
  }

  #schedule(key: string, inMs: number, asked: boolean): void {
    if (this.closed || this.#queued.has(key)) return;
    const { clock } = this.#options;
    const dueMs = clock.monotonicMs() + inMs;
    const known = this.#waiting.get(key);
    if (known !== undefined && known.dueMs <= dueMs) {
      if (asked) known.asked = true;
      return;
    }
    this.#unschedule(key);
    if (inMs <= 0) this.#queue(key);
    else this.#waiting.set(key, { dueMs, asked, timer: clock.setTimer(inMs, () => this.#due(key)) });
  }

  #unschedule(key: string): void {
    this.#waiting.get(key)?.timer.cancel();
    this.#waiting.delete(key);
  }

  #due(key: string): void {
    this.#waiting.delete(key);
    this.#queue(key);
  }

  #queue(key: string): void {
    if (this.#running.has(key)) this.#again.add(key);
    else {
      this.#queued.add(key);
      this.#measureQueued(key);
    }
    if (this.#turnIsDue) return;
    this.#turnIsDue = true;
    // What asked for the round is answered first.
    void nextTurn().then(() => {
      this.#turnIsDue = false;
      this.#startQueued();
    });
  }

  #startQueued(): void {
    for (const key of this.#queued) {
      if (this.#running.size >= this.#maxAtOnce) return;
      this.#queued.delete(key);
      void this.#start(key);
    }
  }

  #start(key: string): Promise<void> {
    const running = this.#run(key).then((outcome) => {
      this.#running.delete(key);
      this.#ended(key, outcome);
      this.#startQueued();
      this.#tellIfIdle();
    });
    this.#running.set(key, running);
    return running;
  }

  #measureQueued(key: string): void {
    const { metrics, clock } = this.#options;
    if (metrics === undefined) return;
    this.#queuedSinceMs.set(key, clock.monotonicMs());
    metrics.added(this.#queued.size);
  }

  /** What it returns is to be called when the round has ended. */
  #measureRound(key: string): (() => void) | undefined {
    const { metrics, clock } = this.#options;
    if (metrics === undefined) return undefined;
    const nowMs = clock.monotonicMs();
    const sinceMs = this.#queuedSinceMs.get(key);
    // One that nobody had to wait for was never in the queue.
    if (sinceMs === undefined) metrics.added(this.#queued.size);
    this.#queuedSinceMs.delete(key);
    return metrics.taken(this.#queued.size, (nowMs - (sinceMs ?? nowMs)) / 1_000);
  }

  async #run(key: string): Promise<Outcome> {
    // The round is noted as running before it begins: it may ask for the next one.
    await undefined;
    const ended = this.#measureRound(key);
    try {
      return await this.#options.reconcile(key, this.#stop.signal);
    } catch (error) {
      if (!this.closed) this.#options.onError(error, key);
      return "retry";
    } finally {
      ended?.();
    }
  }

  #ended(key: string, outcome: Outcome): void {
    if (this.closed) return;
    if (outcome === "retry") {
      this.#options.metrics?.retried();
      this.#schedule(key, this.#retryAfterMs(key), false);
    } else {
      this.#nextRetryMs.delete(key);
      const againInMs = outcome === "done" ? this.#options.everyMs : outcome.againInMs;
      if (againInMs !== undefined) this.#schedule(key, againInMs, false);
    }
    if (this.#again.delete(key)) this.#schedule(key, 0, true);
  }

  #retryAfterMs(key: string): number {
    const ms = this.#nextRetryMs.get(key) ?? this.#retryMs.first;
    this.#nextRetryMs.set(key, Math.min(ms * 2, this.#retryMs.max));
    return ms;
  }

  #tellIfIdle(): void {
    if (this.#idle.length === 0 || this.busy) return;
    const told = this.#idle;
    this.#idle = [];
    for (const tell of told) tell();
  }
}

interface WaitingRound {
  readonly dueMs: number;
  readonly timer: Timer;
  /** By somebody, and not for a retry or a period. */
  asked: boolean;
}
