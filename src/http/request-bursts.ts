// How many requests begin in one turn of the event loop. A few thousand bytes can carry hundreds of them, and as many can come
// over connections of their own; those of HTTP/2 can be taken back with a few bytes more. Begun as they are read, they would
// hold up everybody else.

import { afterThisTurn } from "../base/next-turn.ts";

/** Begun in one turn, whoever sends them. */
const MAX_AT_ONCE = 16;
/** More than any client has open on one connection (MAX_CONCURRENT_STREAMS). */
const MAX_WAITING = 250;

/** The requests of one connection that wait, in their order. */
interface Line {
  readonly waiting: (() => void)[];
}

export class RequestBursts {
  readonly #byConnection = new WeakMap<object, Line>();
  /** Those in which somebody waits: each has its turn after the others. */
  readonly #lines: Line[] = [];
  #begun = 0;

  /** Counts a request; false when it has to wait. */
  mayBegin(): boolean {
    this.#begun += 1;
    // Not each turn is looked at, only what is many: at worst a request waits for a turn that need not have.
    if (this.#begun === MAX_AT_ONCE) afterThisTurn(() => this.#beginWaiting());
    return this.#begun <= MAX_AT_ONCE;
  }

  /** Begins it in a later turn. False: too many of this connection wait. */
  wait(connection: object, begin: () => void): boolean {
    let line = this.#byConnection.get(connection);
    if (line === undefined) {
      line = { waiting: [] };
      this.#byConnection.set(connection, line);
    }
    if (line.waiting.length >= MAX_WAITING) return false;
    if (line.waiting.push(begin) === 1) this.#lines.push(line);
    return true;
  }

  #beginWaiting(): void {
    this.#begun = 0;
    while (this.#begun < MAX_AT_ONCE) {
      const line = this.#lines.shift();
      if (line === undefined) return;
      this.#begun += 1;
      if (line.waiting.length > 1) this.#lines.push(line);
      line.waiting.shift()!();
    }
    // Whoever comes while others may wait, waits behind them.
    afterThisTurn(() => this.#beginWaiting());
  }
}
