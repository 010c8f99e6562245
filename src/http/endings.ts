// How many connections end in one turn of the event loop, and answers of which the client has gone. Very many may do so at
// once, when a client of theirs dies or a line breaks, and each takes a quarter of a millisecond.

import type { Duplex } from "node:stream";
import { afterThisTurn } from "../base/next-turn.ts";

/** Ended in one turn. */
const MAX_AT_ONCE = 16;

interface Ending {
  readonly weight: () => number;
  readonly end: () => void;
}

export class Endings {
  readonly #waiting: Ending[] = [];
  #ended = 0;
  #isScheduled = false;

  /** In this turn, or in a later one. */
  end(end: () => void, weight: () => number = () => 1): void {
    if (this.#ended >= MAX_AT_ONCE) {
      this.#waiting.push({ weight, end });
      return;
    }
    this.#ended += weight();
    // Not each turn is looked at, only what is many: at worst one waits for a turn that need not have. What has ended so far
    // is closed at the end of this turn, and that takes most of the time: the next begins a turn later.
    if (this.#ended >= MAX_AT_ONCE) this.#schedule(() => afterThisTurn(this.#endWaiting));
    end();
  }

  /** Has a connection end as others do. `weight`: as how many it counts, asked when it ends. */
  pace(connection: Duplex, weight: () => number): void {
    const final = connection._final.bind(connection);
    const destroy = connection._destroy.bind(connection);
    connection._final = (done) => this.end(() => final(done));
    connection._destroy = (error, done) => this.end(() => destroy(error, done), weight);
  }

  #schedule(next: () => void): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    afterThisTurn(next);
  }

  readonly #endWaiting = (): void => {
    this.#isScheduled = false;
    this.#ended = 0;
    while (this.#ended < MAX_AT_ONCE) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#ended += next.weight();
      next.end();
    }
    this.#schedule(this.#endWaiting);
  };
}
