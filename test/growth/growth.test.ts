// The measure itself: it lets pass what grows with its input, and finds what grows faster.

import { expect, it } from "vitest";
import { collectGarbage, growthProblem, type Work } from "./growth.testing.ts";

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

it.each<[string, Work, number]>([
  ["a sum", (size) => () => numbers(size).reduce((sum, each) => sum + each), 400_000],
  ["a sorted copy", (size) => () => numbers(size).sort((a, b) => b - a), 100_000],
  ["a list of small objects", (size) => () => numbers(size).map((index) => ({ index })), 400_000],
])("lets pass what grows with its input: %s", (_, work, size) => {
  expect(growthProblem(work, size)).toBeUndefined();
});

it("finds time that grows faster", () => {
  const work: Work = (size) => () =>
    numbers(size).filter((each, index, all) => all.some((other, at) => at > index && other === each));
  // Long enough to be sure of it at once: four times as much would take seconds.
  expect(growthProblem(work, 16_000)).toMatch(/ ms .* for /);
});

it("finds it in work that the engine makes quick only when the large has run twice", () => {
  const size = 4_000;
  let runs = 0;
  const work: Work = (some) => () => {
    if (some === size) runs++;
    spend((some / size) ** 2 * (runs < 2 ? 480 : 120));
  };
  expect(growthProblem(work, size)).toMatch(/ ms .* for /);
});

it("finds memory that grows faster", () => {
  // On the heap: what buffers hold outside it is given back some time after a collection.
  const work: Work = (size) => () => numbers(size).map(() => new Array(size).fill(0));
  // What tests before this one have left, cleared away while it runs, would lessen what it is seen to need.
  collectGarbage();
  expect(growthProblem(work, 3_200)).toMatch(/MiB for 3200$/);
});

/** So much time of the processor. */
function spend(ms: number): void {
  const start = process.cpuUsage();
  for (let spent = 0; spent < ms; ) {
    const { user, system } = process.cpuUsage(start);
    spent = (user + system) / 1000;
  }
}
