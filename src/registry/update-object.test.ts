// The stages of an update: which version it is about, what it may not change, what becomes of it among others.
// Requirements: document 1, "Update mechanisms", "Deletion of an object", "Dry run".

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiObject, ObjectMeta } from "../meta/object.ts";
import { forbidden } from "../meta/status-error.ts";
import { resourceWith } from "./catalog.testing.ts";
import { deleteObject } from "./delete-object.ts";
import { encodeStored } from "./object-bytes.ts";
import type { ServedResource } from "./served-resource.ts";
import { type ObjectChange, updateObject } from "./update-object.ts";
import { isLarge, type WriteRequest } from "./write.ts";
import { failureOf, START, TestWrites } from "./writes.testing.ts";

let writes: TestWrites;
let configMaps: ServedResource;

beforeEach(() => {
  writes = new TestWrites();
  configMaps = writes.resource("configmaps");
});
afterEach(() => writes.close());

type Next = (current: ApiObject | undefined) => ApiObject;

const update = (
  resource: ServedResource,
  next: Next,
  change: Partial<ObjectChange> = {},
  more: Partial<WriteRequest> = {},
) => updateObject(writes.deps, writes.request(resource, { name: "a", ...more }), { next, ...change });

const withData =
  (value: string, metadata: ObjectMeta = {}): Next =>
  (current) =>
    ({ ...current, metadata: { ...current?.metadata, ...metadata }, data: { value } }) as ApiObject;

const dataOf = async () => (await writes.stored(configMaps, "a"))?.["data"];

/** Another writer comes between reading and writing, so often. */
function raced(times: number): ServedResource {
  let left = times;
  const store = configMaps.store!;
  return resourceWith(configMaps, {
    collaborator: undefined,
    toStored: async (object) => {
      if (left > 0) {
        left -= 1;
        const key = store.keyOf("default", "a");
        const entry = (await store.get(key))!;
        const other = { ...store.decode(entry), data: { value: `other ${left}` } };
        await store.update(key, undefined, encodeStored(other), entry.revision);
      }
      return object;
    },
  });
}

describe("an update of what was updated before", () => {
  const oldData = (): unknown[] =>
    writes.admitted.filter(({ type }) => type === "validate").map(({ oldObject }) => oldObject?.["data"]);

  beforeEach(async () => {
    await writes.create(configMaps, { metadata: { name: "a" } });
    await update(configMaps, withData("first"));
    writes.admitted.length = 0;
  });

  it("begins with what that has left, whose version it keeps", async () => {
    await update(configMaps, withData("second"));
    expect(oldData()).toEqual([{ value: "first" }]);
    const left = await writes.stored(configMaps, "a");
    expect(left).toMatchObject({ data: { value: "second" } });
    expect((await update(configMaps, withData("second"))).object.metadata.resourceVersion).toBe(
      left?.metadata.resourceVersion,
    );
  });

  it("begins with what is stored where another program has written since", async () => {
    const store = configMaps.store!;
    const key = store.keyOf("default", "a");
    const entry = (await store.get(key))!;
    const other = { ...store.decode(entry), data: { value: "of another" } };
    await store.update(key, undefined, encodeStored(other), entry.revision);
    await update(configMaps, withData("second"));
    expect(oldData()).toEqual([{ value: "of another" }]);
  });

  it("begins with what is stored after one that was refused, whatever that has done to its object", async () => {
    const spoil: Next = (current) => {
      (current?.["data"] as Record<string, string>)["value"] = "spoilt";
      return { ...current, metadata: { ...current?.metadata, labels: { "not a key!": "" } } } as ApiObject;
    };
    await expect(update(configMaps, spoil, { leavesCurrent: true })).rejects.toMatchObject({ code: 422 });
    writes.admitted.length = 0;
    await update(configMaps, withData("second"));
    expect(oldData()).toEqual([{ value: "first" }]);
  });
});

