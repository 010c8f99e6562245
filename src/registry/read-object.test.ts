// Which state a get shows. Requirements: document 1, "List and watch semantics", the table of get.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nextTurn } from "../base/next-turn.ts";
import { corruptObject, decodeOrCorrupt, readObject } from "./read-object.ts";
import type { ServedResource } from "./served-resource.ts";
import { failureOf, TestWrites } from "./writes.testing.ts";

let writes: TestWrites;
let configMaps: ServedResource;
const reader = { signal: new AbortController().signal };

beforeEach(() => {
  writes = new TestWrites();
  configMaps = writes.resource("configmaps");
});
afterEach(() => writes.close());

const read = (atLeast?: number, name = "a") => readObject(configMaps, "default", name, atLeast, reader);
const dataOf = ({ bytes }: { bytes: Uint8Array }) => JSON.parse(Buffer.from(bytes).toString()).data;

describe("a get", () => {
  it.each([undefined, 0])("of version %s waits for the cache before anybody has read", async (atLeast) => {
    await writes.create(configMaps, { metadata: { name: "a" }, data: { k: "v" } });
    expect(configMaps.store!.cache.isReady).toBe(false);
    expect(dataOf(await read(atLeast))).toEqual({ k: "v" });
  });

  it("has its answer at once where this process knows the newest state", async () => {
    await configMaps.store!.cache.ready();
    const { object } = await writes.create(configMaps, { metadata: { name: "a" }, data: { k: "v" } });
    const item = read();
    expect(item).not.toBeInstanceOf(Promise);
    expect(dataOf(item as { bytes: Uint8Array })).toEqual({ k: "v" });
    expect(String((await item).revision)).toBe(object.metadata.resourceVersion);
  });

  it.each<[what: string, at: (now: number) => number | undefined]>([
    ["no version: the newest", () => undefined],
    ["0: any", () => 0],
    ["a version that has been: not older", (now) => now],
  ])("with %s", async (_, at) => {
    await configMaps.store!.cache.ready();
    await writes.create(configMaps, { metadata: { name: "a" }, data: { k: "v" } });
    const now = await writes.engine.currentRevision();
    expect(dataOf(await read(at(now)))).toEqual({ k: "v" });
  });

  it("with a version to come waits for it, and is told to come back when it does not", async () => {
    await configMaps.store!.cache.ready();
    const early = Promise.resolve(read((await writes.engine.currentRevision()) + 1));
    await writes.create(configMaps, { metadata: { name: "a" }, data: { k: "v" } });
    expect(dataOf(await early)).toEqual({ k: "v" });
    const never = failureOf(Promise.resolve(read(1_000_000)));
    await nextTurn();
    await writes.clock.advance(3_000);
    expect(await never).toMatchObject({ code: 504, details: { retryAfterSeconds: 1 } });
  });

  it("waits for what another process of the store has committed", async () => {
    await configMaps.store!.cache.ready();
    const { cache } = configMaps.store!;
    const store = { ...configMaps.store!, cache, engine: { currentRevision: async () => cache.revision + 1 } };
    const elsewhere = { ...configMaps, collaborator: undefined, store } as unknown as ServedResource;
    Object.assign(store, { keyOf: () => configMaps.store!.keyOf("default", "a") });
    const found = readObject(elsewhere, "default", "a", undefined, reader);
    expect(found).toBeInstanceOf(Promise);
    await writes.create(configMaps, { metadata: { name: "a" }, data: { k: "late" } });
    expect(dataOf(await found)).toEqual({ k: "late" });
  });

  it.each([
    ["at once", true],
    ["after waiting", false],
  ])("of what is not there is 404, %s", async (_, ready) => {
    if (ready) await configMaps.store!.cache.ready();
    const failed = failureOf((async () => read(undefined, "none"))());
    expect(await failed).toMatchObject({ code: 404, message: 'configmaps "none" not found' });
  });

  it("of damaged bytes is 500, with a reason by which it is known", async () => {
    await writes.engine.create(configMaps.store!.keyOf("default", "a"), Buffer.from('{"metadata":'));
    expect(await failureOf((async () => read())())).toMatchObject({ code: 500, reason: "StoreReadError" });
  });
});

describe("an entry of the store", () => {
  it("is what a reader in the served version gets", async () => {
    const v1 = writes.resource("horizontalpodautoscalers", "autoscaling/v1");
    const spec = {
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 80,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" },
    };
    await writes.create(v1, { metadata: { name: "a" }, spec });
    const store = v1.store!;
    const object = await decodeOrCorrupt(v1, (await store.get(store.keyOf("default", "a")))!);
    expect(v1.storedForm).toBe(false);
    expect(object["spec"]).toMatchObject({ targetCPUUtilizationPercentage: 80 });
    expect(object.metadata.resourceVersion).toBe(String(await writes.engine.currentRevision()));
  });

  it.each([["{"], ["[]"], ['{"metadata":null}']])("that says %s cannot be read", async (text) => {
    const key = configMaps.store!.keyOf("default", "a");
    const revision = await writes.engine.create(key, Buffer.from(text));
    const entry = { key, value: Buffer.from(text), revision };
    expect(await failureOf(decodeOrCorrupt(configMaps, entry))).toMatchObject({ reason: "StoreReadError" });
  });

  it("that lacks a part which fields are selected by is read, and so are its neighbours", async () => {
    const jobs = writes.resource("jobs", "batch/v1");
    const store = jobs.store!;
    const text = '{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"a","namespace":"default","uid":"u"}}';
    await writes.engine.create(store.keyOf("default", "a"), Buffer.from(text));
    await store.cache.ready();
    const entry = (await store.get(store.keyOf("default", "a")))!;
    expect((await decodeOrCorrupt(jobs, entry)).metadata.name).toBe("a");
    expect(store.cache.stats().objectCount).toBe(1);
  });

  it("that is no object of its kind counts as damaged once the cache has looked at it", async () => {
    const key = configMaps.store!.keyOf("default", "a");
    const value = Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","uid":"u"},"data":[1]}');
    const entry = { key, value, revision: await writes.engine.create(key, value) };
    await configMaps.store!.cache.ready();
    expect(await failureOf(decodeOrCorrupt(configMaps, entry))).toMatchObject({ reason: "StoreReadError" });
  });
});

it.each([
  ["configmaps", "v1", { kind: "configmaps" }],
  ["deployments", "apps/v1", { kind: "deployments", group: "apps" }],
])("damage names the resource: %s", (name, apiVersion, details) => {
  const error = corruptObject(writes.resource(name, apiVersion), "/registry/x", new Error("why"));
  expect(error.details).toMatchObject({ ...details, causes: [{ message: "failed to decode: why" }] });
});
