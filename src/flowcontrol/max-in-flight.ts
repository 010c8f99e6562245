// The two plain limits: so many reads and so many writes at a time, and whoever comes on top is sent away at once.
// For --enable-priority-and-fairness=false.

export interface InFlightLimits {
  /** Requests that read, at the same time; 0 for no limit. */
  readonly reads: number;
  /** Requests that write, at the same time; 0 for no limit. */
  readonly writes: number;
}

export class InFlight {
  readonly #limit: number;
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get full(): boolean {
    return this.#limit > 0 && this.#count >= this.#limit;
  }

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
  }
}
