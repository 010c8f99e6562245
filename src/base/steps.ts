// Long work in steps: who has it done decides whether others have their turn of the event loop between them. Steps are short,
// a millisecond or so: how many of them are done in one turn is decided by the clock.

import { nextWorkTurn, turnIsLong, turnIsOver } from "./work-turns.ts";

/** Yields where others may have their turn; returns what comes of it. */
export type Steps<T> = Generator<undefined, T, undefined>;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** `turn` is awaited between two steps when others are to have theirs. */
export async function inTurns<T>(steps: Steps<T>, turn: () => Promise<void> = nextWorkTurn): Promise<T> {
  for (;;) {
    // Before each step, the first one too: it may come after other long work.
    if (turnIsOver()) await turn();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** At once while that is short, as most of it is, with all else that is done in this turn; in turns from there on. */
export function atOnceWhileShort<T>(steps: Steps<T>, turn: () => Promise<void> = nextWorkTurn): T | Promise<T> {
  for (;;) {
    // Before the first step, too: very many who have one short step each are long together.
    if (turnIsLong()) return turn().then(() => inTurns(steps, turn));
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does at once what is left of work that may have been done. */
export function finish(work: void | Steps<void>): void {
  if (typeof work === "object") atOnce(work);
}

/** What comes of it, whether it was done at once or is to be done in steps. */
export function* whole<T>(work: T[] | Steps<T[]>): Steps<T[]> {
  return Array.isArray(work) ? work : yield* work;
}

/** All that comes of each, with a turn for others when the pace says so. */
export function* flatMapInSteps<T, R>(
  items: readonly T[],
  pace: Pace,
  of: (item: T, index: number) => R[] | Steps<R[]>,
): Steps<R[]> {
  const all: R[] = [];
  for (let index = 0; index < items.length; index += 1) {
    if (pace.due()) yield;
    const found = of(items[index]!, index);
    for (const one of Array.isArray(found) ? found : yield* found) all.push(one);
  }
  return all;
}

/** What comes of each, with a turn for others when the pace says so. */
export function* mapInSteps<T, R>(items: readonly T[], pace: Pace, of: (item: T, index: number) => R): Steps<R[]> {
  const all: R[] = [];
  for (let index = 0; index < items.length; index += 1) {
    if (pace.due()) yield;
    all.push(of(items[index]!, index));
  }
  return all;
}

/** Whether it holds of each, with a turn for others when the pace says so. */
export function* everyInSteps<T>(
  items: readonly T[],
  pace: Pace,
  holds: (item: T, index: number) => boolean,
): Steps<boolean> {
  for (let index = 0; index < items.length; index += 1) {
    if (pace.due()) yield;
    if (!holds(items[index]!, index)) return false;
  }
  return true;
}

/** Counts the parts of long work that take about as long as one another, and says after how many a step is over. */
export class Pace {
  readonly #partsPerStep: number;
  #parts = 0;

  constructor(partsPerStep: number) {
    this.#partsPerStep = partsPerStep;
  }

  /** To be asked before each part, or one that takes as long as several: whether others are to have their turn first. */
  due(parts = 1): boolean {
    this.#parts += parts;
    if (this.#parts <= this.#partsPerStep) return false;
    this.#parts = parts;
    return true;
  }
}
