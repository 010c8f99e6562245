// The runner of work in the background: when it runs, how often, and when it is idle.

import { describe, expect, it } from "vitest";
import { BackgroundLoop, type BackgroundLoopOptions, type Outcome } from "./background-loop.ts";
import { FakeClock } from "./clock.ts";
import { Metrics } from "./metrics.ts";
import { nextTurn } from "./next-turn.ts";
import { queueMetrics } from "./queue-metrics.ts";

function start(options: Partial<BackgroundLoopOptions> & { outcome?: (key: string) => Outcome } = {}) {
  const clock = new FakeClock(0);
  const rounds: string[] = [];
  const errors: string[] = [];
  const { outcome, ...rest } = options;
  const loop = new BackgroundLoop({
    clock,
    reconcile: async (key) => {
      rounds.push(`${key}@${clock.nowMs()}`);
      return outcome?.(key) ?? "done";
    },
    onError: (error, key) => errors.push(`${key}: ${(error as Error).message}`),
    ...rest,
  });
  return { clock, loop, rounds, errors };
}

/** A round that ends when the test says so. */
function gated() {
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const reconcile = (key: string): Promise<Outcome> => {
    begun.push(key);
    return new Promise((resolve) => gates.set(key, () => resolve("done")));
  };
  return { begun, reconcile, end: (key: string) => gates.get(key)!() };
}

