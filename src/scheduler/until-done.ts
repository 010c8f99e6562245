// Waits for what others do, and tell of in objects that the scheduler follows.

import type { Clock } from "../base/clock.ts";

interface Wait {
  /** Asked at once and at every change. Fails when it will never be done. */
  readonly isDone: () => boolean;
  /** Calls back at every change that may matter, until removed. */
  readonly onChange: (changed: () => void) => { remove(): void };
  readonly patienceMs: number;
  /** What it fails with, when it was not done in time. */
  readonly lateMessage: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export async function untilDone({ isDone, onChange, patienceMs, lateMessage, clock, signal }: Wait): Promise<void> {
  const late = clock.timeoutSignal(patienceMs);
  let wake: () => void = () => undefined;
  const watch = onChange(() => wake());
  AbortSignal.any([signal, late]).addEventListener("abort", () => wake(), { once: true });
  try {
    while (!isDone()) {
      if (late.aborted) throw new Error(lateMessage);
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    watch.remove();
  }
}
