import { describe, expect, it } from "vitest";
import { asSlowWork } from "../base/steps.testing.ts";
import { StorageError } from "./storage-error.ts";
import {
  follow,
  isRed,
  keyOf,
  names,
  PREFIX,
  readItem,
  stored,
  textOf,
  until,
  useFixture,
} from "./watch-cache/cache.testing.ts";
import type { CacheItem, WatchCache } from "./watch-cache.ts";

const t = useFixture();

describe("WatchCache: loading", () => {
  it("shows what was stored before it was first used", async () => {
    const revision = await t.create("a/x");
    const cache = await t.readyCache();
    expect(cache.revision).toBe(revision);
    expect(textOf(cache.get(keyOf("a/x")) as CacheItem)).toBe(`{"labels":{},"data":0,"revision":${revision}}`);
  });

  it("loads once for all who wait, in pages of one snapshot", async () => {
    for (let index = 0; index < 1200; index++) await t.create(`a/${index}`);
    const cache = t.newCache();
    const loading = Promise.all([cache.ready(), cache.ready()]);
    await until(() => t.engine.pageSizes.length === 1);
    await t.create("a/late");
    await loading;
    expect(t.engine.pageSizes).toEqual([500, 500, 200]);
    expect(cache.stats().objectCount).toBe(1201);
  });

  it("fails as the engine does, and loads when asked again", async () => {
    t.engine.down = new StorageError("Unavailable", "down");
    const cache = t.newCache();
    await expect(cache.ready()).rejects.toMatchObject({ code: "Unavailable" });
    expect(() => cache.get(keyOf("a/x"))).toThrow(StorageError);
    t.engine.down = undefined;
    await cache.ready();
    expect(cache.get(keyOf("a/x"))).toBeUndefined();
  });

  it("stops waiting when the signal aborts, and still loads for others", async () => {
    const cache = t.newCache();
    const abort = new AbortController();
    const waiting = cache.ready(abort.signal);
    abort.abort(new Error("gone away"));
    await expect(waiting).rejects.toThrow("gone away");
    await cache.ready();
  });

  it("keeps an object that cannot be decoded, marked as corrupt", async () => {
    await t.engine.create(keyOf("a/bad"), Buffer.from("{"));
    const cache = await t.readyCache();
    expect(cache.get(keyOf("a/bad"))?.corrupt).toBeInstanceOf(SyntaxError);
    expect(textOf(cache.get(keyOf("a/bad")) as CacheItem)).toBe("{");
  });
});

