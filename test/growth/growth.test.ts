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
  expect(growthProblem(work, 9_000)).toMatch(/ ms .* for /);
});

it("finds memory that grows faster", () => {
  // On the heap: what buffers hold outside it is given back some time after a collection.
  const work: Work = (size) => () => numbers(size).map(() => new Array(size).fill(0));
  // What tests before this one have left, cleared away while it runs, would lessen what it is seen to need.
  collectGarbage();
  expect(growthProblem(work, 3_200)).toMatch(/MiB for 3200$/);
});
