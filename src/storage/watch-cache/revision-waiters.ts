// Those who wait until the cache has reached a revision: "not older than" and consistent reads.

import type { Clock, Timer } from "../../base/clock.ts";
import type { Revision } from "../engine.ts";
import type { ProgressRequests } from "./progress-requests.ts";

interface Waiter {
  readonly revision: Revision;
  settle(reached: boolean): void;
}

export class RevisionWaiters {
  readonly #progress: ProgressRequests;
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();

  constructor(progress: ProgressRequests, clock: Clock) {
    this.#progress = progress;
    this.#clock = clock;
  }

  /** True when `revision` is reached, false after `timeoutMs` or when the cache closes. Rejects when `signal` aborts. */
  async wait(revision: Revision, timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted();
    let timer: Timer | undefined;
    let onAbort: (() => void) | undefined;
    let release: (() => void) | undefined;
    let waiter: Waiter | undefined;
    try {
      return await new Promise<boolean>((resolve, reject) => {
        onAbort = () => reject(signal?.reason);
        signal?.addEventListener("abort", onAbort, { once: true });
        timer = this.#clock.setTimer(timeoutMs, () => resolve(false));
        waiter = { revision, settle: resolve };
        this.#waiters.add(waiter);
        // The engine may answer within this call, so the waiter must be in place.
        release = this.#progress.demand();
      });
    } finally {
      release?.();
      timer?.cancel();
      if (waiter !== undefined) this.#waiters.delete(waiter);
      if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
    }
  }

  reached(revision: Revision): void {
    for (const waiter of this.#waiters) {
      if (waiter.revision <= revision) waiter.settle(true);
    }
  }

  close(): void {
    for (const waiter of this.#waiters) waiter.settle(false);
  }
}