describe("WatchCache: reading", () => {
  it("shows a write as soon as the writer has its answer", async () => {
    const cache = await t.readyCache();
    const created = await t.create("a/x");
    expect(cache.get(keyOf("a/x"))?.revision).toBe(created);
    expect(cache.revision).toBe(created);
    await t.remove("a/x");
    expect(cache.list({ scope: PREFIX })?.items).toEqual([]);
  });

  it("gives the writer's attachment to readItem", async () => {
    const attachments: unknown[] = [];
    await t.readyCache({
      readItem: (key, value, revision, attachment) => {
        attachments.push(attachment);
        return readItem(key, value, revision);
      },
    });
    await t.engine.create(keyOf("a/x"), stored({}), { attachment: "decoded" });
    expect(attachments).toEqual(["decoded"]);
  });

  it("shows what takes long to read, and what came after it, when it was read", async () => {
    const cache = await t.readyCache({
      takesLong: (value) => value.length > 1_000,
      *readItemInSteps(key, value, revision) {
        for (let step = 0; step < 3; step += 1) yield;
        return readItem(key, value, revision);
      },
    });
    const sink = follow(cache, cache.revision);
    await asSlowWork(2, async () => {
      const wide = await t.engine.create(keyOf("a/wide"), stored({ color: "x".repeat(1_000) }));
      const small = await t.create("a/small");
      expect([cache.revision, sink.seen]).toEqual([wide - 1, []]);
      expect(await cache.waitUntil(small, 1_000)).toBe(true);
      expect(names(cache.list({ scope: PREFIX })?.items)).toEqual([`a/small@${small}`, `a/wide@${wide}`]);
      expect(sink.seen).toEqual([`ADDED a/wide@${wide}`, `ADDED a/small@${small}`]);
    });
  });

  it("lists a namespace, one object, pages and matches", async () => {
    for (const name of ["a/x", "a/y", "ab/z", "b/x"]) await t.create(name, { color: name === "a/y" ? "blue" : "red" });
    const cache = await t.readyCache();
    const list = (options: Partial<Parameters<WatchCache["list"]>[0]>) => {
      const page = cache.list({ scope: PREFIX, ...options });
      return [names(page?.items), page?.more, page?.remainingCount];
    };
    expect(list({})).toEqual([["a/x@2", "a/y@3", "ab/z@4", "b/x@5"], false, 0]);
    expect(list({ scope: keyOf("a/") })).toEqual([["a/x@2", "a/y@3"], false, 0]);
    expect(list({ scope: keyOf("a/y") })).toEqual([["a/y@3"], false, 0]);
    expect(list({ limit: 1 })).toEqual([["a/x@2"], true, 3]);
    expect(list({ limit: 2, after: keyOf("a/x") })).toEqual([["a/y@3", "ab/z@4"], true, 1]);
    expect(list({ scope: keyOf("a/"), limit: 2 })).toEqual([["a/x@2", "a/y@3"], false, 0]);
    expect(list({ matches: isRed, limit: 2 })).toEqual([["a/x@2", "ab/z@4"], true, undefined]);
    expect(list({ matches: isRed, limit: 3 })).toEqual([["a/x@2", "ab/z@4", "b/x@5"], false, undefined]);
  });

  it("selects by an index what a list with the same selector finds", async () => {
    for (let index = 0; index < 300; index += 1)
      await t.create(`${index % 2 === 0 ? "a" : "b"}/${index}`, { color: index % 60 < 2 ? "red" : "blue" });
    const cache = await t.readyCache();
    const requires = [{ of: "label", name: "color", values: ["red"] }] as const;
    const select = (options: Partial<Parameters<WatchCache["list"]>[0]>) =>
      cache.select({ scope: PREFIX, matches: isRed, requires, ...options });
    expect(select({})).toBeUndefined();
    for (const options of [{}, { scope: keyOf("a/") }, { after: keyOf("a/60") }]) {
      expect(select(options)).toEqual(cache.list({ scope: PREFIX, matches: isRed, ...options })?.items);
    }
    await t.update("a/60", { color: "blue" });
    await t.remove("b/61");
    expect(names(select({}))).not.toContain(expect.stringMatching(/^(?:a\/60|b\/61)@/));
    expect(select({})).toEqual(cache.list({ scope: PREFIX, matches: isRed })?.items);
    // Nearly everything is found faster by looking at everything.
    expect(select({ requires: [{ of: "label", name: "color", values: ["red", "blue"] }] })).toBeUndefined();
  });

  it("lists a snapshot in turns as it lists it at once", async () => {
    for (let index = 0; index < 30; index += 1)
      await t.create(`a/${index}`, { color: index % 7 === 0 ? "red" : "blue" });
    const cache = await t.readyCache();
    const snapshot = cache.snapshot()!;
    await t.remove("a/0");
    for (const options of [{}, { limit: 3 }, { limit: 5 }, { limit: 2, after: keyOf("a/14") }]) {
      const asked = { scope: PREFIX, matches: isRed, ...options };
      expect(await snapshot.listInTurns(asked, 4)).toEqual(snapshot.list(asked));
    }
  });

  it("lists exactly at an older revision, while it is retained", async () => {
    const cache = await t.readyCache({ snapshotRetentionMs: 75_000 });
    const first = await t.create("a/x");
    const second = await t.create("a/y");
    await t.update("a/x");
    await t.remove("a/y");
    const at = (revision: number) => names(cache.list({ scope: PREFIX, revision })?.items);
    expect(at(first)).toEqual([`a/x@${first}`]);
    expect(at(second)).toEqual([`a/x@${first}`, `a/y@${second}`]);
    await t.clock.advance(75_001);
    expect(at(second)).toBeUndefined();
    expect(at(cache.revision)).toEqual(["a/x@4"]);
    expect(at(cache.revision + 1)).toBeUndefined();
  });

  it("serves the revision of an unchanged resource however old it is", async () => {
    const cache = await t.readyCache();
    const revision = await t.create("a/x");
    await t.clock.advance(3_600_000);
    await t.engine.create("/registry/pods/p", stored({}));
    await cache.waitUntil(await t.engine.currentRevision(), 1_000);
    expect(names(cache.list({ scope: PREFIX, revision })?.items)).toEqual([`a/x@${revision}`]);
  });

  it("rebuilds any of a thousand revisions", async () => {
    const cache = await t.readyCache();
    const expected: [number, number][] = [];
    for (let index = 0; index < 1_000; index++) {
      const revision = index % 3 === 2 ? await t.remove(`a/${index - 1}`) : await t.create(`a/${index}`);
      expected.push([revision, cache.stats().objectCount]);
    }
    for (const [revision, count] of expected) {
      expect(cache.list({ scope: PREFIX, revision })?.items.length).toBe(count);
    }
    expect(cache.stats().snapshotCount).toBeLessThan(50);
  });

  it("leaves a snapshot as it was while changes go on", async () => {
    await t.create("a/x");
    const cache = await t.readyCache();
    const snapshot = cache.snapshot();
    await t.create("a/y");
    await t.update("a/x");
    expect(names(snapshot?.list({ scope: PREFIX }).items)).toEqual(["a/x@2"]);
    expect(snapshot?.revision).toBe(2);
  });

  it("counts objects and their bytes", async () => {
    const cache = await t.readyCache();
    await t.create("a/x");
    await t.create("b/x");
    await t.update("a/x", { long: "label" });
    const sizeBytes = (["a/x", "b/x"] as const).reduce((sum, n) => sum + (cache.get(keyOf(n))?.bytes.length ?? 0), 0);
    expect(cache.stats()).toMatchObject({ objectCount: 2, sizeBytes, windowChanges: 3, watcherCount: 0 });
    expect([1, 2].map((objects) => cache.hasAtLeast(keyOf("a/"), objects))).toEqual([true, false]);
    await t.remove("a/x");
    await t.remove("b/x");
    expect(cache.stats()).toMatchObject({ objectCount: 0, sizeBytes: 0 });
  });
});

