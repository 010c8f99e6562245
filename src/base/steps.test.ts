// Work in steps comes to the same at once and in turns.

import { expect, it } from "vitest";
import { nextTurn } from "./next-turn.ts";
import { asSlowWork, counted } from "./steps.testing.ts";
import {
  atOnce,
  atOnceWhileShort,
  everyInSteps,
  flatMapInSteps,
  inTurns,
  mapInSteps,
  Pace,
  type Steps,
  whole,
} from "./steps.ts";
import { nextWorkTurn } from "./work-turns.ts";

function* sum(count: number): Steps<number> {
  let total = 0;
  for (let each = 1; each <= count; each += 1) {
    if (each === 7) throw new Error("seven");
    total += each;
    yield;
  }
  return total;
}

/** What comes of work of which each step takes so long, and its turns. */
async function inSlowSteps<T>(stepMs: number, work: (turn: () => Promise<void>) => T | Promise<T>) {
  await nextTurn();
  let turns = 0;
  const turn = async (): Promise<void> => {
    turns += 1;
    await nextWorkTurn();
  };
  const value = await asSlowWork(stepMs, () => work(turn));
  return { value, turns };
}

it("gives what comes of it, with a turn for others when a turn has been long", async () => {
  expect(atOnce(sum(6))).toBe(21);
  expect(await inSlowSteps(1, (turn) => inTurns(sum(6), turn))).toEqual({ value: 21, turns: 2 });
  expect(await inSlowSteps(2, (turn) => atOnceWhileShort(sum(6), turn))).toEqual({ value: 21, turns: 2 });
});

it("is done at once while that is short", () => {
  const never = () => Promise.reject(new Error("no turn"));
  expect(atOnceWhileShort(sum(4), never)).toBe(10);
});

it("is done at once as far as the turn goes, when very many come in it", async () => {
  await nextTurn();
  const all = await asSlowWork(1, () => Array.from({ length: 20 }, () => atOnceWhileShort(sum(0))));
  expect(all.filter((one) => one === 0)).toHaveLength(8);
  expect(await Promise.all(all)).toEqual(all.map(() => 0));
});

it("fails as the step does", async () => {
  expect(() => atOnce(sum(9))).toThrow("seven");
  await expect(inTurns(sum(9), async () => undefined)).rejects.toThrow("seven");
});

it("takes what was done at once as it is", () => {
  expect([atOnce(whole([1, 2])), atOnce(whole(flatMapInSteps([1, 2], new Pace(1), (one) => [one])))]).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

it.each([
  [0, 0],
  [3, 0],
  [4, 1],
  [7, 2],
])("gathers what comes of %d items in their order, with %d turns for others", (count, expected) => {
  const items = Array.from({ length: count }, (_, index) => `i${index}`);
  const twice = (item: string, index: number) => [item, `${item}/${index}`];
  expect(counted(flatMapInSteps(items, new Pace(3), twice))).toEqual({ result: items.flatMap(twice), steps: expected });
});

it("says of many whether it holds of each, up to the first of which it does not", () => {
  const seen: number[] = [];
  const isBelow = (most: number) => (item: number) => seen.push(item) > 0 && item < most;
  expect(counted(everyInSteps([1, 2, 3, 4], new Pace(3), isBelow(5)))).toEqual({ result: true, steps: 1 });
  expect(counted(everyInSteps([1, 2, 3, 4], new Pace(3), isBelow(2)))).toEqual({ result: false, steps: 0 });
  expect(seen).toEqual([1, 2, 3, 4, 1, 2]);
});

it("takes what comes of each of many, with a turn for others", () => {
  const work = mapInSteps(["a", "b", "c", "d"], new Pace(3), (item, index) => `${item}${index}`);
  expect(counted(work)).toEqual({ result: ["a0", "b1", "c2", "d3"], steps: 1 });
});

it("says after how many parts a step is over", () => {
  const pace = new Pace(3);
  expect(Array.from({ length: 8 }, () => pace.due())).toEqual([false, false, false, true, false, false, true, false]);
});