describe("the version that an update names", () => {
  beforeEach(() => writes.create(configMaps, { metadata: { name: "a" } }));

  it.each([
    ["the newest", (now: string) => now, 200],
    ["an older one", (now: string) => String(Number(now) - 1), 409],
    ["one that is no number", () => "x", 409],
    ["0, as good as none", () => "0", 200],
    ["an empty one, as good as none", () => "", 200],
  ])("%s", async (_, of, code) => {
    const now = (await writes.stored(configMaps, "a"))!.metadata.resourceVersion!;
    const outcome = await update(configMaps, withData("x", { resourceVersion: of(now) })).then(
      () => 200,
      (error: { code: number; reason: string }) => error.code,
    );
    expect([outcome, await dataOf()]).toEqual([code, code === 200 ? { value: "x" } : undefined]);
  });

  const leaseNext: Next = (current) => ({ ...current!, metadata: { ...current!.metadata, resourceVersion: "" } });
  it.each([
    ["must be named where the kind says so", {}, 422],
    ["need not be named by a patch", { versionOptional: true }, 200],
  ])("%s", async (_, change, code) => {
    const leases = writes.resource("leases", "coordination.k8s.io/v1");
    await writes.create(leases, { metadata: { name: "a" }, spec: {} });
    const outcome = update(leases, leaseNext, change).then(
      () => 200,
      (error: { code: number }) => error.code,
    );
    expect(await outcome).toBe(code);
  });
});

describe("an update among others", () => {
  beforeEach(() => writes.create(configMaps, { metadata: { name: "a" } }));

  it("without a version is made again from what the other one left", async () => {
    const seen: unknown[] = [];
    await update(raced(3), (current) => {
      seen.push(current?.["data"]);
      return withData("mine", { resourceVersion: "" })(current);
    });
    expect(seen).toEqual([undefined, { value: "other 2" }, { value: "other 1" }, { value: "other 0" }]);
    expect(await dataOf()).toEqual({ value: "mine" });
  });

  it("with a version is a conflict", async () => {
    const failed = await failureOf(update(raced(1), withData("mine")));
    expect(failed).toMatchObject({ code: 409, reason: "Conflict" });
    expect(await dataOf()).toEqual({ value: "other 0" });
  });

  it("is given up after 64 attempts", async () => {
    let attempts = 0;
    const failed = await failureOf(
      update(raced(1_000), (current) => {
        attempts += 1;
        return withData("mine", { resourceVersion: "" })(current);
      }),
    );
    expect([attempts, failed]).toEqual([64, expect.objectContaining({ code: 409 })]);
  });

  it("is not made again when nobody waits for it any more", async () => {
    const caller = new AbortController();
    let attempts = 0;
    const next: Next = (current) => {
      attempts += 1;
      caller.abort();
      return withData("mine", { resourceVersion: "" })(current);
    };
    await failureOf(update(raced(1_000), next, {}, { caller: { signal: caller.signal, cancelled: false } }));
    expect(attempts).toBe(1);
  });
});

describe("what an update finds", () => {
  it("is 404 when there is nothing", async () => {
    expect(await failureOf(update(configMaps, withData("x")))).toMatchObject({ code: 404 });
  });

  it("is created where the request may, once the caller may", async () => {
    const asked: string[] = [];
    const authorize = async () => void asked.push("create");
    const next: Next = () => ({ metadata: { name: "a", resourceVersion: "7", uid: "old" } }) as ApiObject;
    const { created, object } = await update(configMaps, next, { create: { authorize } });
    expect([created, asked]).toEqual([true, ["create"]]);
    // A version or uid in the body was meant for an object that is gone.
    expect(object.metadata.uid).not.toBe("old");
    expect(writes.admitted.map(({ operation }) => operation)).toEqual(["CREATE", "CREATE"]);
  });

  it("is not created for who may not", async () => {
    const authorize = () => Promise.reject(forbidden(configMaps.subject, "a", "no"));
    const next: Next = () => ({ metadata: { name: "a" } }) as ApiObject;
    expect(await failureOf(update(configMaps, next, { create: { authorize } }))).toMatchObject({ code: 403 });
    expect(await writes.stored(configMaps, "a")).toBeUndefined();
  });

  it.each([
    ["there", true],
    ["gone", false],
  ])("is a conflict when the object it means, by uid, is another or gone: %s", async (_, there) => {
    if (there) await writes.create(configMaps, { metadata: { name: "a" } });
    const change = { expected: { uid: "another" }, create: { authorize: async () => undefined } };
    const next: Next = (current) => current ?? ({ metadata: { name: "a" } } as ApiObject);
    expect(await failureOf(update(configMaps, next, change))).toMatchObject({
      code: 409,
      message: expect.stringContaining("Precondition failed: UID in precondition: another"),
    });
  });

  it("is 500 when it cannot be read", async () => {
    await writes.engine.create(configMaps.store!.keyOf("default", "a"), Buffer.from("{"));
    expect(await failureOf(update(configMaps, withData("x")))).toMatchObject({ code: 500, reason: "StoreReadError" });
  });
});

