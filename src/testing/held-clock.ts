// A clock that a test moves, and that can be held: while something has yet to begin at this time, it moves no further.

import { FakeClock } from "../base/clock.ts";

export class HeldClock extends FakeClock {
  #held: Promise<void> | undefined;
  /** Called before the test moves it; may hold it. */
  beforeMove: () => void = () => undefined;
  /** The same clock for those who it is held for. */
  readonly unheld: Pick<FakeClock, "advance"> = { advance: (ms) => super.advance(ms) };

  /** `until` never fails. */
  async hold(until: Promise<void>): Promise<void> {
    this.#held = until;
    await until;
    this.#held = undefined;
  }

  override advance(ms: number): Promise<void> {
    if (ms > 0) this.beforeMove();
    return this.#held === undefined ? super.advance(ms) : this.#held.then(() => this.advance(ms));
  }
}
