// What readers see between the moment LMDB has a commit and the moment it is published: nothing of it.

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { bytes, follow, summary, text } from "../contract/follow.testing.ts";
import type { Change } from "../engine.ts";
import { readItem, stored } from "../watch-cache/cache.testing.ts";
import { WatchCache } from "../watch-cache.ts";
import { LmdbEngine } from "./engine.ts";
import { openTables, putMetaRevision, type Tables } from "./tables.ts";
import { memoryBackedTmpdir } from "./tmpdir.testing.ts";

/** MDB_BAD_TXN. */
const GIVEN_UP = Object.assign(new Error("reserved freelist had a data entry with zero-size"), { code: -30782 });

describe("a commit that is on disk but not yet published", () => {
  let base: string;
  let tables: Tables;
  let engine: LmdbEngine;
  /** While set, commits reach the disk and then wait here. */
  let gate: Promise<void> | undefined;
  let committed: () => void = () => undefined;
  let failure: Error | undefined;
  let failuresLeft: number;

  beforeEach(async () => {
    base = await mkdtemp(join(memoryBackedTmpdir, "plinth-visibility-"));
    tables = openTables(join(base, "store.mdb"));
    gate = undefined;
    failure = undefined;
    failuresLeft = Number.POSITIVE_INFINITY;
    tables.exclusively(() => {
      putMetaRevision(tables, "revision", 1);
      putMetaRevision(tables, "compacted", 1);
    });
    const gated: Tables = {
      ...tables,
      async commit(write) {
        if (failure !== undefined && failuresLeft-- > 0) throw failure;
        await tables.commit(write);
        tables.refresh();
        committed();
        await gate;
      },
    };
    engine = new LmdbEngine({
      tables: gated,
      lock: { release: async () => undefined },
      identity: "test",
      clock: systemClock,
      sweepIntervalMs: 1_000,
    });
  });
  afterEach(async () => {
    await engine.close();
    await rm(base, { recursive: true, force: true });
  });

  /** Begins writes and holds them just before they are published. */
  async function hold(begin: () => Promise<unknown>): Promise<() => Promise<unknown>> {
    let open: () => void = () => undefined;
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      committed = resolve;
    });
    const written = begin();
    await reached;
    return () => {
      open();
      return written;
    };
  }

  it("is shown by no get, list, count, history or watch", async () => {
    const kept = await engine.create("/k/kept", bytes("old"));
    const doomed = await engine.create("/k/doomed", bytes("old"));
    const before = await engine.currentRevision();
    expect(await engine.count("/k/")).toBe(2);
    const watch = follow(engine, "/k/", before);

    const release = await hold(() =>
      Promise.all([
        engine.update("/k/kept", bytes("new"), kept),
        engine.delete("/k/doomed", doomed),
        engine.create("/k/fresh", bytes("new")),
      ]),
    );
    const late = follow(engine, "/k/", kept);
    expect(await engine.currentRevision()).toBe(before);
    expect(text((await engine.get("/k/kept"))?.value)).toBe("old");
    expect(text((await engine.get("/k/doomed"))?.value)).toBe("old");
    expect(await engine.get("/k/fresh")).toBeUndefined();
    const page = await engine.list("/k/");
    expect(page.revision).toBe(before);
    expect(page.entries.map((entry) => `${entry.key}=${text(entry.value)}`)).toEqual(["/k/doomed=old", "/k/kept=old"]);
    expect(await engine.list("/k/", { limit: 1 })).toMatchObject({ revision: before, remainingCount: 1 });
    expect(await engine.count("/k/")).toBe(2);
    expect(await engine.count("/k")).toBe(2);
    await expect(engine.get("/k/kept", before + 1)).rejects.toMatchObject({ code: "RevisionInFuture" });
    expect(late.changes.map(summary)).toEqual([`${doomed} put /k/doomed=old`]);
    expect(watch.changes).toEqual([]);

    await release();
    expect(watch.changes.map((change) => change.revision)).toEqual([before + 1, before + 2, before + 3]);
    expect(late.changes.map((change) => change.revision)).toEqual([doomed, before + 1, before + 2, before + 3]);
    expect(text((await engine.get("/k/kept"))?.value)).toBe("new");
    expect(await engine.count("/k/")).toBe(2);
    await Promise.all([watch.stop(), late.stop()]);
  });

  it("has told the watchers before the writer has the answer", async () => {
    const order: string[] = [];
    const stop = new AbortController();
    const watching = engine.watch("/", 1, { change: (change) => order.push(`saw ${change.key}`) }, stop.signal);
    await Promise.all(
      ["/a", "/b"].map((key) => engine.create(key, bytes("1")).then(() => order.push(`answered ${key}`))),
    );
    expect(order).toEqual(["saw /a", "saw /b", "answered /a", "answered /b"]);
    stop.abort();
    await watching;
  });

  it("leaves no trace when it fails: all of its batch are refused, also those it would have refused anyway", async () => {
    const revision = await engine.create("/a", bytes("1"));
    failure = Object.assign(new Error("disk full"), { code: 28 });
    const results = await Promise.allSettled([
      engine.update("/a", bytes("2"), revision),
      engine.update("/a", bytes("3"), revision),
      engine.create("/b", bytes("1")),
    ]);
    for (const result of results) expect(result).toMatchObject({ status: "rejected", reason: { code: "NoSpace" } });
    expect(await engine.currentRevision()).toBe(revision);

    failure = undefined;
    expect(await engine.update("/a", bytes("4"), revision)).toBe(revision + 1);
  });

  it("loses the engine when nobody knows what is on disk: writes and watches fail, reads go on", async () => {
    const revision = await engine.create("/a", bytes("1"));
    const watch = follow(engine, "/", revision);
    const ended = expect(watch.ended).rejects.toMatchObject({ code: "Unavailable" });
    failure = Object.assign(new Error("input/output error"), { code: 5 });
    await expect(engine.create("/b", bytes("1"))).rejects.toMatchObject({ code: "Undecided" });
    failure = undefined;
    await expect(engine.create("/b", bytes("1"))).rejects.toMatchObject({ code: "Unavailable" });
    await expect(engine.compact(revision)).rejects.toMatchObject({ code: "Unavailable" });
    await ended;
    expect(await engine.get("/a")).toMatchObject({ revision });
  });

  it("has told caches all that was published when it loses the engine, so that nobody waits for it in vain", async () => {
    const caches = ["/a/", "/b/"].map(
      (prefix) => new WatchCache({ engine, prefix, readItem, pause: () => nextTurn() }),
    );
    const [early, late] = caches as [WatchCache, WatchCache];
    await early.ready();
    const revision = await engine.create("/b/x", stored({}));
    expect(early.revision).toBeLessThan(revision);
    failure = Object.assign(new Error("input/output error"), { code: 5 });
    await expect(engine.create("/b/y", stored({}))).rejects.toMatchObject({ code: "Undecided" });
    expect(await early.waitUntil(revision, 1_000)).toBe(true);
    await late.ready();
    expect(late.get("/b/x")).toMatchObject({ revision });
    expect(await late.waitUntil(revision, 1_000)).toBe(true);
    for (const cache of caches) await cache.close();
  });

  it("tells who was behind all that was published before its watch fails", async () => {
    const revision = await engine.create("/a", bytes("1"));
    const later = await engine.update("/a", bytes("2"), revision);
    failure = Object.assign(new Error("input/output error"), { code: 5 });
    await expect(engine.create("/b", bytes("1"))).rejects.toMatchObject({ code: "Undecided" });
    const told: unknown[] = [];
    const sink = { change: (change: Change) => told.push(summary(change)), progress: (at: number) => told.push(at) };
    const watch = engine.watch("/", revision, sink, new AbortController().signal);
    await expect(watch).rejects.toMatchObject({ code: "Unavailable" });
    expect(told).toEqual([expect.stringContaining("/a"), later]);
  });

  it("is made again when LMDB has given it up before anything was written", async () => {
    const revision = await engine.create("/a", bytes("1"));
    const watch = follow(engine, "/", revision);
    failure = GIVEN_UP;
    failuresLeft = 2;
    const results = await Promise.allSettled([
      engine.update("/a", bytes("2"), revision),
      engine.update("/a", bytes("3"), revision),
      engine.create("/b", bytes("1")),
    ]);
    expect(results).toMatchObject([
      { value: revision + 1 },
      { reason: { code: "RevisionMismatch" } },
      { value: revision + 2 },
    ]);
    expect(text((await engine.get("/a"))?.value)).toBe("2");
    expect(watch.changes.map(summary)).toEqual([
      `${revision + 1} put /a=2 was 1@${revision}`,
      `${revision + 2} put /b=1`,
    ]);
    await watch.stop();
  });

  it("is not made again for ever", async () => {
    const revision = await engine.create("/a", bytes("1"));
    failure = GIVEN_UP;
    failuresLeft = 3;
    await expect(engine.create("/b", bytes("1"))).rejects.toMatchObject({ code: "Undecided" });
    expect(failuresLeft).toBe(0);
    await expect(engine.create("/b", bytes("1"))).rejects.toMatchObject({ code: "Unavailable" });
    expect(await engine.get("/a")).toMatchObject({ revision });
  });

  it("refuses to write once another process has written to the same file", async () => {
    await engine.create("/a", bytes("1"));
    tables.exclusively(() => putMetaRevision(tables, "revision", 100));
    await expect(engine.create("/b", bytes("1"))).rejects.toThrow(/another process has written/);
  });
});
