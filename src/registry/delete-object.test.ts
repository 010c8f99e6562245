// The states of an object that is deleted. Requirements: document 1, "Deletion of an object", "DeleteOptions".

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { forbidden } from "../meta/status-error.ts";
import { type DeletionRequest, deleteObject, orphanWarnings } from "./delete-object.ts";
import { encodeStored } from "./object-bytes.ts";
import type { ServedResource } from "./served-resource.ts";
import { updateObject } from "./update-object.ts";
import type { WriteRequest } from "./write.ts";
import { failureOf, START, TestWrites } from "./writes.testing.ts";

let writes: TestWrites;
let configMaps: ServedResource;

beforeEach(() => {
  writes = new TestWrites();
  configMaps = writes.resource("configmaps");
});
afterEach(() => writes.close());

const remove = (resource: ServedResource, options: DeletionRequest = {}, more: Partial<WriteRequest> = {}) =>
  deleteObject(writes.deps, writes.request(resource, { name: "a", ...more }), options);

const configMap = (metadata: JsonObject = {}) => writes.create(configMaps, { metadata: { name: "a", ...metadata } });

describe("a delete request", () => {
  it("removes an object without finalizers; the answer has the version of the removal", async () => {
    await configMap();
    const { object, gone } = await remove(configMaps);
    expect(gone).toBe(true);
    expect(object.metadata.resourceVersion).toBe(String(await writes.engine.currentRevision()));
    expect(object.metadata).not.toHaveProperty("deletionTimestamp");
    expect(await writes.stored(configMaps, "a")).toBeUndefined();
  });

  it("marks an object with finalizers, which goes with the last of them", async () => {
    await configMap({ finalizers: ["x.io/one", "x.io/two"] });
    await writes.clock.advance(5_500);
    const { object, gone } = await remove(configMaps);
    expect(gone).toBe(false);
    expect(object.metadata).toMatchObject({
      deletionTimestamp: "2030-01-01T00:00:05Z",
      deletionGracePeriodSeconds: 0,
      finalizers: ["x.io/one", "x.io/two"],
    });
    for (const left of [["x.io/two"], []]) {
      await updateObject(writes.deps, writes.request(configMaps, { name: "a" }), {
        next: (current) => ({ ...current!, metadata: { ...current!.metadata, finalizers: left } }),
      });
      expect((await writes.stored(configMaps, "a")) !== undefined).toBe(left.length > 0);
    }
  });

  it("changes nothing in what is ending already", async () => {
    await configMap({ finalizers: ["x.io/one"] });
    const first = await remove(configMaps);
    await writes.clock.advance(60_000);
    const { object, gone } = await remove(configMaps);
    expect([gone, object]).toEqual([false, first.object]);
  });

  it("counts as a change of what is wished for", async () => {
    const policies = writes.resource("networkpolicies", "networking.k8s.io/v1");
    await writes.create(policies, { metadata: { name: "a", finalizers: ["x.io/f"] }, spec: { podSelector: {} } });
    expect((await remove(policies)).object.metadata.generation).toBe(2);
    expect((await remove(policies)).object.metadata.generation).toBe(2);
  });

  it.each([2 ** 53 - 2, 2n ** 63n - 1n])("counts no further than it can: %s", async (generation) => {
    await configMap({ generation });
    expect((await remove(configMaps)).gone).toBe(true);
    await configMap({ generation, finalizers: ["x.io/f"] });
    const counted = (await remove(configMaps)).object.metadata.generation;
    expect(counted).toBe(typeof generation === "bigint" ? generation : generation + 1);
  });

  it("of what is not there is 404", async () => {
    expect(await failureOf(remove(configMaps))).toMatchObject({ code: 404, message: 'configmaps "a" not found' });
  });

  it("of what cannot be read is 500, with a reason by which it is known", async () => {
    await writes.engine.create(configMaps.store!.keyOf("default", "a"), Buffer.from('{"metadata":'));
    expect(await failureOf(remove(configMaps))).toMatchObject({ code: 500, reason: "StoreReadError" });
  });

  it("as a dry run leaves everything as it is", async () => {
    await configMap();
    expect((await remove(configMaps, {}, { dryRun: true })).gone).toBe(true);
    expect(await writes.stored(configMaps, "a")).toBeDefined();
  });

  it("of a caller who has been told that it took too long removes nothing", async () => {
    await configMap();
    const caller = { signal: new AbortController().signal, cancelled: true };
    expect(await failureOf(remove(configMaps, {}, { caller }))).toMatchObject({ code: 504 });
    expect(await writes.stored(configMaps, "a")).toBeDefined();
  });
});

