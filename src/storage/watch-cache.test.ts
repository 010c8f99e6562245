import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { StorageError } from "./storage-error.ts";
import {
  keyOf,
  LosableEngine,
  PREFIX,
  RememberingSink,
  readItem,
  stored,
  textOf,
  until,
} from "./watch-cache/cache.testing.ts";
import { type CacheItem, WatchCache, type WatchCacheOptions, type WatchOptions } from "./watch-cache.ts";

let engine: LosableEngine;
let clock: FakeClock;
let caches: WatchCache[];

beforeEach(() => {
  engine = new LosableEngine();
  clock = new FakeClock();
  caches = [];
});

afterEach(async () => {
  for (const cache of caches) await cache.close();
  await engine.close();
});

function newCache(options: Partial<WatchCacheOptions> = {}): WatchCache {
  const cache = new WatchCache({ engine, prefix: PREFIX, readItem, clock, pause: async () => {}, ...options });
  caches.push(cache);
  return cache;
}

async function readyCache(options: Partial<WatchCacheOptions> = {}): Promise<WatchCache> {
  const cache = newCache(options);
  await cache.ready();
  return cache;
}

function follow(cache: WatchCache, after: number, options: Partial<WatchOptions> = {}): RememberingSink {
  const sink = new RememberingSink();
  sink.watch = cache.watch({ scope: PREFIX, after, sink, ...options });
  return sink;
}

const create = (name: string, labels: Record<string, string> = {}) => engine.create(keyOf(name), stored(labels));

async function update(name: string, labels: Record<string, string> = {}, data = 1): Promise<number> {
  const entry = await engine.get(keyOf(name));
  return engine.update(keyOf(name), stored(labels, data), entry?.revision ?? 0);
}

async function remove(name: string): Promise<number> {
  const entry = await engine.get(keyOf(name));
  return engine.delete(keyOf(name), entry?.revision ?? 0);
}

const names = (items: readonly CacheItem[] | undefined): string[] | undefined =>
  items?.map((item) => `${item.key.slice(PREFIX.length)}@${item.revision}`);

const isRed = (item: CacheItem): boolean => item.labels?.["color"] === "red";

describe("WatchCache: loading", () => {
  it("shows what was stored before it was first used", async () => {
    const revision = await create("a/x");
    const cache = await readyCache();
    expect(cache.revision).toBe(revision);
    expect(textOf(cache.get(keyOf("a/x")) as CacheItem)).toBe(`{"labels":{},"data":0,"revision":${revision}}`);
  });

  it("loads once for all who wait, in pages of one snapshot", async () => {
    for (let index = 0; index < 1200; index++) await create(`a/${index}`);
    const cache = newCache();
    const loading = Promise.all([cache.ready(), cache.ready()]);
    await until(() => engine.pageSizes.length === 1);
    await create("a/late");
    await loading;
    expect(engine.pageSizes).toEqual([500, 500, 200]);
    expect(cache.count(PREFIX)).toBe(1201);
  });

  it("fails as the engine does, and loads when asked again", async () => {
    engine.down = new StorageError("Unavailable", "down");
    const cache = newCache();
    await expect(cache.ready()).rejects.toMatchObject({ code: "Unavailable" });
    expect(() => cache.get(keyOf("a/x"))).toThrow(StorageError);
    engine.down = undefined;
    await cache.ready();
    expect(cache.get(keyOf("a/x"))).toBeUndefined();
  });

  it("stops waiting when the signal aborts, and still loads for others", async () => {
    const cache = newCache();
    const abort = new AbortController();
    const waiting = cache.ready(abort.signal);
    abort.abort(new Error("gone away"));
    await expect(waiting).rejects.toThrow("gone away");
    await cache.ready();
  });

  it("keeps an object that cannot be decoded, marked as corrupt", async () => {
    await engine.create(keyOf("a/bad"), Buffer.from("{"));
    const cache = await readyCache();
    expect(cache.get(keyOf("a/bad"))?.corrupt).toBeInstanceOf(SyntaxError);
    expect(textOf(cache.get(keyOf("a/bad")) as CacheItem)).toBe("{");
  });
});

