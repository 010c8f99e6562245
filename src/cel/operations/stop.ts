// How an evaluation ends before it has a value.

import { CelError } from "../errors.ts";

/** Thrown through the steps, never out of the program. */
export class Stop {
  readonly error: CelError;

  constructor(error: CelError) {
    this.error = error;
  }
}

export const COST_EXCEEDED = new Stop(new CelError("operation cancelled: actual cost limit exceeded", "costLimit"));
export const INTERRUPTED = new Stop(new CelError("operation interrupted", "interrupted"));
