// A queue of keys to work on. A key waits at most once, however often it is added; a key that is being worked on is not
// handed out again before that is done. Keys come back after a delay, longer after every failure. Flows take turns, so
// that many keys of one (of a namespace, say) do not keep those of others waiting.

import { exponentialMs } from "../base/backoff.ts";
import type { Clock, Timer } from "../base/clock.ts";
import { TokenBucket } from "../base/token-bucket.ts";
import { DelayedKeys } from "./queue/delayed-keys.ts";
import { FairLine } from "./queue/fair-line.ts";

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** To which flow a key belongs; all keys are one flow when not given. */
  readonly flowOf?: ((key: string) => string) | undefined;
  /** The waits after failures of one key: from 5 ms, doubled, to 1000 s when not given. */
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number } | undefined;
  /** Of all keys together that come back after failures; 10 a second with a burst of 100 when not given. */
  readonly retries?: { readonly perSecond: number; readonly burst: number } | undefined;
}

export class WorkQueue {
  readonly #clock: Clock;
  readonly #backoff: { readonly firstMs: number; readonly maxMs: number };
  readonly #bucket: TokenBucket;
  readonly #line: FairLine;
  readonly #working = new Set<string>();
  /** Added while they were being worked on. */
  readonly #again = new Set<string>();
  readonly #delayed = new DelayedKeys();
  readonly #failures = new Map<string, number>();
  #waiting: ((key: string | undefined) => void)[] = [];
  #timer: Timer | undefined;
  #timerDueMs = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor({ clock, flowOf = () => "", backoff, retries }: WorkQueueOptions) {
    this.#clock = clock;
    this.#backoff = backoff ?? { firstMs: 5, maxMs: 1_000_000 };
    this.#bucket = new TokenBucket(clock, retries ?? { perSecond: 10, burst: 100 });
    this.#line = new FairLine(flowOf);
  }

  /** Keys that wait to be worked on, without those that come later. */
  get length(): number {
    return this.#line.length;
  }

  add(key: string): void {
    if (this.#closed) return;
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    const waiter = this.#line.has(key) ? undefined : this.#waiting.shift();
    if (waiter === undefined) {
      this.#line.push(key);
      return;
    }
    this.#working.add(key);
    waiter(key);
  }

  /** The earliest of several delays counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#closed) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    this.#delayed.add(key, this.#clock.monotonicMs() + delayMs);
    this.#setTimer();
  }

  /** After a failure: the more of them in a row, the later. */
  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.addAfter(key, Math.max(exponentialMs(this.#backoff, failures), this.#bucket.takeMs()));
  }

  /** How often a key has failed in a row. */
  failuresOf(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** It went well: the next failure is the first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, which is the taker's until done(); undefined once the queue is closed. */
  take(): Promise<string | undefined> {
    const key = this.#line.shift();
    if (key !== undefined) {
      this.#working.add(key);
      return Promise.resolve(key);
    }
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** For takers that do not look at once: what was added since the key was taken is part of the work that begins now. */
  begin(key: string): void {
    this.#again.delete(key);
  }

  done(key: string): void {
    this.#working.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  /** Nothing is added any more, nothing waiting is handed out; takers that wait get undefined. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#line.clear();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(undefined);
  }

  #setTimer(): void {
    const dueMs = this.#delayed.firstDueMs();
    if (dueMs === undefined || dueMs >= this.#timerDueMs) return;
    this.#timer?.cancel();
    this.#timerDueMs = dueMs;
    this.#timer = this.#clock.setTimer(Math.max(0, dueMs - this.#clock.monotonicMs()), () => {
      this.#timerDueMs = Number.POSITIVE_INFINITY;
      for (const key of this.#delayed.takeDue(this.#clock.monotonicMs())) this.add(key);
      this.#setTimer();
    });
  }
}
