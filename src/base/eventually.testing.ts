// Tests that wait for what others do in their own time, under a clock of the test.

import type { FakeClock } from "./clock.ts";

const PATIENCE_MS = 15_000;

/** Looks until there is nothing to complain about; between looks the clock moves on, and everybody gets a turn. */
export async function eventuallyAt<T>(clock: FakeClock, stepMs: number, check: () => Promise<T> | T): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await clock.advance(stepMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
