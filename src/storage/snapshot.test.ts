import { mkdtemp, open, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryBackedTmpdir } from "./lmdb/tmpdir.testing.ts";
import { openLmdbEngine } from "./lmdb-engine.ts";
import { restoreSnapshot, saveSnapshot, verifySnapshot } from "./snapshot.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("snapshot", () => {
  let base: string;
  beforeEach(async () => {
    base = await mkdtemp(join(memoryBackedTmpdir, "plinth-snapshot-"));
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  const at = (name: string) => join(base, name);

  async function storeWith(keys: number) {
    const engine = await openLmdbEngine({ dir: at("data"), identity: "kubernetes" });
    await Promise.all(Array.from({ length: keys }, (_, index) => engine.create(`/k/${index}`, bytes(`v${index}`))));
    return engine;
  }

  it("restores every key as it was", async () => {
    const engine = await storeWith(50);
    const entry = await engine.get("/k/7");
    const updated = await engine.update("/k/7", bytes("new"), entry?.revision ?? 0);
    await engine.close();
    await saveSnapshot(at("data"), at("backup"));
    expect(await restoreSnapshot(at("backup"), at("restored"))).toMatchObject({ identity: "kubernetes" });

    const restored = await openLmdbEngine({ dir: at("restored"), identity: "kubernetes" });
    expect((await restored.list("/k/")).entries.length).toBe(50);
    expect(await restored.get("/k/7")).toMatchObject({ revision: updated });
    await restored.close();
  });

  it("gives no revision again that the saved store has given since, and tells who knows one", async () => {
    const engine = await storeWith(1);
    await saveSnapshot(engine, at("backup"));
    const lost = await engine.create("/k/lost", bytes("x"));
    await engine.close();
    await restoreSnapshot(at("backup"), at("restored"));

    const restored = await openLmdbEngine({ dir: at("restored"), identity: "kubernetes" });
    const sink = { change: () => undefined };
    const { signal } = new AbortController();
    for (const known of [lost - 1, lost])
      await expect(restored.watch("/", known, sink, signal)).rejects.toMatchObject({ code: "RevisionGone" });
    await expect(restored.list("/", { revision: lost })).rejects.toMatchObject({ code: "RevisionGone" });
    expect(await restored.create("/k/lost", bytes("y"))).toBeGreaterThan(lost);
    await restored.close();
  });

  it("copies one consistent moment while writers are busy", async () => {
    const engine = await storeWith(10);
    let stop = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let index = 0; !stop; index++) await engine.create(`/busy/${writer}/${index}`, bytes("x"));
    });
    const before = await engine.currentRevision();
    await saveSnapshot(engine, at("backup"));
    stop = true;
    await Promise.all(writers);
    await engine.close();

    await restoreSnapshot(at("backup"), at("restored"));
    const restored = await openLmdbEngine({ dir: at("restored"), identity: "kubernetes" });
    const { entries } = await restored.list("/");
    const revision = Math.max(...entries.map((entry) => entry.revision));
    expect(revision).toBeGreaterThanOrEqual(before);
    // Every commit so far made one key: nothing is missing, nothing is half there.
    expect(entries.length).toBe(revision - 1);
    await restored.close();
  });

  it("refuses a target that is not empty", async () => {
    await (await storeWith(1)).close();
    await saveSnapshot(at("data"), at("backup"));
    await expect(restoreSnapshot(at("backup"), at("data"))).rejects.toMatchObject({ code: "Corrupt" });
  });

  it("refuses a file that was cut off, changed or never a snapshot, and leaves no data directory behind", async () => {
    await (await storeWith(20)).close();
    await saveSnapshot(at("data"), at("backup"));
    const whole = await readFile(at("backup"));

    await truncate(at("backup"), whole.length - 1);
    await expect(restoreSnapshot(at("backup"), at("restored"))).rejects.toMatchObject({ code: "Corrupt" });

    await writeFile(at("backup"), whole);
    const file = await open(at("backup"), "r+");
    await file.write(Buffer.from([0xff]), 0, 1, whole.length >> 1);
    await file.close();
    await expect(verifySnapshot(at("backup"))).rejects.toThrow(/checksum/);
    await expect(restoreSnapshot(at("backup"), at("restored"))).rejects.toMatchObject({ code: "Corrupt" });

    await writeFile(at("backup"), "hello");
    await expect(restoreSnapshot(at("backup"), at("restored"))).rejects.toThrow(/not a snapshot/);
    expect((await readdir(base)).sort()).toEqual(["backup", "data"]);
  });

  it("refuses to save a directory without a store", async () => {
    await expect(saveSnapshot(at("nothing"), at("backup"))).rejects.toMatchObject({ code: "Corrupt" });
    expect(await readdir(base)).toEqual([]);
  });
});