describe("the propagation policy", () => {
  const ORPHAN = "orphan";
  const FOREGROUND = "foregroundDeletion";
  const rows: [options: DeletionRequest, before: string[], after: string[] | undefined][] = [
    [{}, [], undefined],
    [{ propagationPolicy: "Background" }, [], undefined],
    [{ propagationPolicy: "Foreground" }, [], [FOREGROUND]],
    [{ propagationPolicy: "Orphan" }, [], [ORPHAN]],
    [{ orphanDependents: true }, [], [ORPHAN]],
    [{ orphanDependents: false }, [], undefined],
    [{ propagationPolicy: "Foreground" }, ["x.io/f"], ["x.io/f", FOREGROUND]],
    [{ propagationPolicy: "Background" }, ["x.io/f", ORPHAN], ["x.io/f"]],
    [{ propagationPolicy: "Orphan" }, [FOREGROUND], [ORPHAN]],
    // An earlier request has decided.
    [{}, [ORPHAN, "x.io/f"], [ORPHAN, "x.io/f"]],
    [{}, [ORPHAN], [ORPHAN]],
    [{}, [FOREGROUND], [FOREGROUND]],
  ];
  it.each(rows)("%j makes of the finalizers %j: %j", async (options, before, after) => {
    await configMap(before.length === 0 ? {} : { finalizers: before });
    await remove(configMaps, options);
    expect((await writes.stored(configMaps, "a"))?.metadata.finalizers).toEqual(after);
  });

  const jobs: [options: DeletionRequest, finalizers: string[] | undefined, warned: boolean][] = [
    [{}, [ORPHAN], true],
    [{ propagationPolicy: "Orphan" }, [ORPHAN], false],
    [{ propagationPolicy: "Background" }, undefined, false],
    [{ orphanDependents: false }, undefined, false],
  ];
  it.each(jobs)("of a Job orphans by default, which is warned of: %j", async (options, finalizers, warned) => {
    const resource = writes.resource("jobs", "batch/v1");
    const pod = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    await writes.create(resource, { metadata: { name: "a" }, spec: { template: pod } });
    await remove(resource, options);
    expect((await writes.stored(resource, "a"))?.metadata.finalizers).toEqual(finalizers);
    expect(orphanWarnings(resource, options)).toEqual(
      warned ? [expect.stringContaining("child pods are preserved by default")] : [],
    );
  });
});

describe("preconditions", () => {
  const rows: [what: string, of: (uid: string, version: string) => DeletionRequest["preconditions"], code: number][] = [
    ["that hold", (uid, resourceVersion) => ({ uid, resourceVersion }), 200],
    ["of another uid", () => ({ uid: "other" }), 409],
    ["of another version", (uid) => ({ uid, resourceVersion: "1" }), 409],
  ];
  it.each(rows)("%s: %s", async (_, of, code) => {
    const { metadata } = (await configMap()).object;
    const preconditions = of(metadata.uid!, metadata.resourceVersion!)!;
    const outcome = await remove(configMaps, { preconditions }).then(
      () => 200,
      (error: { code: number }) => error.code,
    );
    expect(outcome).toBe(code);
    expect((await writes.stored(configMaps, "a")) === undefined).toBe(code === 200);
    // Admission is asked about what will happen, not about what is refused anyway.
    expect(writes.admitted.some(({ operation }) => operation === "DELETE")).toBe(code === 200);
  });
});

