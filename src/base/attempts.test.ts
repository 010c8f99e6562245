import { describe, expect, it } from "vitest";
import { type Attempt, attempt } from "./attempts.ts";
import { SleeplessClock } from "./clock.testing.ts";

const LIMITS = { maxAttempts: 4, firstPauseMs: 100, factor: 2, jitter: 0.5 };

function attempts(results: readonly Attempt<string>[], limits = LIMITS, signal?: AbortSignal) {
  const clock = new SleeplessClock();
  let made = 0;
  const deps = { clock, random: () => 1, ...(signal === undefined ? {} : { signal }) };
  const outcome = attempt(deps, limits, async () => results[made++]!);
  return { outcome, pausesMs: clock.sleptMs, made: () => made };
}

const problem = (text: string, afterMs?: number): Attempt<string> => ({
  problem: new Error(text),
  ...(afterMs === undefined ? {} : { afterMs }),
});

describe("attempts", () => {
  it("end with the first value, after ever longer pauses", async () => {
    const { outcome, pausesMs } = attempts([problem("a"), problem("b"), { value: "c" }]);
    expect(await outcome).toBe("c");
    expect(pausesMs).toEqual([150, 300]);
  });

  it("wait for as long as they are asked to, if that is longer", async () => {
    const { outcome, pausesMs } = attempts([problem("a", 1_000), problem("b", 1), { value: "c" }]);
    await outcome;
    expect(pausesMs).toEqual([1_000, 300]);
  });

  it.each([
    ["so many are made", LIMITS, undefined, 4, "d"],
    ["there is to be no pause", { ...LIMITS, firstPauseMs: 0 }, undefined, 1, "a"],
    ["they are ended", LIMITS, AbortSignal.abort(), 1, "a"],
  ])("fail with the last problem when %s", async (_when, limits, signal, count, text) => {
    const { outcome, made } = attempts(
      ["a", "b", "c", "d", "e"].map((one) => problem(one)),
      limits,
      signal,
    );
    await expect(outcome).rejects.toThrow(text);
    expect(made()).toBe(count);
  });

  it("end with what one of them throws", async () => {
    const clock = new SleeplessClock();
    const once = () => Promise.reject(new Error("final"));
    await expect(attempt({ clock, random: () => 0 }, LIMITS, once)).rejects.toThrow("final");
    expect(clock.sleptMs).toEqual([]);
  });
});
