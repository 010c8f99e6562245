// The runner of work in the background: when it looks, how often, and when it is idle.

import { describe, expect, it } from "vitest";
import { BackgroundLoop, type BackgroundLoopOptions, type LookOutcome } from "./background-loop.ts";
import { FakeClock } from "./clock.ts";
import { nextTurn } from "./next-turn.ts";

function start(options: Partial<BackgroundLoopOptions> & { outcome?: (key: string) => LookOutcome } = {}) {
  const clock = new FakeClock(0);
  const looks: string[] = [];
  const errors: string[] = [];
  const { outcome, ...rest } = options;
  const loop = new BackgroundLoop({
    clock,
    look: async (key) => {
      looks.push(`${key}@${clock.nowMs()}`);
      return outcome?.(key) ?? "done";
    },
    onError: (error, key) => errors.push(`${key}: ${(error as Error).message}`),
    ...rest,
  });
  return { clock, loop, looks, errors };
}

/** A look that ends when the test says so. */
function gated() {
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const look = (key: string): Promise<LookOutcome> => {
    begun.push(key);
    return new Promise((resolve) => gates.set(key, () => resolve("done")));
  };
  return { begun, look, end: (key: string) => gates.get(key)!() };
}

describe("BackgroundLoop", () => {
  it("looks once at what was asked for many times in one turn, after what asked", async () => {
    const { loop, looks } = start();
    for (const key of ["a", "b", "a"]) loop.look(key);
    expect(looks).toEqual([]);
    await loop.idle();
    expect(looks).toEqual(["a@0", "b@0"]);
  });

  it("waits for the settle time; an earlier wish moves a look forward, a later one does not put it off", async () => {
    const { clock, loop, looks } = start({ settleMs: 50 });
    loop.look("a");
    await clock.advance(30);
    loop.look("a");
    loop.look("b", 500);
    loop.look("b", 40);
    await clock.advance(1_000);
    expect(looks).toEqual(["a@50", "b@70"]);
  });

  it("tries again after failures, twice as late each time up to a limit, and afresh after a success", async () => {
    let fails = true;
    const { clock, loop, looks, errors } = start({
      retryMs: { first: 100, max: 300 },
      outcome: () => {
        if (fails) throw new Error("no");
        return "done";
      },
    });
    loop.look("a");
    await clock.advance(0);
    await nextTurn();
    await clock.advance(800);
    expect(looks).toEqual(["a@0", "a@100", "a@300", "a@600"]);
    expect(errors).toEqual(Array(4).fill("a: no"));
    fails = false;
    await clock.advance(10_000);
    expect(looks.slice(4)).toEqual(["a@900"]);
    fails = true;
    loop.look("a");
    await nextTurn();
    await clock.advance(100);
    expect(looks.slice(5)).toEqual(["a@10800", "a@10900"]);
  });

  it("looks again when a look says so, without an error", async () => {
    const outcomes: LookOutcome[] = ["retry", { againInMs: 7 }, "done"];
    const { clock, loop, looks, errors } = start({
      retryMs: { first: 100, max: 300 },
      outcome: () => outcomes.shift()!,
    });
    await loop.settle();
    await clock.advance(1_000);
    expect(looks).toEqual(["@0", "@100", "@107"]);
    expect(errors).toEqual([]);
  });

  it("looks every so often, also after a failure, and keeps the period when somebody asks in between", async () => {
    let failures = 1;
    const { clock, loop, looks } = start({
      everyMs: 100,
      outcome: () => {
        if (failures-- > 0) throw new Error("no");
        return "done";
      },
    });
    loop.look("", 100);
    await clock.advance(250);
    loop.look();
    await nextTurn();
    await clock.advance(150);
    expect(looks).toEqual(["@100", "@200", "@250", "@350"]);
  });

  it("looks again at a key that was asked for during its look, never twice at once", async () => {
    const { begun, look, end } = gated();
    const { loop } = start({ look, maxAtOnce: 2 });
    loop.look("a");
    await nextTurn();
    loop.look("a");
    loop.look("a");
    await nextTurn();
    expect(begun).toEqual(["a"]);
    end("a");
    await nextTurn();
    await nextTurn();
    expect(begun).toEqual(["a", "a"]);
    end("a");
    await loop.idle();
    expect(begun).toEqual(["a", "a"]);
  });

  it("looks at no more keys at once than it may, in the order in which they came", async () => {
    const { begun, look, end } = gated();
    const { loop } = start({ look, maxAtOnce: 2 });
    for (const key of ["a", "b", "c", "d"]) loop.look(key);
    await nextTurn();
    expect(begun).toEqual(["a", "b"]);
    end("b");
    await nextTurn();
    expect(begun).toEqual(["a", "b", "c"]);
  });

  it("settles at once, beside the queue, with a look that began after the call; all who wait share it", async () => {
    const { begun, look, end } = gated();
    const { loop } = start({ look });
    loop.look("long");
    await nextTurn();
    const first = loop.settle("a");
    const settled: string[] = [];
    const later = ["x", "y"].map((name) => loop.settle("a").then(() => settled.push(name)));
    await nextTurn();
    expect(begun).toEqual(["long", "a"]);
    end("a");
    await first;
    await nextTurn();
    expect([begun, settled]).toEqual([["long", "a", "a"], []]);
    end("a");
    await Promise.all(later);
    expect(settled).toEqual(["x", "y"]);
  });

  it("settles without an error when the look fails", async () => {
    const { loop, errors } = start({ look: () => Promise.reject(new Error("no")) });
    await loop.settle("a");
    expect(errors).toEqual(["a: no"]);
  });

  it("is idle when nothing is left that was asked for, whatever waits for a retry or a period", async () => {
    const { clock, loop } = start({ settleMs: 50, everyMs: 100 });
    loop.look("a");
    let idle = false;
    const told = loop.idle().then(() => {
      idle = true;
    });
    await nextTurn();
    expect([loop.busy, idle]).toEqual([true, false]);
    await clock.advance(50);
    await told;
    expect([loop.busy, clock.waiting]).toEqual([false, 1]);
  });

  it("forgets a key", async () => {
    const { clock, loop, looks } = start({ settleMs: 50 });
    loop.look("a");
    loop.forget("a");
    await loop.idle();
    await clock.advance(1_000);
    expect(looks).toEqual([]);
  });

  it("begins nothing after it was closed, tells what runs, and hears of no error any more", async () => {
    const signals: AbortSignal[] = [];
    let fail: () => void = () => undefined;
    const { clock, loop, errors } = start({
      look: (_, signal) => {
        signals.push(signal);
        return new Promise((_, reject) => {
          fail = () => reject(new Error("late"));
        });
      },
    });
    loop.look("a");
    await nextTurn();
    loop.look("b", 50);
    loop.look("a");
    loop.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    fail();
    loop.look("c");
    await loop.settle("d");
    await loop.idle();
    await clock.advance(100_000);
    expect([signals.length, errors, clock.waiting]).toEqual([1, [], 0]);
  });
});
