// What the evaluations of a request may cost and do together.

import { MAX_REQUEST_WORK } from "./limits.ts";

/** What several evaluations may cost together: one per request, handed to each of them. */
export class CostBudget {
  #remaining: number;
  /** What was left when others had their turn. */
  #lastTurn: number;
  /** Units of work that are left, of those that upstream's units leave out. */
  workLeft = MAX_REQUEST_WORK;

  constructor(limit: number) {
    this.#remaining = limit;
    this.#lastTurn = limit;
  }

  /** Negative once it is overdrawn. */
  get remaining(): number {
    return this.#remaining;
  }

  spend(cost: number): void {
    this.#remaining -= cost;
  }

  /** To be asked between two evaluations: whether those since it last said so have cost enough for others to wait no longer. */
  turnIsDue(): boolean {
    if (this.#lastTurn - this.#remaining <= COST_PER_TURN) return false;
    this.#lastTurn = this.#remaining;
    return true;
  }
}

/** What evaluations cost that take some 3 ms, 12 ms at worst. */
const COST_PER_TURN = 30_000;
