// So many a second, with a burst: says how long the next one must wait.

import type { Clock } from "./clock.ts";

interface BucketLimits {
  readonly perSecond: number;
  readonly burst: number;
}

export class TokenBucket {
  readonly #clock: Clock;
  readonly #limits: BucketLimits;
  #tokens: number;
  #atMs: number;

  constructor(clock: Clock, limits: BucketLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#tokens = limits.burst;
    this.#atMs = clock.monotonicMs();
  }

  /** Takes a token, from the future if there is none: milliseconds until it is there. */
  takeMs(): number {
    this.#refill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#limits.perSecond) * 1_000;
  }

  /** Takes a token if there is one now. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #refill(): void {
    const nowMs = this.#clock.monotonicMs();
    const { perSecond, burst } = this.#limits;
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#atMs) / 1_000) * perSecond);
    this.#atMs = nowMs;
  }
}
