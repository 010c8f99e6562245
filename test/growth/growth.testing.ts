// Measures how time and memory grow with input: work on four times the input may take little more than four times as much.
// Robust on a loaded machine: what is quick and small is not judged, the rest by the best of several runs that take turns,
// and a bad ratio must show again with inputs four and sixteen times as large.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Makes the work on an input of that size; making it is not measured. */
export type Work = (size: number) => () => unknown;

/** Four times the input may take so many times as much: 2.5 times for every doubling. Quadratic work takes 16 times. */
const MAX_RATIO = 2.5 * 2.5;
/** Work that takes less than this is not judged: noise is larger than growth. */
const FLOOR: Cost = { ms: 6, bytes: 32 * 1024 * 1024 };
/** Where the best of several runs takes so long, and is so far from what is allowed, it is the work that takes it. */
const SURE_MS = 100;
const SURE_RATIO = 12;
const RUNS = 3;
const ATTEMPTS = 3;

interface Cost {
  readonly ms: number;
  /** By which the heap and what hangs on it are larger afterwards. */
  readonly bytes: number;
}

/** What is wrong with the growth; undefined when nothing is. */
export function growthProblem(work: Work, size: number): string | undefined {
  let problem: string | undefined;
  for (let attempt = 0, more = size; attempt < ATTEMPTS; attempt++, more *= 4) {
    const large = work(more);
    const once = costOf(large);
    if (isQuick(once)) return undefined;
    const small = work(more / 4);
    // Little runs clear most; the first of them is slowed by what the engine does for it.
    const warm = [costOf(small), costOf(small)];
    const least = Math.min(...warm.map(({ ms }) => ms));
    if (isModest({ ms: least, bytes: warm[0]!.bytes }, once)) return undefined;
    // Clearing everything away takes long in a process that has run many tests: only where memory is in question.
    const measure = once.bytes < FLOOR.bytes ? costOf : collected;
    let smaller: Cost = { ms: least, bytes: 0 };
    let larger: Cost = { ms: once.ms, bytes: Number.POSITIVE_INFINITY };
    for (let run = 0; run < RUNS; run++) {
      // The large first: where it has the engine compile the work at last, the small has to be seen compiled, too.
      const [b, a] = [measure(large), measure(small)];
      // Time is lengthened by others, memory lessened by the collector.
      smaller = { ms: Math.min(smaller.ms, a.ms), bytes: Math.max(smaller.bytes, a.bytes) };
      larger = { ms: Math.min(larger.ms, b.ms), bytes: Math.min(larger.bytes, b.bytes) };
      if (isModest(smaller, larger)) return undefined;
    }
    // And the large once more, if it was compiled as late as in the last run.
    larger = { ...larger, ms: Math.min(larger.ms, costOf(large).ms) };
    problem = `${told(smaller)} for ${more / 4}, ${told(larger)} for ${more}`;
    // Others do not enlarge memory, and more of it may be more than there is; nor do they do anything for so long.
    const isSure = larger.ms > SURE_MS && larger.ms > SURE_RATIO * smaller.ms;
    if (!isModestInMemory(smaller, larger) || isSure) break;
  }
  return problem;
}

const isQuick = ({ ms, bytes }: Cost): boolean => ms < FLOOR.ms && bytes < FLOOR.bytes;

const isModest = (small: Cost, large: Cost): boolean => isModestInTime(small, large) && isModestInMemory(small, large);

const isModestInTime = (small: Cost, large: Cost): boolean => large.ms < FLOOR.ms || large.ms <= MAX_RATIO * small.ms;

/** Of a small amount, what the engine itself needs is the larger part. */
const isModestInMemory = (small: Cost, large: Cost): boolean =>
  large.bytes < FLOOR.bytes || large.bytes <= MAX_RATIO * Math.max(small.bytes, FLOOR.bytes / 4);

const told = ({ ms, bytes }: Cost): string => `${ms.toFixed(1)} ms and ${(bytes / 1024 / 1024).toFixed(1)} MiB`;

function costOf(run: () => unknown): Cost {
  const before = process.memoryUsage();
  // What comes of it is held until the memory has been looked at.
  let result: unknown;
  const ms = timeOf(() => {
    result = run();
  });
  const after = process.memoryUsage();
  return { ms, bytes: result === before ? 0 : after.heapUsed - before.heapUsed + (after.external - before.external) };
}

/** The same, without the garbage of what ran before. */
function collected(run: () => unknown): Cost {
  collectGarbage();
  return costOf(run);
}

setFlagsFromString("--expose-gc");
export const collectGarbage = runInNewContext("gc") as () => void;

/** Of the processor, which other processes do not lengthen as they lengthen that of the clock. */
export function timeOf(run: () => unknown): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
