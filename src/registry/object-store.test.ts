import { describe, expect, it, vi } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { asSlowWork } from "../base/steps.testing.ts";
import type { ApiObject } from "../meta/object.ts";
import { BY_PEER } from "../storage/engine.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import type { CacheEvent, CacheItem } from "../storage/watch-cache.ts";
import { encodeStored } from "./object-bytes.ts";
import { ObjectStore, type ObjectStoreOptions } from "./object-store.ts";
import { LARGE_ITEM_BYTES } from "./unread-item.ts";

const object = (name: string, app: string): ApiObject => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "a", uid: `uid-${name}`, labels: { app } },
});

async function open(more: Partial<ObjectStoreOptions> = {}) {
  const engine = new MemoryEngine();
  let decoded = 0;
  const store = new ObjectStore({
    engine,
    prefix: "/registry/configmaps/",
    namespaced: true,
    clock: new FakeClock(),
    fieldsOf: ({ metadata }) => {
      decoded += 1;
      return { "metadata.name": metadata.name ?? "" };
    },
    ...more,
  });
  await store.cache.ready();
  return { engine, store, decoded: () => decoded };
}

describe("the newest entry", () => {
  it("comes from the cache where that has everything", async () => {
    const { engine, store } = await open();
    const key = store.keyOf("a", "x");
    const revision = await engine.create(key, encodeStored(object("x", "web")));
    const asked = vi.spyOn(engine, "get");
    const entry = (await store.get(key))!;
    expect(entry.revision).toBe(revision);
    expect(store.decode(entry)).toMatchObject({ metadata: { name: "x", resourceVersion: String(revision) } });
    expect(asked).not.toHaveBeenCalled();
  });

  it("comes from the engine where the cache is behind, and where it cannot read it", async () => {
    const { engine, store } = await open();
    const [x, y] = [store.keyOf("a", "x"), store.keyOf("a", "y")];
    await engine.create(x, encodeStored(object("x", "web")));
    await engine.create(y, Buffer.from("{"));
    expect(Buffer.from((await store.get(y))!.value).toString()).toBe("{");
    const newer = { key: x, value: encodeStored(object("x", "db")), revision: 9 };
    vi.spyOn(engine, "newestKnown", "get").mockReturnValue(9);
    vi.spyOn(engine, "get").mockResolvedValue(newer);
    expect(await store.get(x)).toBe(newer);
  });

  it("comes from an engine that would have to ask what is newest, in one question", async () => {
    const { engine, store } = await open();
    const key = store.keyOf("a", "x");
    await engine.create(key, encodeStored(object("x", "web")));
    const asked = vi.spyOn(engine, "currentRevision");
    asked.mockImplementation((() => Promise.reject(new Error("lost"))) as never);
    Object.defineProperty(engine, "newestKnown", { value: undefined });
    expect((await store.get(key))!.key).toBe(key);
    expect(asked).not.toHaveBeenCalled();
  });
});

describe("an entry of an old revision", () => {
  const wide = { ...object("x", "web"), data: { text: "x".repeat(2 * LARGE_ITEM_BYTES) } };
  const entryOf = (value: Uint8Array) => ({ key: "/registry/configmaps/a/x", value, revision: 7 });

  it("is read at once where it is small, in turns where it is large, with the same outcome", async () => {
    const { store } = await open();
    const small = store.readEntry(entryOf(encodeStored(object("x", "web"))));
    const large = store.readEntry(entryOf(encodeStored(wide)));
    expect([small instanceof Promise, large instanceof Promise]).toEqual([false, true]);
    const { bytes: _, ...item } = await small;
    expect(await large).toMatchObject(item);
    expect(JSON.parse(Buffer.from((await large).bytes).toString()).metadata.resourceVersion).toBe("7");
  });

  it("is checked in a turn after the one in which its fields are found", async () => {
    let turns = 0;
    const seen: number[] = [];
    const see = () => void seen.push(turns);
    const checkReadable = {
      atOnce: see,
      *inSteps() {
        see();
        yield;
      },
    };
    const fieldsOf = () => {
      see();
      return {};
    };
    const { store } = await open({ checkReadable, fieldsOf });
    const others = () => {
      turns += 1;
      turn = setImmediate(others);
    };
    let turn = setImmediate(others);
    await asSlowWork(10, () => store.readEntry(entryOf(encodeStored(wide))));
    clearImmediate(turn);
    expect(seen).toHaveLength(2);
    expect(seen[1]).toBeGreaterThan(seen[0]!);
  });

  it("that cannot be read is told to be so, though it is large", async () => {
    const { store } = await open();
    const { key, corrupt } = await store.readEntry(entryOf(encodeStored(wide).subarray(0, -1)));
    expect([key, corrupt]).toEqual(["/registry/configmaps/a/x", expect.any(Error)]);
  });
});

