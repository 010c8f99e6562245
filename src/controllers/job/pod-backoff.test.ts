import { describe, expect, it } from "vitest";
import { jobPod, NOW_MS } from "./job.testing.ts";
import { type BackoffRecord, backoffLeftMs, finishedAtMs, nextBackoff } from "./pod-backoff.ts";

const SECOND = 1_000;
const ended = (secondsAgo: number) => jobPod(`p${secondsAgo}`, { endedMs: NOW_MS - secondsAgo * SECOND, exitCode: 1 });
const record = (failures: number, secondsAgo: number): BackoffRecord => ({
  failures,
  lastFailureMs: failures === 0 ? 0 : NOW_MS - secondsAgo * SECOND,
});

describe("failures in a row", () => {
  const cases: [what: string, before: BackoffRecord, succeeded: number[], failed: number[], after: BackoffRecord][] = [
    ["stay when nothing ended", record(3, 50), [], [], record(3, 50)],
    ["grow by every failure", record(2, 50), [], [30, 20, 40], record(5, 20)],
    ["are forgotten after a success", record(2, 50), [10], [], record(0, 0)],
    ["count anew from the last success on", record(2, 50), [30, 35], [20, 25, 40], record(2, 20)],
    ["do not count what failed before the success", record(2, 50), [10], [20], record(0, 0)],
    ["do not count what failed together with it", record(0, 0), [10], [10], record(0, 0)],
  ];
  it.each(cases)("%s", (_what, before, succeeded, failed, after) => {
    expect(nextBackoff(before, succeeded.map(ended), failed.map(ended))).toEqual(after);
  });

  const waits: [failures: number, secondsAgo: number, leftSeconds: number][] = [
    [0, 0, 0],
    [1, 0, 10],
    [1, 4, 6],
    [1, 11, 0],
    [2, 0, 20],
    [4, 0, 80],
    [7, 0, 600],
    [1_000_000, 0, 600],
    // A node's clock is ahead.
    [1, -3600, 10],
  ];
  it.each(waits)("%s of them, the last %s s ago, make a job wait %s s", (failures, secondsAgo, leftSeconds) => {
    expect(backoffLeftMs(record(failures, secondsAgo), NOW_MS)).toBe(leftSeconds * SECOND);
  });
});

describe("the end of a pod", () => {
  it("is when its last container ended", () => {
    expect(finishedAtMs(ended(5))).toBe(NOW_MS - 5 * SECOND);
  });
  it("is else when it was deleted, or was created", () => {
    expect(finishedAtMs(jobPod("p", { ending: true }))).toBe(NOW_MS - 30 * SECOND);
    expect(finishedAtMs(jobPod("p"))).toBe(NOW_MS - 3600 * SECOND);
  });
});