describe("the time that a pod is given", () => {
  let pods: ServedResource;
  beforeEach(async () => {
    pods = writes.resource("pods");
    const spec = { nodeName: "n", terminationGracePeriodSeconds: 30, containers: [{ name: "c", image: "i" }] };
    await writes.create(pods, { metadata: { name: "a" }, spec });
  });

  const rows: [asked: number | undefined, seconds: number, ends: string][] = [
    [undefined, 30, "2030-01-01T00:00:30Z"],
    [5, 5, "2030-01-01T00:00:05Z"],
    [600, 600, "2030-01-01T00:10:00Z"],
    [-1, 1, "2030-01-01T00:00:01Z"],
  ];
  it.each(rows)("is what the request asks for, or what its spec says: %s", async (asked, seconds, ends) => {
    const { object, gone } = await remove(pods, asked === undefined ? {} : { gracePeriodSeconds: asked });
    expect(gone).toBe(false);
    expect(object.metadata).toMatchObject({ deletionGracePeriodSeconds: seconds, deletionTimestamp: ends });
  });

  it("is over at once for 0", async () => {
    expect((await remove(pods, { gracePeriodSeconds: 0 })).gone).toBe(true);
    expect(await writes.stored(pods, "a")).toBeUndefined();
  });

  it("may be shortened later, counted from the first request, and never lengthened", async () => {
    await remove(pods, { gracePeriodSeconds: 100 });
    await writes.clock.advance(10_000);
    const shorter = await remove(pods, { gracePeriodSeconds: 40 });
    expect(shorter.object.metadata).toMatchObject({
      deletionGracePeriodSeconds: 40,
      deletionTimestamp: "2030-01-01T00:00:40Z",
    });
    const longer = await remove(pods, { gracePeriodSeconds: 90 });
    expect(longer.object.metadata).toEqual(shorter.object.metadata);
  });

  it.each(["Running", "Succeeded"])("stays when a later request names none, with all else: %s", async (phase) => {
    const spec = { nodeName: "n", terminationGracePeriodSeconds: 30, containers: [{ name: "c", image: "i" }] };
    await writes.create(pods, { metadata: { name: "b" }, spec });
    await remove(pods, { gracePeriodSeconds: 100, propagationPolicy: "Orphan" }, { name: "b" });
    await updateObject(writes.deps, writes.request(pods, { name: "b", subresource: "status" }), {
      next: (current) => ({ ...current!, status: { phase } }),
    });
    const before = await writes.stored(pods, "b");
    const { gone } = await remove(pods, { propagationPolicy: "Foreground" }, { name: "b" });
    expect([gone, await writes.stored(pods, "b")]).toEqual([false, before]);
  });

  it("that is shortened to what is over already ends now", async () => {
    await remove(pods, { gracePeriodSeconds: 100 });
    await writes.clock.advance(10_000);
    expect((await remove(pods, { gracePeriodSeconds: 5 })).object.metadata).toMatchObject({
      deletionGracePeriodSeconds: 1,
      deletionTimestamp: "2030-01-01T00:00:10Z",
    });
  });

  it("that is none leaves the rest open to later requests", async () => {
    const spec = { containers: [{ name: "c", image: "i" }] };
    await writes.create(pods, { metadata: { name: "b", finalizers: ["orphan", "x.io/f"] }, spec });
    await remove(pods, {}, { name: "b" });
    const { object } = await remove(pods, { propagationPolicy: "Background" }, { name: "b" });
    expect(object.metadata.finalizers).toEqual(["x.io/f"]);
  });

  it("may be longer than the calendar, and still be shortened", async () => {
    const most = (2n ** 63n - 1n) as unknown as number;
    const last = { deletionGracePeriodSeconds: Number.MAX_SAFE_INTEGER, deletionTimestamp: "9999-12-31T23:59:59Z" };
    expect((await remove(pods, { gracePeriodSeconds: most })).object.metadata).toMatchObject(last);
    const spec = { nodeName: "n", terminationGracePeriodSeconds: most, containers: [{ name: "c", image: "i" }] };
    await writes.create(pods, { metadata: { name: "b" }, spec });
    expect((await remove(pods, {}, { name: "b" })).object.metadata).toMatchObject(last);
    const shorter = await remove(pods, { gracePeriodSeconds: 5 });
    expect(shorter.object.metadata).toMatchObject({
      deletionGracePeriodSeconds: 5,
      deletionTimestamp: "2030-01-01T00:00:05Z",
    });
  });

  it.each(["orphan", "foregroundDeletion"])(
    "does not keep %s where the request asks for Background",
    async (before) => {
      const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
      await writes.create(pods, { metadata: { name: "b", finalizers: [before] }, spec });
      const { object } = await remove(pods, { propagationPolicy: "Background" }, { name: "b" });
      expect(object.metadata.finalizers).toBeUndefined();
      expect((await writes.stored(pods, "b"))?.metadata.finalizers).toBeUndefined();
    },
  );

  it("is none where nothing runs", async () => {
    const spec = { containers: [{ name: "c", image: "i" }] };
    await writes.create(pods, { metadata: { name: "b" }, spec });
    const { object, gone } = await remove(pods, {}, { name: "b" });
    // An object that could have been given time shows that it was given none.
    expect([gone, object.metadata.deletionTimestamp, object.metadata.deletionGracePeriodSeconds]).toEqual([
      true,
      START,
      0,
    ]);
  });
});

