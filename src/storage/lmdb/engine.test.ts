import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { turnsOf } from "../../base/steps.testing.ts";
import { eventually, follow } from "../contract/follow.testing.ts";
import { openLmdbEngine } from "../lmdb-engine.ts";
import { openTables } from "./tables.ts";
import { memoryBackedTmpdir } from "./tmpdir.testing.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("the LMDB engine", () => {
  let base: string;
  let dir: string;
  beforeEach(async () => {
    base = await mkdtemp(join(memoryBackedTmpdir, "plinth-lmdb-"));
    dir = join(base, "data");
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  const open = (identity = "platform") => openLmdbEngine({ dir, identity });

  it("finds everything again after it was closed: values, history, revision, compaction", async () => {
    const first = await open();
    const created = await first.create("/a", bytes("1"));
    const updated = await first.update("/a", bytes("2"), created);
    const last = await first.update("/a", bytes("3"), updated);
    await first.compact(updated);
    await first.close();

    const second = await open();
    expect(await second.currentRevision()).toBe(last);
    expect(await second.compactedRevision()).toBe(updated);
    expect(await second.get("/a")).toMatchObject({ revision: last });
    expect(await second.get("/a", updated)).toMatchObject({ revision: updated });
    const watch = follow(second, "/", updated);
    await watch.count(1);
    await watch.stop();
    expect(await second.create("/b", bytes("1"))).toBe(last + 1);
    await second.close();
  });

  it("never moves the revision back, also when everything was deleted and compacted", async () => {
    const first = await open();
    const created = await first.create("/a", bytes("1"));
    const deleted = await first.delete("/a", created);
    await first.compact(deleted);
    await eventually(async () => (await rows(dir)) === 0, "history is gone");
    await first.close();
    const second = await open();
    expect(await second.currentRevision()).toBe(deleted);
    expect(await second.create("/a", bytes("1"))).toBe(deleted + 1);
    await second.close();
  });

  it("removes the rows of compacted history while writers go on", async () => {
    const engine = await open();
    let revision = await engine.create("/hot", bytes("0"));
    const updates = Array.from({ length: 1_200 }, (_, index) => index);
    for (const index of updates.slice(0, 600)) revision = await engine.update("/hot", bytes(`${index}`), revision);
    await engine.compact(revision);
    const kept = revision;
    for (const index of updates.slice(600, 650)) revision = await engine.update("/hot", bytes(`${index}`), revision);
    await eventually(async () => (await rows(dir)) === 2 * (revision - kept), "only the new history is left");
    expect(await engine.get("/hot", kept)).toMatchObject({ revision: kept });
    await engine.close();
  });

  it("continues an interrupted compaction when it is opened again", async () => {
    const first = await open();
    let revision = await first.create("/hot", bytes("0"));
    for (let index = 0; index < 600; index++) revision = await first.update("/hot", bytes(`${index}`), revision);
    await first.compact(revision);
    await first.close();
    const second = await open();
    await eventually(async () => (await rows(dir)) === 0, "history is gone");
    await second.close();
  });

  it("expires keys whose time ran out while it was closed", async () => {
    const clock = new FakeClock();
    const first = await openLmdbEngine({ dir, identity: "platform", clock });
    await first.create("/events/a", bytes("1"), { ttlSeconds: 60 });
    await first.close();
    await clock.advance(61_000);
    const second = await openLmdbEngine({ dir, identity: "platform", clock });
    await second.sweepExpired();
    expect(await second.get("/events/a")).toBeUndefined();
    await second.close();
  });

  it("shows no read a change before the watchers have been given it", async () => {
    const engine = await open();
    let given = await engine.currentRevision();
    let readings = 0;
    const stop = new AbortController();
    const sink = {
      change: ({ revision }: { readonly revision: number }) => {
        given = revision;
      },
    };
    const watching = engine.watch("/", given, sink, stop.signal);
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      let revision = await engine.create(`/k/${writer}`, bytes("0"));
      for (let index = 0; index < 60; index++) {
        revision = await engine.update(`/k/${writer}`, bytes(`${index}`), revision);
        if (index % 20 === 19) {
          await engine.delete(`/k/${writer}`, revision);
          revision = await engine.create(`/k/${writer}`, bytes("again"));
        }
      }
    });
    const done = Promise.all(writers).then(() => stop.abort());
    while (!stop.signal.aborted) {
      for (let writer = 0; writer < 8; writer++) {
        // Called without await in between: what is compared is what was true at the moment of the read.
        const entry = engine.get(`/k/${writer}`);
        const atRead = given;
        expect((await entry)?.revision ?? 0).toBeLessThanOrEqual(atRead);
      }
      const listing = engine.list("/k/");
      const atList = given;
      const page = await listing;
      expect(page.revision).toBe(atList);
      const exact = await engine.list("/k/", { revision: page.revision });
      expect(page.entries).toEqual(exact.entries);
      readings++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all([done, watching]);
    expect(readings).toBeGreaterThan(10);
    await engine.close();
  });

  it("lets others have their turn after so many bytes of a list, now and in the past", async () => {
    const engine = await open();
    const value = Buffer.alloc(512 * 1024, "a");
    let revision = 0;
    for (let index = 0; index < 7; index += 1) revision = await engine.create(`/k/${index}`, value);
    await engine.create("/other", value);
    for (const options of [{}, { revision }]) {
      const { turns, result } = await turnsOf(() => engine.list("/k/", options));
      expect([result.entries.length, result.more]).toEqual([7, false]);
      expect(turns).toBeGreaterThanOrEqual(2);
    }
    expect((await engine.list("/k/", { limit: 4 })).remainingCount).toBe(3);
    await engine.close();
  });

  describe("of 3,000 keys that have all been written again", () => {
    const KEYS = Array.from({ length: 3_000 }, (_, index) => `/k/${String(index).padStart(4, "0")}`);
    let engine: Awaited<ReturnType<typeof open>>;
    let then: number;
    beforeEach(async () => {
      engine = await open();
      const revisions = await Promise.all(KEYS.map((key) => engine.create(key, bytes("then"))));
      then = await engine.currentRevision();
      await Promise.all(KEYS.map((key, index) => engine.update(key, bytes("now"), revisions[index]!)));
    });
    afterEach(() => engine.close());

    it("lets others have their turn while it looks for old ones, and for how many remain", async () => {
      const { turns, result: page } = await turnsOf(() => engine.list("/k/", { revision: then, limit: 10 }));
      expect(page).toMatchObject({ revision: then, more: true, remainingCount: 2_990 });
      expect(page.entries.map(({ key }) => key)).toEqual(KEYS.slice(0, 10));
      expect(turns).toBeGreaterThanOrEqual(5);
    });

    it("looks for no more than a page of old ones, once it knows how many there are", async () => {
      const found: string[] = [];
      for (let after: string | undefined; ; after = found.at(-1)) {
        const { turns, result: page } = await turnsOf(() =>
          engine.list("/k/", { revision: then, limit: 100, ...(after === undefined ? {} : { after }) }),
        );
        found.push(...page.entries.map(({ key }) => key));
        expect(new Set(page.entries.map(({ value }) => Buffer.from(value).toString()))).toEqual(new Set(["then"]));
        if (after !== undefined) expect(turns).toBeLessThan(3);
        if (!page.more) break;
      }
      expect(found).toEqual(KEYS);
    });
  });

  it.each([1, 2, 3, 4])("finds all old ones that were written %i times again before", async (times) => {
    const engine = await open();
    const keys = Array.from({ length: 400 }, (_, index) => `/k/${String(index).padStart(3, "0")}`);
    let revisions = await Promise.all(keys.map((key) => engine.create(key, bytes("0"))));
    for (let time = 0; time < times; time += 1)
      revisions = await Promise.all(keys.map((key, index) => engine.update(key, bytes("1"), revisions[index]!)));
    const revision = await engine.currentRevision();
    await engine.create("/later", bytes("1"));
    const page = await engine.list("/k/", { revision });
    expect(page.entries.map(({ key }) => key)).toEqual(keys);
    await engine.close();
  });

  it("lets others have their turn while very many keys are counted, and counts those that come and go meanwhile", async () => {
    const engine = await open();
    const keys = Array.from({ length: 11_000 }, (_, index) => `/k/${index}`);
    const revisions: number[] = [];
    for (let at = 0; at < keys.length; at += 1_000)
      revisions.push(...(await Promise.all(keys.slice(at, at + 1_000).map((key) => engine.create(key, bytes("1"))))));
    const { turns, result: count } = await turnsOf(() => engine.count("/k"));
    expect(count).toBe(11_000);
    expect(turns).toBeGreaterThanOrEqual(2);
    await Promise.all([
      engine.create("/k/new", bytes("1")),
      ...keys.slice(0, 500).map((key, index) => engine.delete(key, revisions[index]!)),
      engine.count("/k/"),
      engine.count("/k/"),
    ]);
    expect(await engine.count("/k/")).toBe(10_501);
    await engine.close();
  });

  it("lists everything below the empty prefix, now and in the past", async () => {
    const engine = await open();
    const first = await engine.create("/a", bytes("1"));
    const second = await engine.create("b", bytes("1"));
    await engine.delete("/a", first);
    expect((await engine.list("")).entries.map((entry) => entry.key)).toEqual(["b"]);
    expect((await engine.list("", { revision: second })).entries.map((entry) => entry.key)).toEqual(["/a", "b"]);
    expect(await engine.count("")).toBe(1);
    await engine.close();
  });

  it("lists at a past revision past a key that has been replaced very often", async () => {
    const engine = await open();
    await engine.create("/k/a", bytes("a"));
    let hot = await engine.create("/k/hot", bytes("0"));
    await engine.create("/k/z", bytes("z"));
    for (let index = 1; index < 60; index++) hot = await engine.update("/k/hot", bytes(`${index}`), hot);
    const middle = hot;
    for (let index = 60; index < 120; index++) hot = await engine.update("/k/hot", bytes(`${index}`), hot);
    const last = await engine.delete("/k/hot", hot);
    const page = await engine.list("/k/", { revision: middle });
    expect(page.entries.map((entry) => entry.key)).toEqual(["/k/a", "/k/hot", "/k/z"]);
    expect(page.entries[1]?.revision).toBe(middle);
    expect((await engine.list("/k/", { revision: last })).entries.length).toBe(2);
    await engine.close();
  });

  it("keeps count while keys come and go", async () => {
    const engine = await open();
    const revisions = new Map<string, number>();
    for (let index = 0; index < 10; index++)
      revisions.set(`/k/${index}`, await engine.create(`/k/${index}`, bytes("1")));
    expect(await engine.count("/k/")).toBe(10);
    await engine.update("/k/0", bytes("2"), revisions.get("/k/0") ?? 0);
    await engine.delete("/k/1", revisions.get("/k/1") ?? 0);
    await engine.create("/k/deep/er", bytes("1"));
    expect(await engine.count("/k/")).toBe(10);
    expect(await engine.list("/k/", { limit: 4 })).toMatchObject({ remainingCount: 6 });
    expect(await engine.list("/k/", { limit: 0 })).toMatchObject({ entries: [], more: true, remainingCount: 10 });
    await engine.close();
  });

  it("refuses a second engine on the same directory and names the process that has it", async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(`data directory ${dir} is in use by process ${process.pid}`);
    await first.create("/a", bytes("still works"));
    await first.close();
    await (await open()).close();
  });

  it("can be locked in a directory with a long path", async () => {
    dir = join(base, "long".repeat(30), "data");
    const first = await open();
    await expect(open()).rejects.toMatchObject({ code: "Unavailable" });
    await first.close();
  });

  it("leaves exactly one owner when many open a new directory at once", async () => {
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => open()));
    const opened = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(opened.length).toBe(1);
    await opened[0]?.create("/a", bytes("1"));
    await opened[0]?.close();
  });

  it("refuses another identity than the one it was created with", async () => {
    await (await open("platform")).close();
    await expect(open("kubernetes")).rejects.toThrow("was created with --dialect=platform, not kubernetes");
    await (await open("platform")).close();
  });

  it("lives beside the server's own certificates and kubeconfig", async () => {
    await mkdir(join(dir, "pki"), { recursive: true });
    await writeFile(join(dir, "kubeconfig"), "");
    await (await open()).close();
  });

  it("keeps its data from other users of the machine", async () => {
    await (await open()).close();
    expect((await stat(dir)).mode & 0o077).toBe(0);
    expect((await stat(join(dir, "store.mdb"))).mode & 0o077).toBe(0);
  });

  it("refuses keys and values that are too large, and goes on", async () => {
    const engine = await open();
    await expect(engine.create(`/${"x".repeat(5_000)}`, bytes("1"))).rejects.toMatchObject({ code: "TooLarge" });
    await expect(engine.create("/a", new Uint8Array(17 * 1024 ** 2))).rejects.toMatchObject({ code: "TooLarge" });
    await expect(engine.create("", bytes("1"))).rejects.toMatchObject({ code: "TooLarge" });
    expect(await engine.get(`/${"x".repeat(5_000)}`)).toBeUndefined();
    await engine.create(`/${"x".repeat(1_800)}`, bytes("1"));
    await engine.close();
  });

  describe("with a directory that is not its own", () => {
    const refusals: ReadonlyArray<readonly [string, () => Promise<void>]> = [
      ["holds other files", () => writeFile(join(dir, "photos.txt"), "hello")],
      ["holds an LMDB file of someone else", () => writeFile(join(dir, "store.mdb"), "hello")],
      ["has a marker that is no JSON", () => writeFile(join(dir, "store.json"), "{")],
      ["has a marker of something else", () => writeFile(join(dir, "store.json"), '{"format":"other"}')],
      [
        "has a marker of a later version",
        () =>
          writeFile(
            join(dir, "store.json"),
            '{"format":"plinth-lmdb","version":2,"identity":"platform","state":"ready"}',
          ),
      ],
      [
        "has a marker but no data",
        () =>
          writeFile(
            join(dir, "store.json"),
            '{"format":"plinth-lmdb","version":1,"identity":"platform","state":"ready"}',
          ),
      ],
    ];
    for (const [what, prepare] of refusals) {
      it(`says so in one line and touches nothing when it ${what}`, async () => {
        await mkdir(dir, { recursive: true });
        await prepare();
        await expectRefusedUntouched();
      });
    }

    const damages: ReadonlyArray<readonly [string, (file: string, size: number) => Promise<void>]> = [
      ["is empty", (file) => truncate(file, 0)],
      ["is cut off in the middle", (file, size) => truncate(file, size >> 1)],
      ["is cut off after its first page", (file) => truncate(file, 4_096)],
      ["is overwritten", (file, size) => writeFile(file, Buffer.alloc(size, "garbage "))],
    ];
    for (const [what, damage] of damages) {
      it(`says so in one line and touches nothing when its data ${what}`, async () => {
        const engine = await open();
        await Promise.all(
          Array.from({ length: 200 }, (_, index) => engine.create(`/k/${index}`, bytes("x".repeat(500)))),
        );
        await engine.close();
        const file = join(dir, "store.mdb");
        await damage(file, (await stat(file)).size);
        await expectRefusedUntouched();
      });
    }

    async function expectRefusedUntouched(): Promise<void> {
      const before = await contents(dir);
      const failure = await open().catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "Corrupt" });
      const { message } = failure as Error;
      expect(message).toContain(dir);
      expect(message).not.toContain("\n");
      expect(await contents(dir)).toEqual(before);
    }
  });
});

/** Rows of history and log, as another reader of the same file sees them. */
async function rows(dir: string): Promise<number> {
  const tables = openTables(join(dir, "store.mdb"));
  const count =
    tables.history.getKeysCount({ start: Buffer.from([0]) }) + tables.log.getKeysCount({ start: Buffer.from([0]) });
  await tables.close();
  return count;
}

async function contents(dir: string): Promise<Map<string, string>> {
  const names = (await readdir(dir)).sort();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(dir, name), "base64")] as const)),
  );
}
