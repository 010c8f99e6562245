// How long work holds the event loop at a time: waits do not count, nor what others do meanwhile.

import { expect, it } from "vitest";
import { type LoopHold, LoopWatch } from "./loop-hold.ts";
import { nextTurn } from "./next-turn.ts";

let nowMs = 0;
const pass = (ms: number): void => {
  nowMs += ms;
};

const begin = (watch: LoopWatch): LoopHold => watch.begin(nowMs);

it.each<[string, readonly number[], number]>([
  ["the only run", [30], 30],
  ["the first", [30, 5, 20], 30],
  ["the last, which is not over", [5, 20, 30], 30],
  ["no sum", [10, 10, 10], 10],
])("is the longest run: %s", async (_, runsMs, longestMs) => {
  const watch = new LoopWatch(() => nowMs);
  const hold = begin(watch);
  for (const [index, ms] of runsMs.entries()) {
    if (index > 0) {
      await nextTurn();
      pass(1_000);
      hold.goOn();
    }
    pass(ms);
  }
  expect(watch.longestMs(hold)).toBe(longestMs);
});

it("counts what goes on at once as one run", async () => {
  const watch = new LoopWatch(() => nowMs);
  const hold = begin(watch);
  for (let step = 0; step < 5; step += 1) {
    pass(4);
    await Promise.resolve();
  }
  expect(watch.longestMs(hold)).toBe(20);
});

it("counts for each what it has done itself", async () => {
  const watch = new LoopWatch(() => nowMs);
  const [first, second] = [begin(watch), begin(watch)];
  await nextTurn();
  first.goOn();
  pass(7);
  second.goOn();
  pass(9);
  await nextTurn();
  pass(100);
  expect([watch.longestMs(first), watch.longestMs(second)]).toEqual([7, 9]);
});

it("counts from the start that it is told", async () => {
  const watch = new LoopWatch(() => nowMs);
  const sinceMs = nowMs;
  pass(12);
  const hold = watch.begin(sinceMs);
  pass(3);
  await nextTurn();
  pass(100);
  expect(watch.longestMs(hold)).toBe(15);
});
