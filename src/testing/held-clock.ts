// A clock that a test moves, and that can be held: while something has yet to begin at this time, it moves no further.

import { FakeClock } from "../base/clock.ts";

export class HeldClock extends FakeClock {
  #held: Promise<void> | undefined;

  /** `until` never fails. */
  async hold(until: Promise<void>): Promise<void> {
    this.#held = until;
    await until;
    this.#held = undefined;
  }

  override advance(ms: number): Promise<void> {
    return this.#held === undefined ? super.advance(ms) : this.#held.then(() => this.advance(ms));
  }

  /** What is due by now happens, also while it is held. */
  dueNow(): Promise<void> {
    return super.advance(0);
  }
}