describe("what no update changes", () => {
  beforeEach(() => writes.create(configMaps, { metadata: { name: "a" } }));

  it("are uid and times that the body leaves out, and a link to itself", async () => {
    const { metadata: was } = (await writes.stored(configMaps, "a"))!;
    const next: Next = () => ({ metadata: { name: "a", selfLink: "/x" }, data: { k: "v" } }) as unknown as ApiObject;
    const { object } = await update(configMaps, next);
    expect(object.metadata).toMatchObject({ uid: was.uid, creationTimestamp: START, namespace: "default" });
    expect(object.metadata).not.toHaveProperty("selfLink");
  });

  it.each<[what: string, metadata: ObjectMeta, code: number]>([
    ["its uid", { uid: "other" }, 422],
    ["its name", { name: "b" }, 422],
    ["its namespace", { namespace: "other" }, 400],
  ])("is refused: %s", async (_, metadata, code) => {
    expect(await failureOf(update(configMaps, withData("x", metadata)))).toMatchObject({ code });
    expect(await dataOf()).toBeUndefined();
  });

  it("is the store, when there is nothing to change", async () => {
    const before = await writes.engine.currentRevision();
    await writes.clock.advance(60_000);
    const { object } = await update(configMaps, (current) => current!);
    expect(object.metadata.resourceVersion).toBe(String(before));
    expect(await writes.engine.currentRevision()).toBe(before);
  });

  it("is anything, in a dry run: the answer has the version that is there", async () => {
    const before = await writes.engine.currentRevision();
    const { object } = await update(configMaps, withData("x"), {}, { dryRun: true });
    expect([object["data"], object.metadata.resourceVersion]).toEqual([{ value: "x" }, String(before)]);
    expect([await dataOf(), await writes.engine.currentRevision()]).toEqual([undefined, before]);
  });

  it("is anything, for a caller who has been told that it took too long", async () => {
    const caller = { signal: new AbortController().signal, cancelled: true };
    expect(await failureOf(update(configMaps, withData("x"), {}, { caller }))).toMatchObject({ code: 504 });
    expect(await dataOf()).toBeUndefined();
  });
});

describe("the generation", () => {
  const template = {
    metadata: { labels: { app: "x" } },
    spec: { containers: [{ name: "c", image: "i" }] },
  };
  const deployment = { metadata: { name: "a" }, spec: { selector: { matchLabels: { app: "x" } }, template } };

  it.each<[what: string, change: (object: ApiObject) => Partial<ApiObject>, subresource: string, generation: number]>([
    ["the spec", ({ spec }) => ({ spec: { ...(spec as object), replicas: 7 } }), "", 2],
    ["labels", ({ metadata }) => ({ metadata: { ...metadata, labels: { a: "b" } } }), "", 1],
    ["annotations, of this kind", ({ metadata }) => ({ metadata: { ...metadata, annotations: { a: "b" } } }), "", 2],
    ["the status", () => ({ status: { replicas: 1 } }), "status", 1],
    ["annotations, with it", ({ metadata }) => ({ metadata: { ...metadata, annotations: { a: "b" } } }), "status", 1],
    ["a generation of its own", ({ metadata }) => ({ metadata: { ...metadata, generation: 9 } }), "", 1],
  ])("counts changes of what is wished for: %s", async (_, change, subresource, generation) => {
    const deployments = writes.resource("deployments", "apps/v1");
    await writes.create(deployments, deployment);
    const { object } = await update(
      deployments,
      (current) => ({ ...current!, ...change(current!) }) as ApiObject,
      {},
      { subresource },
    );
    expect(object.metadata.generation).toBe(generation);
  });
});

