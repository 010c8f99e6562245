// Time as a dependency, so that rules and tests never read the machine's clock.

export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** A clock that moves only when told to. */
export class FakeClock implements Clock {
  #nowMs: number;

  constructor(startMs = Date.parse("2030-01-01T00:00:00Z")) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}
