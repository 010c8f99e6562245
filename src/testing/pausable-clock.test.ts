import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PausableClock } from "./pausable-clock.ts";

describe("a clock that can be paused", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("lets nobody's time pass meanwhile, and afterwards what was left of it", async () => {
    const clock = new PausableClock();
    const happened: string[] = [];
    clock.setTimer(100, () => happened.push("timer"));
    clock.every(40, () => happened.push("interval"));
    void clock.sleep(90).then(() => happened.push("sleeper"));
    const timeout = clock.timeoutSignal(95);
    await vi.advanceTimersByTimeAsync(50);
    const before = clock.monotonicMs();
    clock.pause();
    expect(vi.getTimerCount()).toBe(0);
    clock.setTimer(10, () => happened.push("set in the pause"));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(happened).toEqual(["interval"]);
    expect(clock.monotonicMs()).toBe(before);
    clock.resume();
    await vi.advanceTimersByTimeAsync(35);
    expect(happened).toEqual(["interval", "set in the pause", "interval"]);
    expect(timeout.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(20);
    expect(happened.slice(3)).toEqual(["sleeper", "timer"]);
    expect(timeout.aborted).toBe(true);
  });

  it("runs nothing that was cancelled in the pause", async () => {
    const clock = new PausableClock();
    const run = vi.fn();
    const stop = new AbortController();
    const asleep = clock.sleep(10, stop.signal);
    const timers = [clock.setTimer(10, run), clock.every(10, run)];
    clock.pause();
    for (const timer of timers) timer.cancel();
    stop.abort(new Error("no longer"));
    await expect(asleep).rejects.toThrow("no longer");
    clock.resume();
    await vi.advanceTimersByTimeAsync(100);
    expect(run).not.toHaveBeenCalled();
  });
});
