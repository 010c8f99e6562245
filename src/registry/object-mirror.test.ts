// The decoded copy of a resource: what it holds, by namespace too, and that what was written here is not parsed again.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { nextTurn } from "../base/next-turn.ts";
import { asSlowWork } from "../base/steps.testing.ts";
import type { ApiObject } from "../meta/object.ts";
import { BY_PEER } from "../storage/engine.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { StorageError } from "../storage/storage-error.ts";
import type { CacheWatch } from "../storage/watch-cache.ts";
import { encodeStored } from "./object-bytes.ts";
import { ObjectMirror } from "./object-mirror.ts";
import { ObjectStore } from "./object-store.ts";

let clock: FakeClock;
let engine: MemoryEngine;
let store: ObjectStore;

beforeEach(() => {
  clock = new FakeClock();
  engine = new MemoryEngine({ clock });
  store = storeOver("/registry/configmaps/", true);
});
afterEach(async () => {
  await store.cache.close();
  await engine.close();
});

const storeOver = (
  prefix: string,
  namespaced: boolean,
  fieldsOf: (object: ApiObject) => Record<string, string> = () => ({}),
): ObjectStore => new ObjectStore({ engine, prefix, namespaced, clock, fieldsOf });

function configMap(namespace: string, name: string, value = ""): ApiObject {
  return {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name, namespace, uid: `uid-${namespace}-${name}` },
    data: { value },
  } as ApiObject;
}

function create(object: ApiObject): Promise<number> {
  const { namespace = "", name = "" } = object.metadata;
  return store.create(store.keyOf(namespace, name), object, encodeStored(object));
}

const namesIn = (mirror: ObjectMirror, namespace?: string) =>
  [...mirror.values(namespace)].map(({ metadata }) => metadata.name);

