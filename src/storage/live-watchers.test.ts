import { describe, expect, it } from "vitest";
import { bytes, follow } from "./contract/follow.testing.ts";
import { MemoryEngine } from "./memory-engine.ts";

describe("live watchers", () => {
  it("end a watch whose sink throws, with its error, and disturb neither writer nor other watchers", async () => {
    const engine = new MemoryEngine();
    const start = await engine.currentRevision();
    const healthy = follow(engine, "/", start);
    const sink = {
      change: () => {
        throw new Error("the sink is broken");
      },
    };
    const broken = engine.watch("/", start, sink, new AbortController().signal);
    const failed = expect(broken).rejects.toThrow("the sink is broken");
    const first = await engine.create("/a", bytes("1"));
    await failed;
    await engine.update("/a", bytes("2"), first);
    await healthy.count(2);
    await healthy.stop();
    await engine.close();
  });

  it("give progress that was asked for during a long replay as soon as it has caught up", async () => {
    const engine = new MemoryEngine();
    const start = await engine.currentRevision();
    let last = start;
    for (let index = 0; index < 3_500; index++) last = await engine.create(`/k/${index}`, bytes("1"));
    const watch = follow(engine, "/k/", start);
    await engine.requestProgress();
    expect(watch.changes.length).toBeLessThan(3_500);
    await watch.progressTo(last);
    expect(watch.changes.length).toBe(3_500);
    await watch.stop();
    await engine.close();
  });

  it("give a watch that starts inside another's sink every later change once", async () => {
    const engine = new MemoryEngine();
    const start = await engine.currentRevision();
    const nested: Array<ReturnType<typeof follow>> = [];
    const stop = new AbortController();
    const sink = { change: () => void nested.push(follow(engine, "/", start)) };
    const watching = engine.watch("/", start, sink, stop.signal);
    const first = await engine.create("/a", bytes("1"));
    const second = await engine.update("/a", bytes("2"), first);
    const revisions = nested.map((watch) => watch.changes.map((change) => change.revision));
    expect(revisions).toEqual([
      [first, second],
      [first, second],
    ]);
    stop.abort();
    await watching;
    for (const watch of nested) await watch.stop();
    await engine.close();
  });
});
