// Measures how time grows with input: work on four times the input may take little more than four times the time. Robust on a loaded
// machine: what is quick is not judged, the rest by the best of several runs, and a bad ratio must show again and again.

/** Makes the work on an input of that size; making it is not measured. */
export type Work = (size: number) => () => unknown;

/** Four times the input may take so many times as long: 2.5 times for every doubling. Quadratic work takes 16 times. */
const MAX_RATIO = 2.5 * 2.5;
/** Work that takes less than this is not judged: noise is larger than growth. */
const FLOOR_MS = 10;
const RUNS = 3;
/** A bad ratio must show again with inputs four times as large, where a pause of the machine weighs less. */
const ATTEMPTS = 2;

/** What is wrong with the growth; undefined when nothing is. */
export function growthProblem(work: Work, size: number): string | undefined {
  let shown = "";
  for (let attempt = 0, more = size; attempt < ATTEMPTS; attempt++, more *= 4) {
    const large = work(more);
    const onceMs = timeOf(large);
    if (onceMs < FLOOR_MS) return undefined;
    const small = work(more / 4);
    // One run of each clears most.
    if (onceMs / timeOf(small) <= MAX_RATIO) return undefined;
    const [smallMs, largeMs] = [bestOf(small), bestOf(large)];
    if (largeMs < FLOOR_MS || largeMs / smallMs <= MAX_RATIO) return undefined;
    shown = `${smallMs.toFixed(1)} ms for ${more / 4}, ${largeMs.toFixed(1)} ms for ${more}`;
  }
  return shown;
}

/** Of the processor, which other processes do not lengthen as they lengthen that of the clock. */
export function timeOf(run: () => unknown): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function bestOf(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let count = 0; count < RUNS; count++) best = Math.min(best, timeOf(run));
  return best;
}
