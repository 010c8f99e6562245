// All loops of a process that run in the background: they share the clock, their failures are logged and counted in one place,
// and they are stopped together.

import { BackgroundLoop, type BackgroundLoopOptions } from "./background-loop.ts";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

interface BackgroundParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly follows?: boolean;
  /** Counts the failures of a loop, by its name. */
  readonly countFailure?: (loop: string) => void;
}

interface NamedLoopOptions extends Omit<BackgroundLoopOptions, "clock" | "onError"> {
  /** Writes what one process of a store keeps for all of them: does nothing in the others. */
  readonly oncePerStore?: true;
  /** In metrics. */
  readonly name: string;
  /** What the log says when a round fails. */
  readonly failure: string;
  /** The field of the log that holds the key. */
  readonly keyField?: string;
  /** Of the part that the loop belongs to, instead of the process's. */
  readonly log?: Log;
}

export class Background {
  readonly clock: Clock;
  /** Another process does what is to be done once per store. */
  readonly follows: boolean;
  readonly #parts: BackgroundParts;
  readonly #loops = new Set<BackgroundLoop>();

  constructor(parts: BackgroundParts) {
    this.clock = parts.clock;
    this.follows = parts.follows ?? false;
    this.#parts = parts;
  }

  loop({ name, failure, keyField, oncePerStore, log = this.#parts.log, ...options }: NamedLoopOptions): BackgroundLoop {
    const { clock, countFailure } = this.#parts;
    const loop = new BackgroundLoop({
      ...options,
      ...(this.follows && oncePerStore === true ? { reconcile: async () => "done" as const } : {}),
      clock,
      onError: (error, key) => {
        countFailure?.(name);
        log.warn({ err: error, ...(keyField === undefined ? {} : { [keyField]: key }) }, failure);
      },
    });
    for (const old of this.#loops) if (old.closed) this.#loops.delete(old);
    this.#loops.add(loop);
    return loop;
  }

  /** Resolves when no loop has anything left that was asked for. */
  async idle(): Promise<void> {
    // One loop's work may give work to another; all is done when a whole walk over them finds nothing.
    for (let busy = true; busy; ) {
      busy = false;
      for (const loop of this.#loops) {
        busy ||= loop.busy;
        await loop.idle();
      }
    }
  }

  close(): void {
    for (const loop of this.#loops) loop.close();
    this.#loops.clear();
  }
}