describe("WatchCache: reading", () => {
  it("shows a write as soon as the writer has its answer", async () => {
    const cache = await readyCache();
    const created = await create("a/x");
    expect(cache.get(keyOf("a/x"))?.revision).toBe(created);
    expect(cache.revision).toBe(created);
    await remove("a/x");
    expect(cache.list({ scope: PREFIX })?.items).toEqual([]);
  });

  it("gives the writer's attachment to readItem", async () => {
    const attachments: unknown[] = [];
    await readyCache({
      readItem: (key, value, revision, attachment) => {
        attachments.push(attachment);
        return readItem(key, value, revision);
      },
    });
    await engine.create(keyOf("a/x"), stored({}), { attachment: "decoded" });
    expect(attachments).toEqual(["decoded"]);
  });

  it("lists a namespace, one object, pages and matches", async () => {
    for (const name of ["a/x", "a/y", "ab/z", "b/x"]) await create(name, { color: name === "a/y" ? "blue" : "red" });
    const cache = await readyCache();
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

  it("lists exactly at an older revision, while it is retained", async () => {
    const cache = await readyCache({ snapshotRetentionMs: 75_000 });
    const first = await create("a/x");
    const second = await create("a/y");
    await update("a/x");
    await remove("a/y");
    const at = (revision: number) => names(cache.list({ scope: PREFIX, revision })?.items);
    expect(at(first)).toEqual([`a/x@${first}`]);
    expect(at(second)).toEqual([`a/x@${first}`, `a/y@${second}`]);
    clock.advance(75_001);
    expect(at(second)).toBeUndefined();
    expect(at(cache.revision)).toEqual(["a/x@4"]);
    expect(at(cache.revision + 1)).toBeUndefined();
  });

  it("serves the revision of an unchanged resource however old it is", async () => {
    const cache = await readyCache();
    const revision = await create("a/x");
    clock.advance(3_600_000);
    await engine.create("/registry/pods/p", stored({}));
    await cache.waitUntil(await engine.currentRevision(), 1_000);
    expect(names(cache.list({ scope: PREFIX, revision })?.items)).toEqual([`a/x@${revision}`]);
  });

  it("rebuilds any of a thousand revisions", async () => {
    const cache = await readyCache();
    const expected: [number, number][] = [];
    for (let index = 0; index < 1_000; index++) {
      const revision = index % 3 === 2 ? await remove(`a/${index - 1}`) : await create(`a/${index}`);
      expected.push([revision, cache.count(PREFIX)]);
    }
    for (const [revision, count] of expected) {
      expect(cache.list({ scope: PREFIX, revision })?.items.length).toBe(count);
    }
    expect(cache.stats().snapshotCount).toBeLessThan(50);
  });

  it("leaves a snapshot as it was while changes go on", async () => {
    await create("a/x");
    const cache = await readyCache();
    const snapshot = cache.snapshot();
    await create("a/y");
    await update("a/x");
    expect(names(snapshot?.list({ scope: PREFIX }).items)).toEqual(["a/x@2"]);
    expect(snapshot?.revision).toBe(2);
  });

  it("counts objects and their bytes", async () => {
    const cache = await readyCache();
    await create("a/x");
    await create("b/x");
    await update("a/x", { long: "label" });
    const sizeBytes = (["a/x", "b/x"] as const).reduce((sum, n) => sum + (cache.get(keyOf(n))?.bytes.length ?? 0), 0);
    expect(cache.stats()).toMatchObject({ objectCount: 2, sizeBytes, windowChanges: 3, watcherCount: 0 });
    expect(cache.count(keyOf("a/"))).toBe(1);
    await remove("a/x");
    await remove("b/x");
    expect(cache.stats()).toMatchObject({ objectCount: 0, sizeBytes: 0 });
  });
});

describe("WatchCache: waiting for a revision", () => {
  it("reaches a revision that a change of another resource made", async () => {
    const cache = await readyCache();
    const revision = await engine.create("/registry/pods/p", stored({}));
    expect(cache.revision).toBeLessThan(revision);
    expect(await cache.waitUntil(revision, 10_000)).toBe(true);
    expect(cache.revision).toBe(revision);
  });

  it("gives up after the timeout, at an abort, and when it closes", async () => {
    const cache = await readyCache();
    expect(await cache.waitUntil(1_000, 1)).toBe(false);
    await expect(cache.waitUntil(1_000, 60_000, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    const waiting = cache.waitUntil(1_000, 60_000);
    await cache.close();
    expect(await waiting).toBe(false);
  });
});

describe("WatchCache: watching", () => {
  it("hands changes to the sink before the writer has its answer", async () => {
    const cache = await readyCache();
    const sink = follow(cache, cache.revision);
    await create("a/x");
    await update("a/x");
    await remove("a/x");
    expect(sink.seen).toEqual(["ADDED a/x@2", "MODIFIED a/x@3", "DELETED a/x@4"]);
    expect(textOf(sink.events[2]?.item as CacheItem)).toBe('{"labels":{},"data":1,"revision":4}');
  });

  it("touches only watchers whose scope holds the object", async () => {
    const cache = await readyCache();
    const sinks = [PREFIX, keyOf("a/"), keyOf("a/x"), keyOf("b/"), keyOf("a/xy")].map((scope) =>
      follow(cache, cache.revision, { scope }),
    );
    await create("a/x");
    expect(sinks.map((sink) => sink.seen.length)).toEqual([1, 1, 1, 0, 0]);
  });

  it("turns selector transitions into ADDED and DELETED", async () => {
    const cache = await readyCache();
    const sink = follow(cache, cache.revision, { matches: isRed, selectorKey: "color=red" });
    await create("a/x", { color: "blue" });
    await update("a/x", { color: "red" });
    await update("a/x", { color: "red" }, 2);
    await update("a/x", { color: "blue" });
    await update("a/x", { color: "red" });
    await remove("a/x");
    expect(sink.seen).toEqual(["ADDED a/x@3", "MODIFIED a/x@4", "DELETED a/x@5", "ADDED a/x@6", "DELETED a/x@7"]);
    // Who loses sight of an object is shown the state it last saw, at the revision of the change.
    const left = sink.events[2]?.shownAs("DELETED");
    expect(left && textOf(left)).toBe('{"labels":{"color":"red"},"data":2,"revision":5}');
  });

  it("evaluates a selector once per change for all watchers that share it", async () => {
    const cache = await readyCache();
    let evaluations = 0;
    const matches = (item: CacheItem): boolean => {
      evaluations += 1;
      return isRed(item);
    };
    for (let index = 0; index < 50; index++) follow(cache, cache.revision, { matches, selectorKey: "color=red" });
    await create("a/x", { color: "red" });
    expect(evaluations).toBe(1);
  });

  it("does not try watchers that require another field value", async () => {
    const cache = await readyCache();
    const tried: string[] = [];
    const sinks = ["red", "blue", "green"].map((value) =>
      follow(cache, cache.revision, {
        requires: { field: "color", value },
        selectorKey: value,
        matches: (item) => {
          tried.push(value);
          return item.fields["color"] === value;
        },
      }),
    );
    await create("a/x", { color: "red" });
    await update("a/x", { color: "blue" });
    await create("a/y");
    expect(sinks.map((sink) => sink.seen)).toEqual([["ADDED a/x@2", "DELETED a/x@3"], ["ADDED a/x@3"], []]);
    expect(tried).not.toContain("green");
    for (const sink of sinks) sink.watch?.close();
    await create("a/z", { color: "red" });
    expect(sinks[0]?.seen.length).toBe(2);
  });

  it("encodes a frame once per representation and type", async () => {
    const cache = await readyCache();
    let encoded = 0;
    const encode = (): Uint8Array => {
      encoded += 1;
      return Buffer.from("frame");
    };
    for (let index = 0; index < 10; index++) {
      follow(cache, cache.revision).onEvent = (event) => {
        event.frame("json", "ADDED", encode);
        event.frame("cbor", "ADDED", encode);
      };
    }
    await create("a/x");
    expect(encoded).toBe(2);
  });

  it("forgets the oldest frames beyond its budget", async () => {
    const cache = await readyCache({ maxFrameBytes: 250 });
    let encoded = 0;
    const encode = (): Uint8Array => {
      encoded += 1;
      return Buffer.alloc(100);
    };
    const sink = follow(cache, cache.revision);
    for (const name of ["a", "b", "c"]) await create(`n/${name}`);
    const frameOf = (index: number) => sink.events[index]?.frame("json", "ADDED", encode);
    for (const index of [0, 1, 2]) frameOf(index);
    expect(cache.stats().frameBytes).toBe(200);
    frameOf(2);
    expect(encoded).toBe(3);
    frameOf(0);
    expect(encoded).toBe(4);
  });

  it("delivers nothing after close, also when a sink closes watches during delivery", async () => {
    const cache = await readyCache();
    const first = follow(cache, cache.revision);
    const second = follow(cache, cache.revision);
    const third = follow(cache, cache.revision);
    first.onEvent = () => {
      first.watch?.close();
      second.watch?.close();
      follow(cache, cache.revision);
    };
    await create("a/x");
    await create("a/y");
    expect([first, second, third].map((sink) => sink.seen.length)).toEqual([1, 0, 2]);
    expect(cache.stats().watcherCount).toBe(2);
  });

  it("ends a watch whose sink or selector throws, and no other", async () => {
    const cache = await readyCache();
    const bad = follow(cache, cache.revision);
    bad.onEvent = () => {
      throw new Error("broken pipe");
    };
    const badSelector = follow(cache, cache.revision, {
      matches: () => {
        throw new Error("no such label");
      },
    });
    const good = follow(cache, cache.revision);
    await create("a/x");
    await create("a/y");
    expect(good.seen.length).toBe(2);
    expect(bad.seen.length).toBe(1);
    expect([bad.endedWith, badSelector.endedWith]).toMatchObject([{ code: "Unavailable" }, { code: "Unavailable" }]);
  });

  it("keeps the order for everyone when a sink writes", async () => {
    const cache = await readyCache();
    const writer = follow(cache, cache.revision);
    const other = follow(cache, cache.revision);
    writer.onEvent = (event) => {
      if (event.revision < 5) void create(`a/${event.revision}`);
    };
    await create("a/x");
    expect(other.seen).toEqual(["ADDED a/x@2", "ADDED a/2@3", "ADDED a/3@4", "ADDED a/4@5"]);
  });

  it("starts after a revision that is still to come without showing what comes before it", async () => {
    const cache = await readyCache();
    const sink = follow(cache, 3);
    for (const name of ["a/2", "a/3", "a/4"]) await create(name);
    expect(sink.seen).toEqual(["ADDED a/4@4"]);
  });

  it("says up to which revision the sink has been given everything", async () => {
    const cache = await readyCache();
    const sink = follow(cache, cache.revision);
    const revision = await engine.create("/registry/pods/p", stored({}));
    await cache.waitUntil(revision, 10_000);
    expect(sink.watch?.revision).toBe(revision);
  });

  it("refuses scopes of other resources", async () => {
    const cache = await readyCache();
    expect(() => follow(cache, 1, { scope: "/registry/pods/" })).toThrow("not a scope");
  });
});

describe("WatchCache: resuming", () => {
  it("replays from its window without asking the engine", async () => {
    const cache = await readyCache();
    for (const name of ["a/2", "b/3", "a/4"]) await create(name);
    const sink = follow(cache, 2);
    const scoped = follow(cache, 1, { scope: keyOf("a/") });
    expect(sink.seen).toEqual([]);
    await until(() => sink.seen.length === 2 && scoped.seen.length === 2);
    await create("a/5");
    await until(() => sink.watch?.revision === 5 && scoped.watch?.revision === 5);
    expect(sink.seen).toEqual(["ADDED b/3@3", "ADDED a/4@4", "ADDED a/5@5"]);
    expect(scoped.seen).toEqual(["ADDED a/2@2", "ADDED a/4@4", "ADDED a/5@5"]);
    expect(engine.watchedAfter).toEqual([1]);
  });

  it("replays from the engine's history what its window no longer holds", async () => {
    const cache = await readyCache({ windowLimits: { maxChanges: 2 } });
    await create("a/x", { color: "red" });
    await update("a/x", { color: "blue" });
    await remove("a/x");
    for (const name of ["a/5", "a/6", "a/7"]) await create(name);
    const sink = follow(cache, 1);
    const red = follow(cache, 1, { matches: isRed });
    await create("a/8");
    await until(() => sink.watch?.revision === 8 && red.watch?.revision === 8);
    expect(sink.seen.slice(0, 4)).toEqual(["ADDED a/x@2", "MODIFIED a/x@3", "DELETED a/x@4", "ADDED a/5@5"]);
    expect(sink.seen.length).toBe(7);
    expect(red.seen).toEqual(["ADDED a/x@2", "DELETED a/x@3"]);
    // One stretch of history serves both.
    expect(engine.watchedAfter).toEqual([1, 1]);
    await create("a/9");
    await until(() => sink.watch?.revision === 9);
    expect(sink.seen.slice(4)).toEqual(["ADDED a/6@6", "ADDED a/7@7", "ADDED a/8@8", "ADDED a/9@9"]);
  });

  it("replays what happened before it was loaded", async () => {
    for (const name of ["a/2", "a/3", "a/4"]) await create(name);
    const cache = await readyCache();
    const sink = follow(cache, 2);
    await until(() => sink.watch?.revision === 4);
    expect(sink.seen).toEqual(["ADDED a/3@3", "ADDED a/4@4"]);
  });

  it("ends with RevisionGone when the engine has compacted what was missed", async () => {
    for (const name of ["a/2", "a/3", "a/4"]) await create(name);
    await engine.compact(3);
    const cache = await readyCache();
    const [gone, held] = [follow(cache, 2), follow(cache, 3)];
    await until(() => gone.endedWith !== undefined && held.watch?.revision === 4);
    expect(gone.endedWith).toMatchObject({ code: "RevisionGone" });
    expect(held.seen).toEqual(["ADDED a/4@4"]);
    expect(cache.stats().watcherCount).toBe(1);
  });

  it("forgets what is compacted when told", async () => {
    const cache = await readyCache();
    for (const name of ["a/2", "a/3", "a/4"]) await create(name);
    await engine.compact(3);
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
    const cache = await readyCache({ windowLimits });
    for (let index = 0; index < 100; index++) await create(`a/${index}`);
    const { windowChanges, windowBytes } = cache.stats();
    expect(windowChanges).toBeGreaterThan(0);
    expect(windowChanges).toBeLessThanOrEqual(11);
    expect(windowBytes).toBeLessThanOrEqual(400);
  });

  it("bounds its window by age", async () => {
    const cache = await readyCache({ windowLimits: { maxAgeMs: 60_000 } });
    await create("a/x");
    clock.advance(60_001);
    expect(cache.stats().windowChanges).toBe(0);
  });

  it("waits for a slow sink while it replays, holding nothing for it", async () => {
    const cache = await readyCache();
    for (let index = 0; index < 1_000; index++) await create(`a/${index}`);
    let letGo: (() => void) | undefined;
    const sink = Object.assign(new RememberingSink(), {
      drained: () =>
        new Promise<void>((resolve) => {
          letGo = resolve;
        }),
    });
    const watch = cache.watch({ scope: PREFIX, after: 1, sink });
    const batches: number[] = [];
    while (watch.revision < 1_001) {
      await until(() => letGo !== undefined);
      batches.push(sink.seen.length);
      const go = letGo;
      letGo = undefined;
      go?.();
      await until(() => letGo !== undefined || watch.revision === 1_001);
    }
    expect(batches).toEqual([256, 512, 768]);
    expect(sink.seen.length).toBe(1_000);
  });

  it("stops a replay when its watch is closed", async () => {
    const cache = await readyCache();
    for (let index = 0; index < 1_000; index++) await create(`a/${index}`);
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

describe("WatchCache: a lost engine", () => {
  it("goes on where it was when the engine comes back, and watchers notice nothing", async () => {
    const cache = await readyCache();
    const sink = follow(cache, cache.revision);
    await create("a/2");
    engine.breakWatches(new StorageError("Unavailable", "connection lost"));
    await create("a/3");
    expect(sink.seen).toEqual(["ADDED a/2@2"]);
    await until(() => cache.revision === 3);
    expect(sink.seen).toEqual(["ADDED a/2@2", "ADDED a/3@3"]);
    expect(sink.endedWith).toBeUndefined();
    expect(engine.watchedAfter).toEqual([1, 2]);
  });

  it("pauses longer and longer while the engine stays away, and keeps serving what it has", async () => {
    const pauses: number[] = [];
    let returned: (() => void) | undefined;
    const cache = await readyCache({
      pause: async (ms) => {
        pauses.push(ms);
        if (pauses.length === 9) await new Promise<void>((resolve) => (returned = resolve));
      },
    });
    await create("a/2");
    engine.down = new StorageError("Unavailable", "down");
    engine.breakWatches(engine.down);
    await until(() => returned !== undefined);
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    expect(names(cache.list({ scope: PREFIX })?.items)).toEqual(["a/2@2"]);
    await cache.ready();
    engine.down = undefined;
    returned?.();
    await create("a/3");
    await until(() => cache.revision === 3);
  });

  it("lists again when changes are lost, and ends watches rather than show them a gap", async () => {
    const logged: string[] = [];
    let resume: (() => void) | undefined;
    const cache = await readyCache({
      log: (message) => logged.push(message),
      pause: () => new Promise((resolve) => (resume = resolve)),
    });
    await create("a/2");
    const live = follow(cache, cache.revision);
    engine.breakWatches(new StorageError("Unavailable", "connection lost"));
    await create("a/3");
    await remove("a/2");
    await engine.compact(await engine.currentRevision());
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
    await create("a/5");
    expect(again.seen).toEqual(["ADDED a/5@5"]);
  });

  it("treats an error that is no storage error as an outage", async () => {
    const cache = await readyCache();
    engine.breakWatches(new TypeError("a bug"));
    await create("a/2");
    await until(() => cache.revision === 2);
  });

  it("ends watches when the engine is closed for good", async () => {
    const cache = await readyCache();
    const sink = follow(cache, cache.revision);
    await engine.close();
    await until(() => sink.endedWith !== undefined);
    expect(sink.endedWith).toMatchObject({ code: "Closed" });
  });
});

describe("WatchCache: closing", () => {
  it("ends its watches, live and replaying, and refuses further use", async () => {
    const cache = await readyCache();
    await create("a/x");
    const [live, replaying] = [follow(cache, cache.revision), follow(cache, 1)];
    await cache.close();
    expect([live.endedWith, replaying.endedWith]).toEqual(["closed", "closed"]);
    expect(() => cache.list({ scope: PREFIX })).toThrow(StorageError);
    await expect(cache.ready()).rejects.toMatchObject({ code: "Closed" });
    await create("a/y");
    expect([...live.seen, ...replaying.seen]).toEqual([]);
  });

  it("stops a load in progress", async () => {
    for (let index = 0; index < 1_200; index++) await create(`a/${index}`);
    const cache = newCache();
    const loading = cache.ready();
    await until(() => engine.pageSizes.length === 1);
    await Promise.all([expect(loading).rejects.toMatchObject({ code: "Closed" }), cache.close()]);
  });
});
