// Chance that can be repeated: the same seed gives the same numbers.

/** Numbers between 0 and 1, as Math.random() gives them. Mulberry32: small, and good enough for tests. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The numbers of this seed from their beginning. */
  restart(seed: number): void {
    this.#state = seed >>> 0;
  }

  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };

  /** A whole number from 0 on. */
  readonly below = (bound: number): number => Math.floor(this.next() * bound);
}