describe("WatchCache: waiting for a revision", () => {
  it("reaches a revision that a change of another resource made", async () => {
    const cache = await t.readyCache();
    const revision = await t.engine.create("/registry/pods/p", stored({}));
    expect(cache.revision).toBeLessThan(revision);
    expect(await cache.waitUntil(revision, 10_000)).toBe(true);
    expect(cache.revision).toBe(revision);
  });

  it("gives up after the timeout, at an abort, and when it closes", async () => {
    const cache = await t.readyCache();
    const late = cache.waitUntil(1_000, 1);
    await t.clock.advance(1);
    expect(await late).toBe(false);
    await expect(cache.waitUntil(1_000, 60_000, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    const waiting = cache.waitUntil(1_000, 60_000);
    await cache.close();
    expect(await waiting).toBe(false);
  });
});

describe("WatchCache: closing", () => {
  it("ends its watches, live and replaying, and refuses further use", async () => {
    const cache = await t.readyCache();
    await t.create("a/x");
    const [live, replaying] = [follow(cache, cache.revision), follow(cache, 1)];
    await cache.close();
    expect([live.endedWith, replaying.endedWith]).toEqual(["closed", "closed"]);
    expect(() => cache.list({ scope: PREFIX })).toThrow(StorageError);
    await expect(cache.ready()).rejects.toMatchObject({ code: "Closed" });
    await t.create("a/y");
    expect([...live.seen, ...replaying.seen]).toEqual([]);
  });

  it("stops a load in progress", async () => {
    for (let index = 0; index < 1_200; index++) await t.create(`a/${index}`);
    const cache = t.newCache();
    const loading = cache.ready();
    await until(() => t.engine.pageSizes.length === 1);
    await Promise.all([expect(loading).rejects.toMatchObject({ code: "Closed" }), cache.close()]);
  });
});
