import { describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { LeasePool } from "./leases.ts";

describe("LeasePool", () => {
  const HOUR_SECONDS = 3_600;

  function pool() {
    const clock = new FakeClock();
    const granted: number[] = [];
    const leases = new LeasePool(async (ttlSeconds) => granted.push(ttlSeconds), clock);
    return { clock, granted, leases };
  }

  it("lets keys that expire at about the same time share a lease that outlives all of them", async () => {
    const { clock, granted, leases } = pool();
    const first = await leases.leaseFor(HOUR_SECONDS);
    await clock.advance(59_000);
    expect(await leases.leaseFor(HOUR_SECONDS)).toBe(first);
    await clock.advance(2_000);
    expect(await leases.leaseFor(HOUR_SECONDS)).not.toBe(first);
    expect(granted).toEqual([HOUR_SECONDS + 60, HOUR_SECONDS + 60]);
  });

  it("trusts a lease no longer than it lasts, whatever the time of day is set to", async () => {
    const { clock, granted, leases } = pool();
    await leases.leaseFor(HOUR_SECONDS);
    clock.setTimeOfDay(-3_600_000);
    await clock.advance(61_000);
    await leases.leaseFor(HOUR_SECONDS);
    expect(granted.length).toBe(2);
  });

  it("shares one grant among writers that come together", async () => {
    const { granted, leases } = pool();
    const ids = await Promise.all(Array.from({ length: 50 }, () => leases.leaseFor(HOUR_SECONDS)));
    expect(new Set(ids).size).toBe(1);
    expect(granted.length).toBe(1);
  });

  it("does not keep short-lived keys noticeably longer than asked", async () => {
    const { clock, granted, leases } = pool();
    await leases.leaseFor(10);
    await clock.advance(1);
    await leases.leaseFor(10);
    expect(granted).toEqual([10, 10]);
  });

  it("rounds a part of a second up", async () => {
    const { granted, leases } = pool();
    await leases.leaseFor(0.2);
    await leases.leaseFor(1.5);
    expect(granted).toEqual([1, 2]);
  });

  it("takes a new lease after a thousand keys, so that no single expiry becomes huge", async () => {
    const { granted, leases } = pool();
    for (let key = 0; key < 1_001; key++) await leases.leaseFor(HOUR_SECONDS);
    expect(granted.length).toBe(2);
  });

  it("asks again after a failed grant and after a lease was lost", async () => {
    let fails = true;
    let granted = 0;
    const leases = new LeasePool(async () => {
      if (fails) throw new Error("no");
      return ++granted;
    }, new FakeClock());
    await expect(leases.leaseFor(HOUR_SECONDS)).rejects.toThrow("no");
    fails = false;
    expect(await leases.leaseFor(HOUR_SECONDS)).toBe(1);
    leases.forget(HOUR_SECONDS);
    expect(await leases.leaseFor(HOUR_SECONDS)).toBe(2);
  });
});
