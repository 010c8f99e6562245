// A bounded number of places, given out in the order of asking.

import { TransportError } from "../transport.ts";

export class Slots {
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(count: number, maxWaiting: number) {
    this.#free = count;
    this.#maxWaiting = maxWaiting;
  }

  /** What it gives frees the place, once. Fails with TransportError("busy") or the signal's reason. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#release();
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) {
      return Promise.reject(new TransportError("busy", `${this.#maxWaiting} requests are waiting already`));
    }
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiting.delete(go);
        reject(signal.reason);
      };
      this.#waiting.add(go);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
