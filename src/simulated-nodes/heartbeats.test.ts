import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { Heartbeats } from "./heartbeats.ts";

it.each([
  ["few nodes that a server does not answer are asked for side by side", 200, 32],
  // A ninth of all: then those under way are an eighth of those that wait.
  ["of many, a part of those that wait", 8_100, 900],
])("%s", async (_what, count, expected) => {
  const clock = new FakeClock(0);
  let underWay = 0;
  const ends: (() => void)[] = [];
  const heartbeats = new Heartbeats({
    count,
    periodMs: 10_000,
    clock,
    beat: () => {
      underWay += 1;
      return new Promise((resolve) => ends.push(resolve));
    },
    onError: () => undefined,
  });
  heartbeats.start();
  // One time round the wheel: everybody's turn has come.
  await clock.advance(10_000);
  expect(underWay).toBe(expected);
  const stopped = heartbeats.stop();
  for (const end of ends) end();
  await stopped;
});
