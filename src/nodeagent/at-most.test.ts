import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { atMost } from "./at-most.ts";

it.each<[string, (end: () => void, clock: FakeClock, stop: AbortController) => unknown]>([
  ["the work has ended", (end) => end()],
  ["its time is over", (_, clock) => clock.advance(1_000)],
  ["nobody waits any more", (_, __, stop) => stop.abort()],
])("work is waited for until %s, and no timer stays", async (_, happen) => {
  const clock = new FakeClock();
  const stop = new AbortController();
  let end = (): void => undefined;
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  const waited = atMost(1_000, work, { clock, signal: stop.signal });
  expect(clock.waiting).toBe(1);
  await happen(end, clock, stop);
  await waited;
  expect(clock.waiting).toBe(0);
});

it("work that fails has ended", async () => {
  const clock = new FakeClock();
  await atMost(1_000, Promise.reject(new Error("no")), { clock, signal: new AbortController().signal });
  expect(clock.waiting).toBe(0);
});
