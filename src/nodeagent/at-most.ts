// Work that is waited for, but not for ever.

import type { Clock } from "../base/clock.ts";

/** Resolves when the work has ended, well or not, when its time is over, or when nobody waits any more. Leaves no timer behind. */
export async function atMost(
  ms: number,
  work: Promise<unknown>,
  { clock, signal }: { readonly clock: Pick<Clock, "sleep">; readonly signal: AbortSignal },
): Promise<void> {
  const over = new AbortController();
  const late = clock.sleep(Math.max(ms, 0), AbortSignal.any([signal, over.signal]));
  await Promise.race([work, late].map((each) => each.catch(() => undefined)));
  over.abort();
}
