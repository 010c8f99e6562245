// Objects that somebody is about to make, and those who wait for them.

import type { Clock } from "../base/clock.ts";

export class Arrivals {
  readonly #clock: Pick<Clock, "setTimer">;
  /** By what they wait for. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Pick<Clock, "setTimer">) {
    this.#clock = clock;
  }

  arrived(key: string): void {
    for (const goOn of [...(this.#waiting.get(key) ?? [])]) goOn();
  }

  /** Resolves when it has arrived, its time is over, or nobody waits any more. */
  wait(key: string, ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set();
      const goOn = () => {
        timer.cancel();
        signal?.removeEventListener("abort", goOn);
        waiting.delete(goOn);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve();
      };
      const timer = this.#clock.setTimer(ms, goOn);
      signal?.addEventListener("abort", goOn, { once: true });
      this.#waiting.set(key, waiting.add(goOn));
    });
  }
}
