// For tests: what comes of work in steps, and how often others could have had their turn.

import type { Steps } from "./steps.ts";

export function counted<T>(work: Steps<T>): { readonly result: T; readonly steps: number } {
  for (let steps = 0; ; steps += 1) {
    const step = work.next();
    if (step.done === true) return { result: step.value, steps };
  }
}
