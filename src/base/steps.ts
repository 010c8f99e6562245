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
