// The turns of long work. All of it together goes on for STRETCH_MS in one turn of the event loop, however much there is: it
// waits in a line, and when a turn has been long enough, those who are left in the line go on in the next one.

import { afterThisTurn } from "./next-turn.ts";

/** With the part of the work that lasts when it is over, and a collection of garbage, still short for whoever waits. */
const STRETCH_MS = 3;
/** What is short is done in the same turn, beside long work: so much of it. */
const SHORT_MS = 5;

/** For each of them `letNextGoOn` comes once. */
const line: (() => void)[] = [];
/** When this turn has been long enough; undefined until somebody asks in it. */
let endMs: number | undefined;

/** To be asked between two parts of long work: whether others are to have their turn. It counts from the first who asks. */
export function turnIsOver(): boolean {
  const nowMs = performance.now();
  return nowMs >= endOfTurnMs(nowMs);
}

/** The same between two parts of work that is short as a rule, and goes before long work. */
export function turnIsLong(): boolean {
  const nowMs = performance.now();
  return nowMs >= endOfTurnMs(nowMs) + SHORT_MS;
}

function endOfTurnMs(nowMs: number): number {
  if (endMs !== undefined) return endMs;
  endMs = nowMs + STRETCH_MS;
  afterThisTurn(begin);
  return endMs;
}

function begin(): void {
  endMs = undefined;
}

/** Resolves when others have had their turn, and those who came before have had theirs. */
export function nextWorkTurn(): Promise<void> {
  return new Promise((resolve) => {
    line.push(resolve);
    afterThisTurn(letNextGoOn);
  });
}

function letNextGoOn(): void {
  if (turnIsOver()) afterThisTurn(letNextGoOn);
  else line.shift()!();
}
