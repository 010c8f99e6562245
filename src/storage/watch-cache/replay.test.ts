import { describe, expect, it } from "vitest";
import { follow, isRed, keyOf, names, PREFIX, RememberingSink, until, useFixture } from "./cache.testing.ts";

const t = useFixture();

describe("WatchCache: resuming", () => {
  it("replays from its window without asking the engine", async () => {
    const cache = await t.readyCache();
    for (const name of ["a/2", "b/3", "a/4"]) await t.create(name);
    const sink = follow(cache, 2);
    const scoped = follow(cache, 1, { scope: keyOf("a/") });
    expect(sink.seen).toEqual([]);
    await until(() => sink.seen.length === 2 && scoped.seen.length === 2);
    await t.create("a/5");
    await until(() => sink.watch?.revision === 5 && scoped.watch?.revision === 5);
    expect(sink.seen).toEqual(["ADDED b/3@3", "ADDED a/4@4", "ADDED a/5@5"]);
    expect(scoped.seen).toEqual(["ADDED a/2@2", "ADDED a/4@4", "ADDED a/5@5"]);
    expect(t.engine.watchedAfter).toEqual([1]);
  });

  it("replays from the engine's history what its window no longer holds", async () => {
    const cache = await t.readyCache({ windowLimits: { maxChanges: 2 } });
    await t.create("a/x", { color: "red" });
    await t.update("a/x", { color: "blue" });
    await t.remove("a/x");
    for (const name of ["a/5", "a/6", "a/7"]) await t.create(name);
    const sink = follow(cache, 1);
    const red = follow(cache, 1, { matches: isRed });
    await t.create("a/8");
    await until(() => sink.watch?.revision === 8 && red.watch?.revision === 8);
    expect(sink.seen.slice(0, 4)).toEqual(["ADDED a/x@2", "MODIFIED a/x@3", "DELETED a/x@4", "ADDED a/5@5"]);
    expect(sink.seen.length).toBe(7);
    expect(red.seen).toEqual(["ADDED a/x@2", "DELETED a/x@3"]);
    // One stretch of history serves both.
    expect(t.engine.watchedAfter).toEqual([1, 1]);
    await t.create("a/9");
    await until(() => sink.watch?.revision === 9);
    expect(sink.seen.slice(4)).toEqual(["ADDED a/6@6", "ADDED a/7@7", "ADDED a/8@8", "ADDED a/9@9"]);
  });

  it("replays what happened before it was loaded", async () => {
    for (const name of ["a/2", "a/3", "a/4"]) await t.create(name);
    const cache = await t.readyCache();
    const sink = follow(cache, 2);
    await until(() => sink.watch?.revision === 4);
    expect(sink.seen).toEqual(["ADDED a/3@3", "ADDED a/4@4"]);
  });

  it("ends with RevisionGone when the engine has compacted what was missed", async () => {
    for (const name of ["a/2", "a/3", "a/4"]) await t.create(name);
    await t.engine.compact(3);
    const cache = await t.readyCache();
    const [gone, held] = [follow(cache, 2), follow(cache, 3)];
    await until(() => gone.endedWith !== undefined && held.watch?.revision === 4);
    expect(gone.endedWith).toMatchObject({ code: "RevisionGone" });
    expect(held.seen).toEqual(["ADDED a/4@4"]);
    expect(cache.stats().watcherCount).toBe(1);
  });

  it("forgets what is compacted when told", async () => {
    const cache = await t.readyCache();
    for (const name of ["a/2", "a/3", "a/4"]) await t.create(name);
    await t.engine.compact(3);
    cache.compact(3);
    expect(cache.list({ scope: PREFIX, revision: 2 })).toBeUndefined();
    expect(names(cache.list({ scope: PREFIX, revision: 3 })?.items)).toEqual(["a/2@2", "a/3@3"]);
    const sink = follow(cache, 2);
    await until(() => sink.endedWith !== undefined);
    expect(sink.endedWith).toMatchObject({ code: "RevisionGone" });
  });

  it.each([
    ["count", { maxChanges: 11 }],
    ["bytes", { maxBytes: 400 }],
  ])("bounds its window by %s", async (_, windowLimits) => {
    const cache = await t.readyCache({ windowLimits });
    for (let index = 0; index < 100; index++) await t.create(`a/${index}`);
    const { windowChanges, windowBytes } = cache.stats();
    expect(windowChanges).toBeGreaterThan(0);
    expect(windowChanges).toBeLessThanOrEqual(11);
    expect(windowBytes).toBeLessThanOrEqual(400);
  });

  it.each([
    ["as its lists at exact revisions need", 100_000, 100_000],
    ["and at least as watches that break need", 0, 75_000],
  ])("holds changes for as long %s, and replays older ones from the engine", async (_, snapshotRetentionMs, ageMs) => {
    const cache = await t.readyCache({ snapshotRetentionMs });
    await t.create("a/x");
    await t.clock.advance(ageMs);
    expect(cache.stats().windowChanges).toBe(1);
    await t.clock.advance(1);
    expect(cache.stats().windowChanges).toBe(0);
    const sink = follow(cache, 1);
    await until(() => sink.seen.length === 1);
  });

  it("holds changes neither longer nor shorter because the time of day was set", async () => {
    const cache = await t.readyCache({ snapshotRetentionMs: 75_000 });
    const revision = await t.create("a/x");
    await t.create("a/y");
    t.clock.setTimeOfDay(3_600_000);
    expect([cache.stats().windowChanges, cache.list({ scope: PREFIX, revision })?.items.length]).toEqual([2, 1]);
    t.clock.setTimeOfDay(-7_200_000);
    await t.clock.advance(75_001);
    expect([cache.stats().windowChanges, cache.list({ scope: PREFIX, revision })]).toEqual([0, undefined]);
  });

  it("waits for a slow sink while it replays, holding nothing for it", async () => {
    const cache = await t.readyCache();
    for (let index = 0; index < 1_000; index++) await t.create(`a/${index}`);
    let goOn: (() => void) | undefined;
    const sink = Object.assign(new RememberingSink(), {
      drained: () =>
        new Promise<void>((resolve) => {
          goOn = resolve;
        }),
    });
    const watch = cache.watch({ scope: PREFIX, after: 1, sink });
    const batches: number[] = [];
    while (watch.revision < 1_001) {
      await until(() => goOn !== undefined);
      batches.push(sink.seen.length);
      const go = goOn;
      goOn = undefined;
      go?.();
      await until(() => goOn !== undefined || watch.revision === 1_001);
    }
    expect(batches).toEqual([256, 512, 768]);
    expect(sink.seen.length).toBe(1_000);
  });

  it("stops a replay when its watch is closed", async () => {
    const cache = await t.readyCache();
    for (let index = 0; index < 1_000; index++) await t.create(`a/${index}`);
    const sink = follow(cache, 1);
    sink.onEvent = () => {
      if (sink.seen.length === 300) sink.watch?.close();
    };
    await until(() => sink.seen.length === 300);
    const other = follow(cache, 1);
    await until(() => other.seen.length === 1_000);
    expect(sink.seen.length).toBe(300);
    expect(sink.endedWith).toBeUndefined();
  });
});
