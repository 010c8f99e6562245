// Work in steps comes to the same at once and in turns.

import { expect, it } from "vitest";
import { atOnce, inTurns, Pace, type Steps } from "./steps.ts";

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

it("fails as the step does", async () => {
  expect(() => atOnce(sum(9))).toThrow("seven");
  await expect(inTurns(sum(9), async () => undefined)).rejects.toThrow("seven");
});

it("says after how many parts a step is over", () => {
  const pace = new Pace(3);
  expect(Array.from({ length: 8 }, () => pace.due())).toEqual([false, false, false, true, false, false, true, false]);
});