describe("ObjectMirror", () => {
  it("decodes no more than it looks at of a large object that another process has written", async () => {
    const seen: ApiObject[] = [];
    const project = (object: ApiObject) => {
      seen.push(object);
      return object.metadata.name;
    };
    const fields = [
      ["metadata", "name"],
      ["spec", "versions", "name"],
    ];
    const mirror = new ObjectMirror(store, { project, fields });
    await mirror.ready();
    const spec = { versions: [{ name: "v1", schema: "x".repeat(200_000) }, { name: "v2" }] };
    for (const [name, large] of [
      ["large", spec],
      ["small", { versions: [{ name: "v1", schema: {} }] }],
    ] as const) {
      const bytes = encodeStored({ ...configMap("a", name), spec: large } as unknown as ApiObject);
      await engine.create(store.keyOf("a", name), bytes, { attachment: BY_PEER });
    }
    await mirror.sync();
    expect([...mirror.values()].sort()).toEqual(["large", "small"]);
    const seenOf = (wanted: string) => seen.find(({ metadata: { name } }) => name === wanted);
    expect(seenOf("large")).toEqual({
      metadata: { name: "large" },
      spec: { versions: [{ name: "v1" }, { name: "v2" }] },
    });
    expect(seenOf("small")).toMatchObject({ metadata: { namespace: "a" }, spec: { versions: [{ schema: {} }] } });
    mirror.close();
  });

  it("holds what was there and what comes, all and by namespace, until it goes", async () => {
    await create(configMap("a", "x"));
    await create(configMap("ab", "other"));
    const mirror = new ObjectMirror(store);
    await mirror.ready();
    expect([namesIn(mirror, "a"), namesIn(mirror, "ab"), namesIn(mirror, "b")]).toEqual([["x"], ["other"], []]);
    const revision = await create(configMap("a", "y"));
    await create(configMap("b", "z"));
    expect([namesIn(mirror, "a"), namesIn(mirror, "b"), mirror.size]).toEqual([["x", "y"], ["z"], 4]);
    expect(namesIn(mirror).sort()).toEqual(["other", "x", "y", "z"]);
    await store.delete(store.keyOf("a", "y"), revision, configMap("a", "y"));
    await store.update(store.keyOf("a", "x"), configMap("a", "x", "new"), encodeStored(configMap("a", "x", "new")), 2);
    expect([...mirror.values("a")].map((one) => one["data"])).toEqual([{ value: "new" }]);
    expect(mirror.get("a", "y")).toBeUndefined();
  });

  it("answers for every namespace where there are none", async () => {
    const nodes = storeOver("/registry/nodes/", false);
    const mirror = new ObjectMirror(nodes);
    const node = { kind: "Node", apiVersion: "v1", metadata: { name: "n", uid: "u" } } as ApiObject;
    await nodes.create(nodes.keyOf("", "n"), node, encodeStored(node));
    await mirror.ready();
    expect([namesIn(mirror), namesIn(mirror, "anything")]).toEqual([["n"], ["n"]]);
    await nodes.cache.close();
  });

  it("takes what was written in this process as it is, with its version, and as if it had been read", async () => {
    const mirror = new ObjectMirror(store);
    await mirror.ready();
    const object = configMap("a", "x", "1");
    const revision = await create(object);
    const mirrored = mirror.get("a", "x")!;
    expect(mirrored["data"]).toBe(object["data"]);
    expect(mirrored.metadata.resourceVersion).toBe(String(revision));
    const entry = (await store.get(store.keyOf("a", "x")))!;
    expect(mirrored).toEqual(store.decode(entry));
    // What the writer does to the head of its object afterwards does not reach the copy.
    object.metadata.resourceVersion = "1000";
    expect(mirrored.metadata.resourceVersion).toBe(String(revision));
  });

  it("takes what the cache is filled with as it was read, and only then", async () => {
    await engine.create(store.keyOf("a", "x"), encodeStored(configMap("a", "x", "1")));
    const read: ApiObject[] = [];
    store = storeOver("/registry/configmaps/", true, (object) => {
      read.push(object);
      return {};
    });
    const mirror = new ObjectMirror(store);
    await mirror.ready();
    expect(mirror.get("a", "x")).toBe(read[0]);
    expect(mirror.get("a", "x")).toEqual(store.decode((await store.get(store.keyOf("a", "x")))!));
    const late = new ObjectMirror(store);
    await late.ready();
    expect(late.get("a", "x")).not.toBe(read[0]);
  });

  it("parses what somebody else has written", async () => {
    const mirror = new ObjectMirror(store);
    await mirror.ready();
    await engine.create(store.keyOf("a", "x"), encodeStored(configMap("a", "x", "1")));
    expect(mirror.get("a", "x")).toMatchObject({ data: { value: "1" }, metadata: { name: "x" } });
  });

  it("keeps a part of each object, and tells of every change in order", async () => {
    const seen: unknown[] = [];
    await create(configMap("a", "x", "1"));
    const mirror = new ObjectMirror<string>(store, {
      project: (object) => (object["data"] as { value: string }).value || undefined,
      onChange: (key, now, before) => seen.push([key.slice(store.prefix.length), now, before]),
    });
    await mirror.ready();
    await create(configMap("a", "empty", ""));
    await store.update(store.keyOf("a", "x"), configMap("a", "x", "2"), encodeStored(configMap("a", "x", "2")), 2);
    await store.update(store.keyOf("a", "x"), configMap("a", "x", ""), encodeStored(configMap("a", "x", "")), 4);
    expect(seen).toEqual([
      ["a/x", "1", undefined],
      ["a/x", "2", "1"],
      ["a/x", undefined, "2"],
    ]);
    expect([...mirror.values("a")]).toEqual([]);
  });

  it("follows one object alone, not those whose names begin like it", async () => {
    await create(configMap("a", "x"));
    await create(configMap("a", "xy"));
    const mirror = new ObjectMirror(store, { only: { namespace: "a", name: "x" } });
    await mirror.ready();
    await create(configMap("a", "xyz"));
    expect(namesIn(mirror)).toEqual(["x"]);
  });

  describe("in turns", () => {
    const wide = (name: string): ApiObject => {
      const keys = Array.from({ length: 40_000 }, (_, index) => [`key-${index}`, "value"]);
      return { ...configMap("a", name), data: { value: "x", ...Object.fromEntries(keys) } } as ApiObject;
    };
    const until = async (test: () => boolean) => {
      while (!test()) await nextTurn();
    };
    const byPeer = (object: ApiObject) =>
      engine.create(store.keyOf("a", object.metadata.name!), encodeStored(object), { attachment: BY_PEER });
    const valuesOf = (mirror: ObjectMirror) =>
      [...mirror.values()]
        .map(({ metadata, data }) => `${metadata.name} ${(data as { value: string }).value[0]}`)
        .sort();

    it("reads what was there, and then what came meanwhile", async () => {
      for (let index = 0; index < 10; index += 1) await byPeer(configMap("a", `m${index}`, "old".repeat(5_000)));
      await store.cache.ready();
      const mirror = new ObjectMirror(store);
      await asSlowWork(6, async () => {
        let ready = false;
        const whole = mirror.ready().then(() => {
          ready = true;
        });
        await until(() => mirror.size > 0);
        expect([ready, mirror.size < 10]).toEqual([false, true]);
        await create(configMap("a", "new", "1"));
        const entry = (await store.get(store.keyOf("a", "m9")))!;
        await store.delete(entry.key, entry.revision, undefined);
        expect(ready).toBe(false);
        await whole;
      });
      expect(namesIn(mirror).sort()).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "new"]);
      await create(configMap("a", "later"));
      expect(mirror.get("a", "later")).toBeDefined();
    });

    it("reads a large object of another process while changes of others go past it", async () => {
      const mirror = new ObjectMirror(store);
      await mirror.ready();
      await asSlowWork(6, async () => {
        await byPeer(wide("wide"));
        await create(configMap("a", "small", "1"));
        expect(valuesOf(mirror)).toEqual(["small 1"]);
        await mirror.sync();
      });
      expect(valuesOf(mirror)).toEqual(["small 1", "wide x"]);
    });

    it("takes the newest of what changes again while it is read, and nothing of what goes", async () => {
      const mirror = new ObjectMirror(store);
      await mirror.ready();
      await asSlowWork(6, async () => {
        const first = await byPeer(wide("changed"));
        const gone = await byPeer(wide("gone"));
        const changed = configMap("a", "changed", "2");
        await store.update(store.keyOf("a", "changed"), changed, encodeStored(changed), first);
        await store.delete(store.keyOf("a", "gone"), gone, undefined);
        expect(valuesOf(mirror)).toEqual(["changed 2"]);
        await mirror.sync();
      });
      expect(valuesOf(mirror)).toEqual(["changed 2"]);
    });

    it("replaces what is in use in one go when history was lost, and reads what has changed alone", async () => {
      await byPeer(configMap("a", "gone", "1"));
      await byPeer(configMap("a", "same", "1"));
      const watched = vi.spyOn(store.cache, "watch");
      const seen: string[] = [];
      const mirror = new ObjectMirror<string>(store, {
        project: ({ metadata }) => {
          seen.push(metadata.name!);
          return metadata.name;
        },
      });
      await mirror.ready();
      const { sink } = watched.mock.calls[0]![0];
      // From here on it hears nothing.
      (watched.mock.results[0]!.value as CacheWatch).close();
      const gone = (await store.get(store.keyOf("a", "gone")))!;
      await store.delete(gone.key, gone.revision, undefined);
      for (const name of ["new1", "new2"]) await byPeer(wide(name));
      seen.length = 0;
      await asSlowWork(6, async () => {
        sink.ended(new StorageError("RevisionGone", "lost"));
        await until(() => seen.length > 0);
        expect([...mirror.values()]).toEqual(["gone", "same"]);
        await mirror.ready();
      });
      expect([[...mirror.values()], seen]).toEqual([
        ["same", "new1", "new2"],
        ["new1", "new2"],
      ]);
      await create(configMap("a", "later"));
      expect(mirror.get("a", "later")).toBe("later");
    });

    it("begins again when history is lost while it reads", async () => {
      for (const name of ["x", "y"]) await byPeer(wide(name));
      await store.cache.ready();
      const watched = vi.spyOn(store.cache, "watch");
      const mirror = new ObjectMirror(store);
      await asSlowWork(6, async () => {
        const whole = mirror.ready();
        await until(() => watched.mock.calls.length > 0);
        (watched.mock.results[0]!.value as CacheWatch).close();
        watched.mock.calls[0]![0].sink.ended(new StorageError("RevisionGone", "lost"));
        await create(configMap("a", "unheard", "1"));
        await whole;
      });
      expect(valuesOf(mirror)).toEqual(["unheard 1", "x x", "y x"]);
    });
  });
});
