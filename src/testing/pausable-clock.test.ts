import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { PausableClock } from "./pausable-clock.ts";

describe("a clock that can be paused", () => {
  let machine: FakeClock;
  let clock: PausableClock;
  beforeEach(() => {
    machine = new FakeClock();
    clock = new PausableClock(machine);
  });

  it("lets nobody's time pass meanwhile, and afterwards what was left of it", async () => {
    const happened: string[] = [];
    clock.setTimer(100, () => happened.push("timer"));
    clock.every(40, () => happened.push("interval"));
    void clock.sleep(90).then(() => happened.push("sleeper"));
    const timeout = clock.timeoutSignal(95);
    await machine.advance(50);
    const before = clock.monotonicMs();
    clock.pause();
    expect(machine.waiting).toBe(0);
    clock.setTimer(10, () => happened.push("set in the pause"));
    await machine.advance(10_000);
    expect(happened).toEqual(["interval"]);
    expect(clock.monotonicMs()).toBe(before);
    clock.resume();
    await machine.advance(35);
    expect(happened).toEqual(["interval", "set in the pause", "interval"]);
    expect(timeout.aborted).toBe(false);
    await machine.advance(20);
    expect(happened.slice(3)).toEqual(["sleeper", "timer"]);
    expect(timeout.aborted).toBe(true);
  });

  it("goes on by another clock, whose time of day is another", async () => {
    const run = vi.fn(() => clock.nowMs());
    clock.setTimer(100, run);
    await machine.advance(30.5);
    clock.pause();
    const before = clock.monotonicMs();
    const other = new FakeClock(5_000);
    await other.advance(1_000);
    clock.resume(other);
    expect(clock.monotonicMs()).toBe(before);
    expect(clock.nowMs()).toBe(6_000);
    await machine.advance(1_000);
    await other.advance(69);
    expect(run).not.toHaveBeenCalled();
    await other.advance(1);
    expect(run.mock.results).toMatchObject([{ value: 6_070 }]);
  });

  it("runs nothing that was cancelled in the pause", async () => {
    const run = vi.fn();
    const stop = new AbortController();
    const asleep = clock.sleep(10, stop.signal);
    const timers = [clock.setTimer(10, run), clock.every(10, run)];
    clock.pause();
    for (const timer of timers) timer.cancel();
    stop.abort(new Error("no longer"));
    await expect(asleep).rejects.toThrow("no longer");
    clock.resume();
    await machine.advance(100);
    expect(run).not.toHaveBeenCalled();
  });
});
