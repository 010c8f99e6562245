// How long to wait before the next attempt: longer after every failure, with jitter so that many do not come at once.

interface BackoffLimits {
  /** Before the second attempt. */
  readonly firstMs: number;
  readonly maxMs: number;
  readonly factor?: number;
  /** Between 0 and 1; a wait is longer by up to this share of itself. */
  readonly jitter?: number;
}

export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #random: () => number;
  #failures = 0;

  constructor(limits: BackoffLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  /** Counts a failure and says how long to wait after it. */
  nextMs(): number {
    const waitMs = exponentialMs(this.#limits, this.#failures);
    this.#failures += 1;
    return waitMs * (1 + (this.#limits.jitter ?? 0) * this.#random());
  }

  /** It worked: the next failure is a first one again. */
  reset(): void {
    this.#failures = 0;
  }
}

/** After so many failures before this one; never above the limit, however many. */
export function exponentialMs({ firstMs, maxMs, factor = 2 }: BackoffLimits, failures: number): number {
  return Math.min(maxMs, firstMs * factor ** Math.min(failures, MAX_EXPONENT));
}

const MAX_EXPONENT = 100;
