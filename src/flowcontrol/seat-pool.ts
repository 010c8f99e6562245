// The seats of the server. Every level has some that are always its own; all others lie in one pool from which a level
// takes as long as there are any and its own limit allows. Nobody is sent away from a seat: a level that finds its lent
// seats taken is first in line for the next ones.

/** As much of a priority level as its seats depend on. */
export interface SeatedLevel {
  readonly name: string;
  readonly exempt: boolean;
  readonly limits: { readonly nominal: number; readonly lower: number; readonly upper: number };
  executing: number;
  /** Gives the next seat to whoever waits longest; only called while somebody does. */
  seatNext(): void;
}

export class SeatPool {
  #exempt: readonly SeatedLevel[] = [];
  /** Levels in which somebody waits. */
  readonly #waiting = new Set<SeatedLevel>();
  #lendable = 0;
  #lent = 0;

  /** After every change of the levels or of their limits. */
  arrange(levels: readonly SeatedLevel[]): void {
    this.#exempt = levels.filter(({ exempt }) => exempt);
    this.#lendable = 0;
    this.#lent = 0;
    for (const level of levels) {
      if (level.exempt) continue;
      this.#lendable += level.limits.nominal - level.limits.lower;
      this.#lent += Math.max(0, level.executing - level.limits.lower);
    }
    this.seatWaiting();
  }

  hasSeat(level: SeatedLevel): boolean {
    const { executing, limits } = level;
    if (executing < limits.lower) return true;
    return executing < limits.upper && this.free() > 0;
  }

  /** Seats that anybody may take now. */
  free(): number {
    let lendable = this.#lendable;
    // What the exempt level lends, it lends only while it does not need it.
    for (const { executing, limits } of this.#exempt) {
      lendable += Math.max(0, limits.nominal - Math.max(limits.lower, executing));
    }
    return lendable - this.#lent;
  }

  sit(level: SeatedLevel): void {
    level.executing += 1;
    if (!level.exempt && level.executing > level.limits.lower) this.#lent += 1;
  }

  /** The caller then calls seatWaiting. */
  leave(level: SeatedLevel): void {
    if (!level.exempt && level.executing > level.limits.lower) this.#lent -= 1;
    level.executing -= 1;
  }

  waits(level: SeatedLevel, waits: boolean): void {
    if (waits) this.#waiting.add(level);
    else this.#waiting.delete(level);
  }

  /** Gives out the seats that have come free, to the level first that has the least of what is its due. */
  seatWaiting(): void {
    while (this.#waiting.size > 0) {
      let neediest: SeatedLevel | undefined;
      let least = Number.POSITIVE_INFINITY;
      for (const level of this.#waiting) {
        if (!this.hasSeat(level)) continue;
        const part = level.limits.nominal === 0 ? Number.MAX_VALUE : level.executing / level.limits.nominal;
        if (part >= least) continue;
        neediest = level;
        least = part;
      }
      if (neediest === undefined) return;
      neediest.seatNext();
    }
  }
}
