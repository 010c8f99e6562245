// For tests: what comes of work in steps, how often others could have had their turn, and turns that depend on no machine.

import { vi } from "vitest";
import { nextTurn } from "./next-turn.ts";
import type { Steps } from "./steps.ts";

export function counted<T>(work: Steps<T>): { readonly result: T; readonly steps: number } {
  for (let steps = 0; ; steps += 1) {
    const step = work.next();
    if (step.done === true) return { result: step.value, steps };
  }
}

/** What comes of it, and how often others have their turn until then. */
export async function turnsOf<T>(run: () => T | Promise<T>): Promise<{ readonly result: T; readonly turns: number }> {
  let turns = 0;
  const others = () => {
    turns += 1;
    turn = setImmediate(others);
  };
  let turn = setImmediate(others);
  try {
    return { result: await run(), turns };
  } finally {
    clearImmediate(turn);
  }
}

/** While it runs, so much time passes between any two looks at the clock. */
export async function asSlowWork<T>(msPerLook: number, run: () => T | Promise<T>): Promise<T> {
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    nowMs += msPerLook;
    return nowMs;
  });
  try {
    return await run();
  } finally {
    clock.mockRestore();
    // The turn that it has ended in goes by that time.
    await nextTurn();
  }
}
