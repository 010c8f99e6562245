// Signs of life of many nodes from one timer: nodes are dealt into slots, each tick of the timer is one slot's turn, and once
// round the wheel is one period. Of 2,500 nodes every 10 s, 25 have their turn in each tenth of a second.

import type { Clock, Timer } from "../base/clock.ts";

interface HeartbeatsOptions {
  /** Numbered from 1. */
  readonly count: number;
  readonly periodMs: number;
  readonly clock: Clock;
  /** One sign of life. Fails when it could not be given: the node's next turn is the next attempt. */
  readonly beat: (number: number) => Promise<void>;
  readonly onError: (error: unknown, number: number) => void;
}

const MAX_SLOTS = 100;
/** More do not help a server that keeps up. */
const AT_ONCE = 32;
/**
 * Of those whose turn has come, one in so many may be under way: where the server is behind with everybody's requests, nodes
 * that asked for no larger part of them would be taken for dead.
 */
const SHARE_AT_ONCE = 8;

export class Heartbeats {
  readonly #options: HeartbeatsOptions;
  readonly #slots: number;
  /** Whose turn has come and who has not had it; a node that still waits from its last turn does so once. */
  readonly #due = new Set<number>();
  readonly #running = new Set<Promise<void>>();
  #timer: Timer | undefined;
  #tick = 0;

  constructor(options: HeartbeatsOptions) {
    this.#options = options;
    this.#slots = Math.max(1, Math.min(options.count, MAX_SLOTS));
  }

  start(): void {
    const { clock, periodMs } = this.#options;
    this.#timer = clock.every(periodMs / this.#slots, () => this.#turn());
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#due.clear();
    await Promise.all(this.#running);
  }

  #turn(): void {
    const { count } = this.#options;
    for (let number = this.#tick + 1; number <= count; number += this.#slots) this.#due.add(number);
    this.#tick = (this.#tick + 1) % this.#slots;
    this.#begin();
  }

  #begin(): void {
    const { beat, onError } = this.#options;
    for (const number of this.#due) {
      if (this.#running.size >= Math.max(AT_ONCE, this.#due.size / SHARE_AT_ONCE)) return;
      this.#due.delete(number);
      const running = beat(number)
        .catch((error: unknown) => onError(error, number))
        .finally(() => {
          this.#running.delete(running);
          this.#begin();
        });
      this.#running.add(running);
    }
  }
}
