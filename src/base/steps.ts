// Long work in steps: who has it done decides whether others have their turn of the event loop between them.

/** Yields where others may have their turn; returns what comes of it. */
export type Steps<T> = Generator<undefined, T, undefined>;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** `turn` is awaited between two steps. */
export async function inTurns<T>(steps: Steps<T>, turn: () => Promise<void>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await turn();
  }
}

/** Counts the parts of long work that take about as long as one another, and says after how many a step is over. */
export class Pace {
  readonly #partsPerStep: number;
  #parts = 0;

  constructor(partsPerStep: number) {
    this.#partsPerStep = partsPerStep;
  }

  /** To be asked before each part: whether others are to have their turn first. */
  due(): boolean {
    this.#parts += 1;
    if (this.#parts <= this.#partsPerStep) return false;
    this.#parts = 1;
    return true;
  }
}