describe("what another process of the server has written", () => {
  it("is shown as its bytes, and not looked into before somebody selects by it", async () => {
    const { engine, store, decoded } = await open();
    const revision = await engine.create(store.keyOf("a", "x"), encodeStored(object("x", "web")), {
      attachment: BY_PEER,
    });
    const item = store.cache.get(store.keyOf("a", "x"))!;
    expect(JSON.parse(Buffer.from(item.bytes).toString())).toMatchObject({
      metadata: { name: "x", resourceVersion: String(revision) },
    });
    expect(store.objectOf(item).metadata.labels).toEqual({ app: "web" });
    expect(decoded()).toBe(0);
    expect(item.labels).toEqual({ app: "web" });
    expect(item.fields).toEqual({ "metadata.name": "x" });
    expect(decoded()).toBe(1);
  });

  it("is not decoded to select by labels where it is large", async () => {
    const { engine, store, decoded } = await open();
    const data = { text: "x".repeat(200_000) };
    const { labels: _, ...bare } = object("y", "").metadata;
    const LARGE: [name: string, object: object][] = [
      ["x", { ...object("x", "web"), data }],
      ["y", { ...object("y", ""), metadata: bare, data }],
    ];
    for (const [name, made] of LARGE)
      await engine.create(store.keyOf("a", name), encodeStored(made as ApiObject), { attachment: BY_PEER });
    const [x, y] = LARGE.map(([name]) => store.cache.get(store.keyOf("a", name))!);
    expect([x!.labels, y!.labels, decoded()]).toEqual([{ app: "web" }, undefined, 0]);
    expect([x!.fields, x!.labels, decoded()]).toEqual([{ "metadata.name": "x" }, { app: "web" }, 1]);
  });

  it("is decoded as far as its fields are made of it where it is large", async () => {
    const seen: object[] = [];
    const fieldsOf = (object: ApiObject) => {
      seen.push(object);
      return { "spec.a": String((object["spec"] as { a: number }).a) };
    };
    const { engine, store } = await open({ fieldsOf, fieldPaths: () => [["spec", "a"]] });
    const large = { ...object("x", "web"), data: { text: "x".repeat(200_000) }, spec: { a: 1, b: 2 } };
    await engine.create(store.keyOf("a", "x"), encodeStored(large as ApiObject), { attachment: BY_PEER });
    const item = store.cache.get(store.keyOf("a", "x"))!;
    expect([item.fields, item.labels]).toEqual([{ "spec.a": "1" }, { app: "web" }]);
    const { name, namespace, labels } = large.metadata;
    expect(seen).toEqual([{ metadata: { name, namespace, labels }, spec: { a: 1 } }]);
  });

  it.each([
    ["small", "x", false, "at once"],
    ["large", "x".repeat(200_000), false, "in turns"],
    ["small, and what reading needs has to be made first", "x", true, "in turns"],
  ])("is read as it has to be where reading changes it: %s", async (_, text, slow, how) => {
    const read: string[] = [];
    const onRead = function* (object: ApiObject) {
      yield;
      yield;
      read.push(object.metadata.name!);
      return object;
    };
    const { engine, store } = await open({ onRead, readsSlowly: () => slow });
    await asSlowWork(2, async () => {
      const value = encodeStored({ ...object("x", "web"), data: { text } } as ApiObject);
      const revision = await engine.create(store.keyOf("a", "x"), value, { attachment: BY_PEER });
      expect(read).toEqual(how === "at once" ? ["x"] : []);
      expect(await store.cache.waitUntil(revision, 1_000)).toBe(true);
    });
    expect(store.cache.get(store.keyOf("a", "x"))?.labels).toEqual({ app: "web" });
  });

  it("is not looked into when it is deleted", async () => {
    const { engine, store, decoded } = await open();
    const key = store.keyOf("a", "x");
    const shown: CacheItem[] = [];
    const sink = { event: (event: CacheEvent) => shown.push(event.item), ended: () => undefined };
    store.cache.watch({ scope: store.prefix, after: store.cache.revision, sink });
    const by = { attachment: BY_PEER };
    const revision = await engine.create(key, encodeStored(object("x", "web")), by);
    const last = await engine.delete(key, revision, by);
    expect([shown.length, decoded()]).toEqual([2, 0]);
    expect(store.objectOf(shown[1]!).metadata.resourceVersion).toBe(String(last));
    expect([shown[1]!.labels, shown[1]!.fields]).toEqual([{ app: "web" }, { "metadata.name": "x" }]);
  });

  it("leaves a selection as everything else does", async () => {
    const { engine, store } = await open();
    const seen: string[] = [];
    store.cache.watch({
      scope: store.prefix,
      after: store.cache.revision,
      matches: ({ labels }) => labels?.["app"] === "web",
      sink: {
        event: (event, type) => {
          const { labels, fields, revision } = event.shownAs(type);
          seen.push(`${type} ${fields["metadata.name"]} ${labels?.["app"]} ${revision}`);
        },
        ended: () => undefined,
      },
    });
    const key = store.keyOf("a", "x");
    const first = await engine.create(key, encodeStored(object("x", "web")), { attachment: BY_PEER });
    const second = await engine.update(key, encodeStored(object("x", "db")), first, { attachment: BY_PEER });
    const third = await engine.update(key, encodeStored(object("x", "web")), second, { attachment: BY_PEER });
    const last = await engine.delete(key, third, { attachment: BY_PEER });
    expect(seen).toEqual([
      `ADDED x web ${first}`,
      `DELETED x web ${second}`,
      `ADDED x web ${third}`,
      `DELETED x web ${last}`,
    ]);
  });
});

