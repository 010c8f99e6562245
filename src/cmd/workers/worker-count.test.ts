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
    expect(workerCount({ workers, auditLogPath: undefined }, { cores, inMemory: false })).toBe(count);
  });

  it.each([
    ["a store in memory", { auditLogPath: undefined }, true],
    ["an audit log in a file", { auditLogPath: "/var/log/audit.log" }, false],
  ])("has one process: %s", (_what, { auditLogPath }, inMemory) => {
    for (const workers of [undefined, 0, 1])
      expect(workerCount({ workers, auditLogPath }, { cores: 8, inMemory })).toBe(1);
    expect(() => workerCount({ workers: 2, auditLogPath }, { cores: 8, inMemory })).toThrow(/--workers/);
  });

  it("writes an audit log to standard output from all", () => {
    expect(workerCount({ workers: 2, auditLogPath: "-" }, { cores: 8, inMemory: false })).toBe(2);
  });

  it("shares the limits of what is under way out", () => {
    const limits = { maxRequestsInflight: 400, maxMutatingRequestsInflight: 201 };
    expect(shareOfLimits(limits, 2)).toEqual({ maxRequestsInflight: 200, maxMutatingRequestsInflight: 101 });
  });
});
