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
