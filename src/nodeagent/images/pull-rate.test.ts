import { expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { PullRate } from "./pull-rate.ts";

it("images are pulled so often, and some at once after a quiet time", async () => {
  const clock = new FakeClock(0);
  const rate = new PullRate({ clock, perSecond: 2, burst: 3 });
  const taken = () => [1, 2, 3, 4].map(() => rate.take());
  expect(taken()).toEqual([true, true, true, false]);
  await clock.advance(500);
  expect(taken()).toEqual([true, false, false, false]);
  await clock.advance(60_000);
  expect(taken()).toEqual([true, true, true, false]);
});

it("there is no limit where none is set", () => {
  const rate = new PullRate({ clock: new FakeClock(0), perSecond: 0, burst: 0 });
  expect(rate.take()).toBe(true);
});
