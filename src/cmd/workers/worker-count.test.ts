import { describe, expect, it } from "vitest";
import { shareOfLimits, workerCount } from "./worker-count.ts";

describe("--workers", () => {
  it.each([
    [undefined, 1, 1],
    [undefined, 3, 1],
    [undefined, 4, 3],
    [undefined, 16, 15],
    [0, 2, 2],
    [1, 16, 1],
    [5, 2, 5],
  ])("%s on %s cores: %s", (workers, cores, count) => {
    expect(workerCount({ workers }, { cores, inMemory: false })).toBe(count);
  });

  it("has one process where the store is in memory", () => {
    for (const workers of [undefined, 0, 1]) expect(workerCount({ workers }, { cores: 8, inMemory: true })).toBe(1);
    expect(() => workerCount({ workers: 2 }, { cores: 8, inMemory: true })).toThrow(/--workers/);
  });

  it("shares the limits of what is under way out", () => {
    const limits = { maxRequestsInflight: 400, maxMutatingRequestsInflight: 201 };
    expect(shareOfLimits(limits, 2)).toEqual({ maxRequestsInflight: 200, maxMutatingRequestsInflight: 101 });
  });
});
