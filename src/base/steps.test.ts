// Work in steps comes to the same at once and in turns.

import { expect, it, vi } from "vitest";
import { atOnce, atOnceWhileShort, flatMapInSteps, inTurns, Pace, type Steps, whole } from "./steps.ts";

function* sum(count: number): Steps<number> {
  let total = 0;
  for (let each = 1; each <= count; each += 1) {
    if (each === 7) throw new Error("seven");
    total += each;
    yield;
  }
  return total;
}

it("gives what comes of it, with a turn for others after every step", async () => {
  let turns = 0;
  const turn = async (): Promise<void> => {
    turns += 1;
  };
  expect([atOnce(sum(4)), await inTurns(sum(4), turn), turns]).toEqual([10, 10, 4]);
});

it("is done at once while that is short, and gives turns from there on", async () => {
  let nowMs = 0;
  let turns = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const turn = async (): Promise<void> => {
    turns += 1;
  };
  function* slow(): Steps<string> {
    for (let each = 0; each < 5; each += 1) {
      nowMs += 2;
      yield;
    }
    return "done";
  }
  expect([atOnceWhileShort(sum(4), turn), await atOnceWhileShort(slow(), turn), turns]).toEqual([10, "done", 3]);
  clock.mockRestore();
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
])("gathers what comes of %d items in their order, with %d turns for others", async (count, expected) => {
  const items = Array.from({ length: count }, (_, index) => `i${index}`);
  const twice = (item: string, index: number) => [item, `${item}/${index}`];
  let turns = 0;
  const gathered = await inTurns(flatMapInSteps(items, new Pace(3), twice), async () => {
    turns += 1;
  });
  expect([gathered, turns]).toEqual([items.flatMap(twice), expected]);
});

it("says after how many parts a step is over", () => {
  const pace = new Pace(3);
  expect(Array.from({ length: 8 }, () => pace.due())).toEqual([false, false, false, true, false, false, true, false]);
});
