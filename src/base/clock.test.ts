// Clocks: the real one's timers, and the fake one that takes everything that waits along.

import { describe, expect, it } from "vitest";
import { type Clock, FakeClock, systemClock } from "./clock.ts";

describe("FakeClock", () => {
  it("runs what is due in the order of its time, each at its own time", async () => {
    const clock = new FakeClock(0);
    const seen: [string, number][] = [];
    const note = (name: string) => () => void seen.push([name, clock.nowMs()]);
    clock.setTimer(30, note("late"));
    clock.setTimer(10, note("early"));
    clock.setTimer(10, note("early too"));
    clock.every(15, note("often"));
    clock.setTimer(31, note("never"));
    await clock.advance(30);
    expect(seen).toEqual([
      ["early", 10],
      ["early too", 10],
      ["often", 15],
      ["late", 30],
      ["often", 30],
    ]);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([30, 30]);
  });

  it("lets what follows from a timer set the next one before time goes on", async () => {
    const clock = new FakeClock(0);
    const seen: number[] = [];
    const loop = async () => {
      for (;;) {
        await clock.sleep(10);
        seen.push(clock.nowMs());
      }
    };
    void loop();
    await clock.advance(35);
    expect(seen).toEqual([10, 20, 30]);
  });

  it("forgets what was cancelled, also while it runs", async () => {
    const clock = new FakeClock(0);
    let runs = 0;
    const once = clock.setTimer(10, () => runs++);
    const often = clock.every(10, () => {
      runs++;
      often.cancel();
    });
    once.cancel();
    await clock.advance(100);
    expect([runs, clock.waiting]).toEqual([1, 0]);
  });

  it("lets time pass for whoever waits for what is left, however little that is", async () => {
    const clock = new FakeClock();
    const untilMs = clock.monotonicMs() + 1.000_01;
    let runs = 0;
    const again = () => {
      runs += 1;
      if (clock.monotonicMs() < untilMs && runs < 10) clock.setTimer(untilMs - clock.monotonicMs(), again);
    };
    clock.setTimer(1, again);
    await clock.advance(10);
    expect(runs).toBe(2);
  });

  it("moves at once when nothing is due", () => {
    const clock = new FakeClock(0);
    void clock.advance(10);
    expect(clock.nowMs()).toBe(10);
  });
});

const CLOCKS: readonly [string, () => { clock: Clock; pass(ms: number): Promise<void> }][] = [
  ["the fake clock", () => fakeTime()],
  [
    "the system's clock",
    () => ({ clock: systemClock, pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) }),
  ],
];

function fakeTime() {
  const clock = new FakeClock();
  return { clock, pass: (ms: number) => clock.advance(ms) };
}

describe.each(CLOCKS)("%s", (_, make) => {
  it("aborts signals when their time is over", async () => {
    const { clock, pass } = make();
    const signal = clock.timeoutSignal(5);
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    expect(signal.aborted).toBe(false);
    await Promise.all([aborted, pass(20)]);
    expect((signal.reason as DOMException).name).toBe("TimeoutError");
  });

  it("wakes sleepers, and those whose signal is aborted with its reason", async () => {
    const { clock, pass } = make();
    const stop = new AbortController();
    const stopped = clock.sleep(60_000, stop.signal);
    const outcomes = Promise.allSettled([clock.sleep(5), stopped, clock.sleep(1, AbortSignal.abort("gone"))]);
    stop.abort("enough");
    await pass(20);
    expect(await outcomes).toEqual([
      { status: "fulfilled", value: undefined },
      { status: "rejected", reason: "enough" },
      { status: "rejected", reason: "gone" },
    ]);
  });

  it("takes the listener of a sleeper off its signal", async () => {
    const { clock, pass } = make();
    const listeners = new Set<unknown>();
    const signal = new AbortController().signal;
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners.add(args[1]);
      add(...args);
    };
    signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);
    const slept = clock.sleep(1, signal);
    expect(listeners.size).toBe(1);
    await Promise.all([slept, pass(5)]);
    expect(listeners.size).toBe(0);
  });

  it("does not take a very long time for none", async () => {
    const { clock, pass } = make();
    let fired = 0;
    const timers = [clock.setTimer(2 ** 33, () => fired++), clock.every(2 ** 33, () => fired++)];
    const signal = clock.timeoutSignal(2 ** 33);
    await pass(20);
    expect([fired, signal.aborted]).toEqual([0, false]);
    for (const timer of timers) timer.cancel();
  });
});
