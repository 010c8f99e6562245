// How long something that failed is left alone: by key, doubling with each failure, forgotten after a long time without.

import type { Clock } from "../base/clock.ts";

interface FailureBackoffOptions {
  readonly clock: Clock;
  readonly firstMs: number;
  readonly maxMs: number;
  /** Without a failure for so long, the next one counts as the first; twice the longest wait when not given. */
  readonly forgetAfterMs?: number;
}

interface Entry {
  waitMs: number;
  updatedMs: number;
}

/** Times are of the wall clock: the moments of failures are told by others. */
export class FailureBackoff {
  readonly #options: FailureBackoffOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: FailureBackoffOptions) {
    this.#options = options;
  }

  /** How long to wait yet before the next attempt, after a failure at that moment; 0 when it may be made. */
  leftMs(key: string, failedAtMs: number): number {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#isForgotten(entry, failedAtMs)) return 0;
    return Math.max(0, failedAtMs + entry.waitMs - this.#options.clock.nowMs());
  }

  /** The whole wait that holds for a key; 0 when none does. */
  waitMs(key: string): number {
    return this.#entries.get(key)?.waitMs ?? 0;
  }

  /** An attempt is made after a failure at that moment: the next one waits longer. */
  next(key: string, failedAtMs: number): void {
    const { clock, firstMs, maxMs } = this.#options;
    const entry = this.#entries.get(key);
    const isNew = entry === undefined || this.#isForgotten(entry, failedAtMs);
    const waitMs = isNew ? firstMs : Math.min(entry.waitMs * 2, maxMs);
    this.#entries.set(key, { waitMs: Math.min(waitMs, maxMs), updatedMs: clock.nowMs() });
  }

  /** It works again. */
  reset(key: string): void {
    this.#entries.delete(key);
  }

  /** Drops what nobody has asked about for long, so that keys of pods that are gone do not pile up. */
  sweep(): void {
    const nowMs = this.#options.clock.nowMs();
    for (const [key, entry] of this.#entries) if (this.#isForgotten(entry, nowMs)) this.#entries.delete(key);
  }

  #isForgotten({ updatedMs }: Entry, atMs: number): boolean {
    const { maxMs, forgetAfterMs = 2 * maxMs } = this.#options;
    return atMs - updatedMs > forgetAfterMs;
  }
}
