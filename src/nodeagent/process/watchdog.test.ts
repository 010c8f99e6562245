import { describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { Watchdog, watchdogIntervalMs } from "./watchdog.ts";

describe("the interval of the watchdog", () => {
  it.each([
    ["is not asked for", {}, undefined],
    ["of zero is none", { WATCHDOG_USEC: "0" }, undefined],
    ["is in microseconds", { WATCHDOG_USEC: "15000000" }, 15_000],
    ["may be one second", { WATCHDOG_USEC: "1000000" }, 1_000],
    ["is for this process", { WATCHDOG_USEC: "2000000", WATCHDOG_PID: "7" }, 2_000],
    ["is for another process", { WATCHDOG_USEC: "2000000", WATCHDOG_PID: "8" }, undefined],
  ])("%s", (_title, env, intervalMs) => {
    expect(watchdogIntervalMs(env, 7)).toBe(intervalMs);
  });

  it.each(["999999", "500000", "soon", "-1"])("is refused when it is %s", (text) => {
    expect(() => watchdogIntervalMs({ WATCHDOG_USEC: text }, 7)).toThrow(/^watchdog: /);
  });
});

describe("the watchdog", () => {
  it("is told at half its interval, and not while the agent is unwell", async () => {
    const clock = new FakeClock();
    const told: number[] = [];
    const problems: string[] = [];
    let problem: string | undefined;
    const watchdog = new Watchdog({
      clock,
      intervalMs: 10_000,
      problem: () => problem,
      tell: async (words) => void told.push(words === "WATCHDOG=1" ? clock.monotonicMs() : -1),
      onProblem: (why) => problems.push(why),
    });
    await clock.advance(12_000);
    problem = "the loop is stuck";
    await clock.advance(10_000);
    problem = undefined;
    await clock.advance(4_000);
    watchdog.stop();
    await clock.advance(10_000);
    expect(told).toEqual([5_000, 10_000, 25_000]);
    expect(problems).toEqual(["the loop is stuck", "the loop is stuck"]);
  });
});