describe("the objects of one namespace", () => {
  it("are read alone, and followed", async () => {
    const { engine, store, decoded } = await open();
    for (const namespace of ["a", "ab", "b"])
      await engine.create(store.keyOf(namespace, "x"), encodeStored(object("x", namespace)), { attachment: BY_PEER });
    const own = store.ofNamespace("a");
    await own.cache.ready();
    expect(decoded()).toBe(1);
    expect([...own.cache.list({ scope: own.prefix })!.items].map(({ key }) => key)).toEqual([store.keyOf("a", "x")]);
    await engine.create(own.keyOf("", "y"), encodeStored(object("y", "web")));
    expect(own.cache.get(store.keyOf("a", "y"))?.labels).toEqual({ app: "web" });
    await own.cache.close();
  });
});

describe("what was in the store before", () => {
  it("is kept decoded for who waits for it up to 4 MiB, and not after that", async () => {
    const engine = new MemoryEngine();
    const data = { text: "x".repeat(50 * 1024) };
    for (let index = 0; index < 120; index += 1) {
      const name = `m${index}`;
      await engine.create(`/registry/x/a/${name}`, encodeStored({ ...object(name, "web"), data }));
    }
    const fieldsOf = () => ({});
    const store = new ObjectStore({
      engine,
      prefix: "/registry/x/",
      namespaced: true,
      clock: new FakeClock(),
      fieldsOf,
    });
    const release = store.keepDecoded();
    await store.cache.ready();
    const kept = () => {
      let sizeBytes = 0;
      store.cache.snapshot()!.visit("/registry/x/", undefined, (item) => {
        const decoded = store.objectOf(item);
        if (decoded === store.objectOf(item)) sizeBytes += item.bytes.length;
        return true;
      });
      return sizeBytes;
    };
    expect(kept()).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(kept()).toBeGreaterThan(3 * 1024 * 1024);
    release();
    expect(kept()).toBe(0);
  });

  it("is looked into, unless its very revision is known to be good", async () => {
    const engine = new MemoryEngine();
    const revisions = new Map<string, number>();
    const put = async (name: string) =>
      void revisions.set(name, await engine.create(`/registry/x/a/${name}`, encodeStored(object(name, "web"))));
    await put("good");
    await put("other");
    const checked: (string | undefined)[] = [];
    const store = new ObjectStore({
      engine,
      prefix: "/registry/x/",
      namespaced: true,
      clock: new FakeClock(),
      fieldsOf: () => ({}),
      checkReadable: {
        atOnce: ({ metadata }) => checked.push(metadata.name),
        *inSteps() {
          yield;
          throw new Error("small objects are checked at once");
        },
      },
      isKnownGood: (key, revision) => key.endsWith("/good") && revision === revisions.get("good"),
    });
    await store.cache.ready();
    expect(checked).toEqual(["other"]);
    expect(store.cache.get(store.keyOf("a", "good"))?.labels).toEqual({ app: "web" });
    await engine.update(store.keyOf("a", "good"), encodeStored(object("good", "db")), revisions.get("good")!);
    expect(checked).toEqual(["other", "good"]);
  });
});

describe("a cache", () => {
  it("is made for who asks for it first, and is closed where that is too late", async () => {
    const { store } = await open();
    const other = store.ofNamespace("a");
    expect(await other.get("/registry/configmaps/a/x")).toBeUndefined();
    expect(other.cacheInUse).toBeUndefined();
    expect(other.cache).toBe(other.cacheInUse);
    for (const one of [other, store.ofNamespace("b")]) {
      await one.close();
      await expect(one.cache.ready()).rejects.toThrow("the watch cache is closed");
    }
  });
});