describe("an object that ends", () => {
  const ending = async (finalizers: string[]) => {
    await writes.create(configMaps, { metadata: { name: "a", finalizers } });
    await deleteObject(writes.deps, writes.request(configMaps, { name: "a" }), {});
  };

  it("goes with its last finalizer; the answer shows it as it was last", async () => {
    const released: string[] = [];
    writes.catalog.collaborate("configmaps", {
      begin: async () => ({ end: async (how) => void released.push(`ended ${how}`) }),
      released: async (_object, at) => void released.push(`released ${at}`),
    });
    await ending(["x.io/f"]);
    released.length = 0;
    const { object } = await update(configMaps, withData("last", { finalizers: [] }));
    expect(object["data"]).toEqual({ value: "last" });
    expect(await writes.stored(configMaps, "a")).toBeUndefined();
    const gone = await writes.engine.currentRevision();
    expect(released).toEqual([`released ${gone}`, `ended ${gone}`]);
  });

  it("gets no new finalizers", async () => {
    await ending(["x.io/f"]);
    const failed = await failureOf(update(configMaps, withData("x", { finalizers: ["x.io/f", "x.io/g"] })));
    expect(failed).toMatchObject({ code: 422, message: expect.stringContaining("no new finalizers can be added") });
  });

  it("does not live on because somebody leaves out that it ends", async () => {
    await ending(["x.io/f"]);
    const next: Next = () => ({ metadata: { name: "a", finalizers: ["x.io/f"] } }) as ApiObject;
    const { object } = await update(configMaps, next);
    expect(object.metadata).toMatchObject({ deletionTimestamp: START, deletionGracePeriodSeconds: 0 });
  });
});

describe("admission of an update", () => {
  beforeEach(async () => {
    await writes.create(configMaps, { metadata: { name: "a" } });
    writes.admitted.length = 0;
  });

  it("sees what is there and what is to be", async () => {
    await update(configMaps, withData("x"));
    expect(
      writes.admitted.map(({ type, operation, object, oldObject }) => [
        type,
        operation,
        object?.["data"],
        oldObject?.["data"],
      ]),
    ).toEqual([
      ["mutate", "UPDATE", { value: "x" }, undefined],
      ["validate", "UPDATE", { value: "x" }, undefined],
    ]);
  });

  it("sees another form of the object where the endpoint has one, and what it makes of that is taken over", async () => {
    const form = { group: "g", version: "v1", kind: "Form" };
    const shown = (object: ApiObject): ApiObject => ({ metadata: {}, is: object["data"] }) as ApiObject;
    const taken: unknown[] = [];
    const admittedAs = { kind: form, of: shown, take: (_: ApiObject, made: ApiObject) => void taken.push(made["is"]) };
    await update(configMaps, withData("x"), { admittedAs });
    expect(writes.admitted.map(({ object, oldObject }) => [object?.["is"], oldObject?.["is"]])).toEqual([
      [{ value: "x" }, undefined],
      [{ value: "x" }, undefined],
    ]);
    expect(taken).toEqual([{ value: "x" }]);
  });

  it("has seen the request behind an effect, whose fields nobody owns", async () => {
    const { metadata: was } = (await writes.stored(configMaps, "a"))!;
    const { object } = await update(configMaps, withData("x"), { internal: true }, { fieldManager: "other" });
    expect(writes.admitted).toEqual([]);
    expect(object.metadata.managedFields).toEqual(was.managedFields);
  });
});

it("owners that admission adds to an update once more are kept once", async () => {
  const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u" };
  await writes.close();
  writes = new TestWrites({
    mutate({ operation, object }) {
      if (operation === "UPDATE") object!.metadata.ownerReferences!.push(owner);
    },
  });
  const drafted = { metadata: { name: "a", ownerReferences: [owner] } };
  const resource = writes.resource("configmaps");
  await writes.create(resource, drafted);
  const warnings: string[] = [];
  const request = writes.request(resource, { name: "a", warnings });
  const { object } = await updateObject(writes.deps, request, {
    next: (current) => ({ ...current!, metadata: { ...current!.metadata, ownerReferences: [owner] } }),
  });
  expect(object.metadata.ownerReferences).toEqual([owner]);
  expect(warnings).toEqual([expect.stringContaining("duplicate entries after mutating admission happens")]);
});

it("an update of what a webhook has made much of goes in steps", async () => {
  await writes.create(configMaps, { metadata: { name: "a" } });
  const data = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, "v"]));
  const resource = resourceWith(configMaps, {
    storedForm: false,
    convertsByWebhook: true,
    fromStored: async (objects) => objects.map((object) => ({ ...object, data })),
  });
  const request = writes.request(resource, { name: "a" });
  const seen: boolean[] = [];
  const next = (current: ApiObject | undefined) => {
    seen.push(isLarge(request, 0));
    return current!;
  };
  await updateObject(writes.deps, request, { next });
  expect(seen).toEqual([true]);
});
