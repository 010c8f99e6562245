// Attempts at what may go better next time: a few, with longer and longer pauses between them.

import { Backoff } from "./backoff.ts";
import type { Clock } from "./clock.ts";

interface AttemptLimits {
  readonly maxAttempts: number;
  /** Between the first two attempts; 0 means that there is only one. */
  readonly firstPauseMs: number;
  readonly factor: number;
  /** A pause is longer by up to this share of itself. */
  readonly jitter: number;
}

/** What came of one: a value, or a problem that may pass. One that will not pass is thrown. */
export type Attempt<T> =
  | { readonly value: T }
  /** `afterMs`: how long we are asked to wait; less than the pause counts for nothing. */
  | { readonly problem: Error; readonly afterMs?: number };

interface AttemptDeps {
  readonly clock: Clock;
  readonly random: () => number;
  /** Ends the attempts, with the last problem. */
  readonly signal?: AbortSignal;
}

/** The value of the first attempt that has one. Fails with the problem of the last. */
export async function attempt<T>(
  { clock, random, signal }: AttemptDeps,
  { maxAttempts, firstPauseMs, factor, jitter }: AttemptLimits,
  once: () => Promise<Attempt<T>>,
): Promise<T> {
  const backoff = new Backoff({ firstMs: firstPauseMs, maxMs: Number.POSITIVE_INFINITY, factor, jitter }, random);
  for (let count = 1; ; count += 1) {
    const result = await once();
    if ("value" in result) return result.value;
    const { problem, afterMs = 0 } = result;
    if (count >= maxAttempts || firstPauseMs <= 0 || signal?.aborted) throw problem;
    await clock.sleep(Math.max(afterMs, backoff.nextMs()), signal).catch(() => {
      throw problem;
    });
  }
}
