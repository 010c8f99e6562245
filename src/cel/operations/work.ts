// A second brake beside the cost. Upstream's units leave out what is inside of compared values, empty texts in long lists,
// patterns that match nothing and much else; in a process with one thread all of that makes everybody wait. So the work
// of an evaluation is counted too: a unit is about 50 nanoseconds, the time that comparing two elements takes.
// Evaluations are synchronous, so one counter serves all.
//
// An evaluation that pauses goes back to where it was by its own work; that of evaluations inside of it, which are over and
// not done again, is kept beside it.

import { COST_EXCEEDED } from "./stop.ts";

let allowed = 0;
let left = 0;
let kept = 0;
let running = 0;

/** Counts work that is about to be done; ends the evaluation beyond the limit. */
export function countWork(units: number): void {
  left -= units;
  if (left < 0 && running > 0) throw COST_EXCEEDED;
}

/**
 * Begins an evaluation that may do so much, of which evaluations inside of it have done some before; one inside another
 * shares its count. `endWork` must follow.
 */
export function beginWork(units: number, keptBefore = 0): void {
  if (running === 0) {
    allowed = units;
    left = units - keptBefore;
    kept = keptBefore;
  }
  running++;
}

/** How many units are left. */
export function endWork(): number {
  running--;
  return Math.max(left, 0);
}

/** Whether an evaluation is under way. */
export function isWorking(): boolean {
  return running > 0;
}

/** What was done on the way to here, without what is kept. */
export function workSoFar(): number {
  return allowed - left - kept;
}

/** Where an evaluation goes on: what was done on the way there. */
export function goOnAtWork(soFar: number): void {
  left = allowed - kept - soFar;
}

/** All since then is not done again. */
export function keepWorkSince(soFar: number): void {
  kept += workSoFar() - soFar;
}

export function keptWork(): number {
  return kept;
}