describe("BackgroundLoop", () => {
  it("measures how many wait, for how long, and what is tried again", async () => {
    const clock = new FakeClock(0);
    const metrics = new Metrics({ release: "1.34" });
    const { begun, reconcile, end } = gated();
    const loop = new BackgroundLoop({
      clock,
      reconcile: (key) => (key === "bad" ? Promise.reject(new Error("no")) : reconcile(key)),
      onError: () => undefined,
      metrics: queueMetrics(metrics, clock)("work"),
    });
    const shown = async () => {
      let text = "";
      for await (const piece of metrics.expose()) text += piece;
      const lines = text.split("\n").filter((line) => line.startsWith("workqueue_") && !line.includes("_bucket"));
      return Object.fromEntries(lines.map((line) => /^workqueue_(\w+)\{name="work"\} (.*)$/.exec(line)!.slice(1)));
    };
    loop.enqueue("a");
    loop.enqueue("bad");
    await expect.poll(() => begun).toEqual(["a"]);
    await clock.advance(2_000);
    expect(await shown()).toMatchObject({ depth: "1", adds_total: "2", unfinished_work_seconds: "2" });
    end("a");
    await expect.poll(async () => (await shown())["retries_total"]).toBe("1");
    expect(await shown()).toMatchObject({
      depth: "0",
      queue_duration_seconds_sum: "2",
      work_duration_seconds_sum: "2",
      work_duration_seconds_count: "2",
      longest_running_processor_seconds: "0",
    });
    loop.close();
  });

  it("runs once for what was asked for many times in one turn, after what asked", async () => {
    const { loop, rounds } = start();
    for (const key of ["a", "b", "a"]) loop.enqueue(key);
    expect(rounds).toEqual([]);
    await loop.idle();
    expect(rounds).toEqual(["a@0", "b@0"]);
  });

  it("waits for the settle time; an earlier wish moves a round forward, a later one does not put it off", async () => {
    const { clock, loop, rounds } = start({ settleMs: 50 });
    loop.enqueue("a");
    await clock.advance(30);
    loop.enqueue("a");
    loop.enqueue("b", 500);
    loop.enqueue("b", 40);
    await clock.advance(1_000);
    expect(rounds).toEqual(["a@50", "b@70"]);
  });

  it("tries again after failures, twice as late each time up to a limit, and afresh after a success", async () => {
    let fails = true;
    const { clock, loop, rounds, errors } = start({
      retryMs: { first: 100, max: 300 },
      outcome: () => {
        if (fails) throw new Error("no");
        return "done";
      },
    });
    loop.enqueue("a");
    await clock.advance(0);
    await nextTurn();
    await clock.advance(800);
    expect(rounds).toEqual(["a@0", "a@100", "a@300", "a@600"]);
    expect(errors).toEqual(Array(4).fill("a: no"));
    fails = false;
    await clock.advance(10_000);
    expect(rounds.slice(4)).toEqual(["a@900"]);
    fails = true;
    loop.enqueue("a");
    await nextTurn();
    await clock.advance(100);
    expect(rounds.slice(5)).toEqual(["a@10800", "a@10900"]);
  });

  it("runs again when a round says so, without an error", async () => {
    const outcomes: Outcome[] = ["retry", { againInMs: 7 }, "done"];
    const { clock, loop, rounds, errors } = start({
      retryMs: { first: 100, max: 300 },
      outcome: () => outcomes.shift()!,
    });
    await loop.settle();
    await clock.advance(1_000);
    expect(rounds).toEqual(["@0", "@100", "@107"]);
    expect(errors).toEqual([]);
  });

  it("runs every so often, also after a failure, and keeps the period when somebody asks in between", async () => {
    let failures = 1;
    const { clock, loop, rounds } = start({
      everyMs: 100,
      outcome: () => {
        if (failures-- > 0) throw new Error("no");
        return "done";
      },
    });
    loop.enqueue("", 100);
    await clock.advance(250);
    loop.enqueue();
    await nextTurn();
    await clock.advance(150);
    expect(rounds).toEqual(["@100", "@200", "@250", "@350"]);
  });

  it("runs again for a key that was asked for during its round, never twice at once", async () => {
    const { begun, reconcile, end } = gated();
    const { loop } = start({ reconcile, maxAtOnce: 2 });
    loop.enqueue("a");
    await nextTurn();
    loop.enqueue("a");
    loop.enqueue("a");
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

  it("runs for no more keys at once than it may, in the order in which they came", async () => {
    const { begun, reconcile, end } = gated();
    const { loop } = start({ reconcile, maxAtOnce: 2 });
    for (const key of ["a", "b", "c", "d"]) loop.enqueue(key);
    await nextTurn();
    expect(begun).toEqual(["a", "b"]);
    end("b");
    await nextTurn();
    expect(begun).toEqual(["a", "b", "c"]);
  });

  it("settles at once, beside the queue, with a round that began after the call; all who wait share it", async () => {
    const { begun, reconcile, end } = gated();
    const { loop } = start({ reconcile });
    loop.enqueue("long");
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

  it("settles without an error when the round fails", async () => {
    const { loop, errors } = start({ reconcile: () => Promise.reject(new Error("no")) });
    await loop.settle("a");
    expect(errors).toEqual(["a: no"]);
  });

  it("is idle when nothing is left that was asked for, whatever waits for a retry or a period", async () => {
    const { clock, loop } = start({ settleMs: 50, everyMs: 100 });
    loop.enqueue("a");
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
    const { clock, loop, rounds } = start({ settleMs: 50 });
    loop.enqueue("a");
    loop.forget("a");
    await loop.idle();
    await clock.advance(1_000);
    expect(rounds).toEqual([]);
  });

  it("begins nothing after it was closed, tells what runs, and hears of no error any more", async () => {
    const signals: AbortSignal[] = [];
    let fail: () => void = () => undefined;
    const { clock, loop, errors } = start({
      reconcile: (_, signal) => {
        signals.push(signal);
        return new Promise((_, reject) => {
          fail = () => reject(new Error("late"));
        });
      },
    });
    loop.enqueue("a");
    await nextTurn();
    loop.enqueue("b", 50);
    loop.enqueue("a");
    loop.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    fail();
    loop.enqueue("c");
    await loop.settle("d");
    await loop.idle();
    await clock.advance(100_000);
    expect([signals.length, errors, clock.waiting]).toEqual([1, [], 0]);
  });
});
