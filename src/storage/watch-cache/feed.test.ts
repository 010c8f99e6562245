import { describe, expect, it } from "vitest";
import { StorageError } from "../storage-error.ts";
import { follow, names, PREFIX, until, useFixture } from "./cache.testing.ts";

const t = useFixture();

describe("WatchCache: a lost engine", () => {
  it("goes on where it was when the engine comes back, and watchers notice nothing", async () => {
    const cache = await t.readyCache();
    const sink = follow(cache, cache.revision);
    await t.create("a/2");
    t.engine.breakWatches(new StorageError("Unavailable", "connection lost"));
    await t.create("a/3");
    expect(sink.seen).toEqual(["ADDED a/2@2"]);
    await until(() => cache.revision === 3);
    expect(sink.seen).toEqual(["ADDED a/2@2", "ADDED a/3@3"]);
    expect(sink.endedWith).toBeUndefined();
    expect(t.engine.watchedAfter).toEqual([1, 2]);
  });

  it("lists again when a change could not be taken in, instead of going on without it", async () => {
    const cache = await t.readyCache({
      rereadAt: () => {
        throw new Error("a bug");
      },
    });
    await t.create("a/2");
    await t.remove("a/2");
    await t.create("a/4");
    await until(() => names(cache.list({ scope: PREFIX })?.items)?.join() === "a/4@4");
  });

  it("pauses longer and longer while the engine stays away, and keeps serving what it has", async () => {
    const pauses: number[] = [];
    let returned: (() => void) | undefined;
    const cache = await t.readyCache({
      pause: async (ms) => {
        pauses.push(ms);
        if (pauses.length === 9) await new Promise<void>((resolve) => (returned = resolve));
      },
    });
    await t.create("a/2");
    t.engine.down = new StorageError("Unavailable", "down");
    t.engine.breakWatches(t.engine.down);
    await until(() => returned !== undefined);
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    expect(names(cache.list({ scope: PREFIX })?.items)).toEqual(["a/2@2"]);
    await cache.ready();
    t.engine.down = undefined;
    returned?.();
    await t.create("a/3");
    await until(() => cache.revision === 3);
  });

  it("lists again when changes are lost, and ends watches rather than show them a gap", async () => {
    const logged: string[] = [];
    let resume: (() => void) | undefined;
    const cache = await t.readyCache({
      log: (message) => logged.push(message),
      pause: () => new Promise((resolve) => (resume = resolve)),
    });
    await t.create("a/2");
    const live = follow(cache, cache.revision);
    t.engine.breakWatches(new StorageError("Unavailable", "connection lost"));
    await t.create("a/3");
    await t.remove("a/2");
    await t.engine.compact(await t.engine.currentRevision());
    await until(() => {
      resume?.();
      return live.endedWith !== undefined;
    });
    expect(live.endedWith).toMatchObject({ code: "RevisionGone" });
    expect(live.seen).toEqual([]);
    expect(names(cache.list({ scope: PREFIX })?.items)).toEqual(["a/3@3"]);
    expect(cache.list({ scope: PREFIX, revision: 2 })).toBeUndefined();
    expect(logged.length).toBe(2);

    const again = follow(cache, cache.revision);
    await t.create("a/5");
    expect(again.seen).toEqual(["ADDED a/5@5"]);
  });

  it("treats an error that is no storage error as an outage", async () => {
    const cache = await t.readyCache();
    t.engine.breakWatches(new TypeError("a bug"));
    await t.create("a/2");
    await until(() => cache.revision === 2);
  });

  it("ends watches when the engine is closed for good", async () => {
    const cache = await t.readyCache();
    const sink = follow(cache, cache.revision);
    await t.engine.close();
    await until(() => sink.endedWith !== undefined);
    expect(sink.endedWith).toMatchObject({ code: "Closed" });
  });
});