it("a kind holds what must not go yet: a namespace with its own finalizers is marked and stays", async () => {
  const namespaces = writes.resource("namespaces");
  await writes.create(namespaces, { metadata: { name: "a" } });
  const { object, gone } = await remove(namespaces);
  expect(gone).toBe(false);
  expect(object["status"]).toEqual({ phase: "Terminating" });
  // What the first request asked for stays.
  expect((await remove(namespaces, { propagationPolicy: "Foreground" })).object).toEqual(object);
});

describe("a delete request among others", () => {
  it("follows what another writer left, which admission judges anew", async () => {
    await configMap();
    const store = configMaps.store!;
    const raced = {
      ...configMaps,
      collaborator: undefined,
      // Between reading and deleting somebody else writes, once.
      toStored: async (object: Parameters<ServedResource["toStored"]>[0]) => {
        if (Number(object.metadata.resourceVersion) === before) {
          const next = { ...object, data: { by: "another" } };
          await store.update(store.keyOf("default", "a"), undefined, encodeStored(next), before);
        }
        return object;
      },
    } as ServedResource;
    const before = await writes.engine.currentRevision();
    writes.admitted.length = 0;
    const { object } = await remove(raced);
    expect(object["data"]).toEqual({ by: "another" });
    expect(writes.admitted.map(({ type }) => type)).toEqual(["mutate", "validate", "validate"]);
    expect(await writes.stored(configMaps, "a")).toBeUndefined();
  });

  it("leaves what another writer has protected meanwhile", async () => {
    await writes.close();
    writes = new TestWrites({
      validate({ operation, oldObject }) {
        if (operation === "DELETE" && oldObject?.metadata.labels?.["protected"] !== undefined)
          throw forbidden(configMaps.subject, "a", "it is protected");
      },
    });
    configMaps = writes.resource("configmaps");
    await configMap();
    const store = configMaps.store!;
    const before = await writes.engine.currentRevision();
    const raced = {
      ...configMaps,
      toStored: async (object: Parameters<ServedResource["toStored"]>[0]) => {
        if (Number(object.metadata.resourceVersion) === before) {
          const next = { ...object, metadata: { ...object.metadata, labels: { protected: "true" } } };
          await store.update(store.keyOf("default", "a"), undefined, encodeStored(next), before);
        }
        return object;
      },
    } as ServedResource;
    expect(await failureOf(remove(raced))).toMatchObject({ code: 403 });
    expect(await writes.stored(configMaps, "a")).toBeDefined();
  });

  it("gives back what the object had beside itself once it is gone, not before", async () => {
    const released: unknown[] = [];
    writes.catalog.collaborate("configmaps", {
      begin: async () => ({ end: async () => undefined }),
      released: async ({ metadata }, at) => void released.push([metadata.name, at]),
    });
    await configMap({ finalizers: ["x.io/f"] });
    await remove(configMaps);
    expect(released).toEqual([]);
    await writes.create(configMaps, { metadata: { name: "b" } });
    await remove(configMaps, {}, { name: "b" });
    expect(released).toEqual([["b", await writes.engine.currentRevision()]]);
  });

  it("that admission refuses leaves the object", async () => {
    await writes.close();
    writes = new TestWrites({
      validate({ operation }) {
        if (operation === "DELETE") throw forbidden(configMaps.subject, "a", "no");
      },
    });
    configMaps = writes.resource("configmaps");
    await configMap();
    expect(await failureOf(remove(configMaps))).toMatchObject({ code: 403 });
    expect((await writes.stored(configMaps, "a"))?.metadata.deletionTimestamp).toBeUndefined();
  });
});
