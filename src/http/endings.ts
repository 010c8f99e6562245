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

/** Node hands what it reads to this; it is not among its types. */
type Readable = Duplex & { readonly _handle?: { onread: () => void } | null };

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
    const end: Endings["end"] = (ending, asMany) => this.end(ending, asMany);
    connection._final = (done) => end(() => final(done));
    // The connection itself: one of HTTP/2 stands behind another object, which does not know it any more when it ends.
    connection._destroy = function (error, done) {
      hearNothing(this);
      end(() => destroy(error, done), weight);
    };
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

/** Until its end: Node takes the length of what comes for a connection that is destroyed for the number of an error, and throws. */
function hearNothing({ _handle: handle }: Readable): void {
  if (handle) handle.onread = () => undefined;
}
