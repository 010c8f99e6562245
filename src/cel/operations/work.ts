// A second brake beside the cost. Upstream's units leave out what is inside of compared values, empty texts in long lists,
// patterns that match nothing and much else; in a process with one thread all of that makes everybody wait. So the work
// of an evaluation is counted too: a unit is about 50 nanoseconds, the time that comparing two elements takes.
// Evaluations are synchronous, so one counter serves all.

import { COST_EXCEEDED } from "./stop.ts";

let left = 0;
let running = 0;

/** Counts work that is about to be done; ends the evaluation beyond the limit. */
export function countWork(units: number): void {
  left -= units;
  if (left < 0 && running > 0) throw COST_EXCEEDED;
}

/** Begins an evaluation that may do so much; one inside another shares its count. `endWork` must follow. */
export function beginWork(units: number): void {
  if (running === 0) left = units;
  running++;
}

/** How many units are left. */
export function endWork(): number {
  running--;
  return Math.max(left, 0);
}
