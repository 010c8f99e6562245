// How much of what one connection asks for begins in one turn of the event loop. A few thousand bytes can carry hundreds of
// requests, and those of HTTP/2 can be taken back with as few more: begun as they are read, they would hold up everybody else.

import { afterThisTurn } from "../base/next-turn.ts";

/** Begun as they are read. */
const MAX_AT_ONCE = 16;
/** More than any client has open on one connection (MAX_CONCURRENT_STREAMS). */
const MAX_WAITING = 250;

/** The requests of one connection that have come at once. */
class RequestBurst {
  #begun = 0;
  #waiting: (() => void)[] = [];

  /** Counts a request; false when it has to wait. */
  mayBegin(): boolean {
    this.#begun += 1;
    // Not each turn is looked at, only what is many: at worst a request waits for a turn that need not have.
    if (this.#begun === MAX_AT_ONCE) afterThisTurn(() => this.#beginWaiting());
    return this.#begun <= MAX_AT_ONCE;
  }

  /** Begins it in a later turn. False: too many wait. */
  wait(begin: () => void): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push(begin);
    return true;
  }

  #beginWaiting(): void {
    const next = this.#waiting;
    this.#waiting = next.splice(MAX_AT_ONCE);
    // Whoever comes while others wait, waits behind them.
    this.#begun = this.#waiting.length > 0 ? MAX_AT_ONCE : 0;
    if (this.#waiting.length > 0) afterThisTurn(() => this.#beginWaiting());
    for (const begin of next) begin();
  }
}

export class RequestBursts {
  readonly #byConnection = new WeakMap<object, RequestBurst>();

  of(connection: object): RequestBurst {
    let burst = this.#byConnection.get(connection);
    if (burst === undefined) {
      burst = new RequestBurst();
      this.#byConnection.set(connection, burst);
    }
    return burst;
  }
}
