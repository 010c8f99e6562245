import { beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { FailureBackoff } from "./failure-backoff.ts";

let clock: FakeClock;
let backoff: FailureBackoff;
beforeEach(() => {
  clock = new FakeClock();
  backoff = new FailureBackoff({ clock, firstMs: 10_000, maxMs: 300_000 });
});

/** Fails and is tried again as soon as it may be, so often; the waits in seconds. */
async function waits(times: number): Promise<number[]> {
  const seconds: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const failedAtMs = clock.nowMs();
    const leftMs = backoff.leftMs("k", failedAtMs);
    seconds.push(leftMs / 1000);
    await clock.advance(leftMs);
    backoff.next("k", failedAtMs);
  }
  return seconds;
}

describe("after failures", () => {
  it("the first attempt is made at once, the next ones wait twice as long each, up to the limit", async () => {
    expect(await waits(8)).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it("the wait counts from the failure", async () => {
    backoff.next("k", clock.nowMs());
    const failedAtMs = clock.nowMs();
    await clock.advance(4_000);
    expect(backoff.leftMs("k", failedAtMs)).toBe(6_000);
  });

  it("they are remembered for as long as was asked for, however short the waits are", async () => {
    backoff = new FailureBackoff({ clock, firstMs: 1_000, maxMs: 2_000, forgetAfterMs: 60_000 });
    await waits(3);
    await clock.advance(50_000);
    expect(backoff.leftMs("k", clock.nowMs())).toBe(2_000);
  });

  it("a long time without any makes the next one a first one", async () => {
    await waits(5);
    await clock.advance(600_001);
    expect(backoff.leftMs("k", clock.nowMs())).toBe(0);
    backoff.next("k", clock.nowMs());
    expect(backoff.waitMs("k")).toBe(10_000);
  });

  it("keys are apart, and can be forgotten", async () => {
    await waits(3);
    expect(backoff.leftMs("other", clock.nowMs())).toBe(0);
    backoff.reset("k");
    expect(backoff.leftMs("k", clock.nowMs())).toBe(0);
    await waits(2);
    await clock.advance(600_001);
    backoff.sweep();
    expect(backoff.waitMs("k")).toBe(0);
  });
});
