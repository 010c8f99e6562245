// When work that can pause has run for long enough at a time.

export interface Slices {
  /** The work begins, or goes on after others had their turn. */
  begin(): void;
  /** It is where it was before; what came until now had to be done again. */
  reached(): void;
  /** To be asked often: whether others are to have their turn now. `units`: how much was done since the work began. */
  over(units: number): boolean;
}

const SLICE_MS = 5;
/** Looking at the clock takes as long as a few units. */
const ASKED_PER_LOOK = 16;
const UNITS_PER_LOOK = 500;
/** A slice is so many times as long as what had to be done again to get to where the last one ended. */
const TIMES_REPEATED = 4;

/** Slices of some milliseconds by the clock. */
export class ClockSlices implements Slices {
  #beganMs = 0;
  #endMs = 0;
  #asked = 0;
  #lastLook = 0;

  begin(): void {
    this.#beganMs = performance.now();
    this.#endMs = this.#beganMs + SLICE_MS;
  }

  reached(): void {
    const nowMs = performance.now();
    this.#endMs = Math.max(this.#endMs, nowMs + TIMES_REPEATED * (nowMs - this.#beganMs));
  }

  over(units: number): boolean {
    this.#asked += 1;
    if (this.#asked < ASKED_PER_LOOK && units - this.#lastLook < UNITS_PER_LOOK) return false;
    this.#asked = 0;
    this.#lastLook = units;
    return performance.now() >= this.#endMs;
  }
}
