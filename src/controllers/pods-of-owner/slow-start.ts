// Many equal calls that are likely to fail alike (a quota is used up, say): one first, then two, four, and so on. A
// failure ends it after its batch, so that few calls are wasted.

interface SlowStartResult {
  readonly succeeded: number;
  /** Never made, because an earlier batch failed. */
  readonly skipped: number;
  /** Of the first call that failed. */
  readonly error?: unknown;
}

const FIRST_BATCH = 1;

export async function slowStart(count: number, call: (index: number) => Promise<void>): Promise<SlowStartResult> {
  let succeeded = 0;
  let started = 0;
  for (let batch = Math.min(FIRST_BATCH, count); batch > 0; batch = Math.min(2 * batch, count - started)) {
    const first = started;
    started += batch;
    const results = await Promise.allSettled(Array.from({ length: batch }, (_, at) => call(first + at)));
    const failed = results.filter((result) => result.status === "rejected");
    succeeded += batch - failed.length;
    if (failed[0] !== undefined) return { succeeded, skipped: count - started, error: failed[0].reason };
  }
  return { succeeded, skipped: 0 };
}
