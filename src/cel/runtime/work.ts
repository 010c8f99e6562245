// A second brake beside the cost: upstream's units do not count what is inside of compared values, so the comparisons
// of one evaluation are counted too. Evaluations are synchronous, so one counter serves all.

import { CelError } from "../errors.ts";
import { MAX_COMPARISONS } from "../limits.ts";
import { Stop } from "./frame.ts";

const EXCEEDED = new Stop(new CelError("operation cancelled: actual cost limit exceeded", "costLimit"));

let left = MAX_COMPARISONS;
let running = 0;

/** Counts elements that are compared or merged; ends the evaluation beyond the limit. */
export function countWork(elements: number): void {
  left -= elements;
  if (left < 0 && running > 0) throw EXCEEDED;
}

/** Begins an evaluation; one inside another shares its count. `endWork` must follow, whatever happens. */
export function beginWork(): void {
  if (running === 0) left = MAX_COMPARISONS;
  running++;
}

export function endWork(): void {
  running--;
}
