// Asks the engine for progress while somebody waits for the cache to reach a revision. Needed because a change of
// another resource moves the store's revision without an event here.

import type { Clock, Timer } from "../../base/clock.ts";

/** An engine may drop a request that comes while a watch is still catching up, so it is repeated. */
const REPEAT_AFTER_MS = 100;

interface ProgressDeps {
  readonly clock: Clock;
  readonly request: () => Promise<void>;
  readonly failed: (error: unknown) => void;
}

export class ProgressRequests {
  readonly #deps: ProgressDeps;
  #waiting = 0;
  #asking = false;
  #askAgain = false;
  #timer: Timer | undefined;

  constructor(deps: ProgressDeps) {
    this.#deps = deps;
  }

  /** Progress is requested now and then repeatedly until the returned function is called. */
  demand(): () => void {
    this.#waiting += 1;
    this.#ask();
    this.#timer ??= this.#deps.clock.every(REPEAT_AFTER_MS, () => void this.#ask());
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#waiting -= 1;
      if (this.#waiting > 0) return;
      this.#timer?.cancel();
      this.#timer = undefined;
      this.#askAgain = false;
    };
  }

  /** One request at a time; those who come meanwhile share the next one. */
  async #ask(): Promise<void> {
    if (this.#asking) {
      this.#askAgain = true;
      return;
    }
    this.#asking = true;
    try {
      do {
        this.#askAgain = false;
        await this.#deps.request();
      } while (this.#askAgain);
    } catch (error) {
      this.#deps.failed(error);
    } finally {
      this.#asking = false;
    }
  }
}
