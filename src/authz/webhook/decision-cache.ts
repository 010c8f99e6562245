// Decisions that are good for a while: bounded, the least recently used goes first.

import type { Clock } from "../../base/clock.ts";
import type { Decision } from "../../registry/authorizer.ts";

/** Upstream's size of this cache. */
const MAX_ENTRIES = 8192;

export class DecisionCache {
  readonly #entries = new Map<string, { readonly decision: Decision; readonly untilMs: number }>();
  readonly #clock: Clock;
  readonly #maxEntries: number;

  constructor(clock: Clock, maxEntries = MAX_ENTRIES) {
    this.#clock = clock;
    this.#maxEntries = maxEntries;
  }

  get(key: string): Decision | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.untilMs <= this.#clock.nowMs()) return undefined;
    this.#entries.set(key, entry);
    return entry.decision;
  }

  set(key: string, decision: Decision, ttlMs: number): void {
    if (ttlMs <= 0) return;
    this.#entries.delete(key);
    if (this.#entries.size >= this.#maxEntries) {
      const oldest = this.#entries.keys().next().value;
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(key, { decision, untilMs: this.#clock.nowMs() + ttlMs });
  }

  get size(): number {
    return this.#entries.size;
  }
}
