// How often images may be pulled: so many a second, and some at once after a quiet time (`registryPullQPS`, `registryBurst`).

import type { Clock } from "../../base/clock.ts";

interface PullRateOptions {
  readonly clock: Clock;
  /** 0 is no limit. */
  readonly perSecond: number;
  readonly burst: number;
}

export class PullRate {
  readonly #options: PullRateOptions;
  #left: number;
  #countedMs: number;

  constructor(options: PullRateOptions) {
    this.#options = options;
    this.#left = options.burst;
    this.#countedMs = options.clock.monotonicMs();
  }

  /** Whether one more pull may begin now; it counts then. */
  take(): boolean {
    const { clock, perSecond, burst } = this.#options;
    if (perSecond === 0) return true;
    const nowMs = clock.monotonicMs();
    this.#left = Math.min(burst, this.#left + ((nowMs - this.#countedMs) / 1000) * perSecond);
    this.#countedMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
