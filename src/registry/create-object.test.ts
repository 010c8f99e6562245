// The stages of a create, each by what it lets through and what it leaves in the store.
// Requirements: document 1, "Object metadata", "Dry run", "Errors".

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cloneJson, type JsonObject } from "../base/json.ts";
import { asSlowWork } from "../base/steps.testing.ts";
import type { ApiObject } from "../meta/object.ts";
import { forbidden } from "../meta/status-error.ts";
import { createObject } from "./create-object.ts";
import type { ServedResource, WriteEnd } from "./served-resource.ts";
import { isLarge } from "./write.ts";
import { failureOf, START, TestWrites } from "./writes.testing.ts";

let writes: TestWrites;
let configMaps: ServedResource;

beforeEach(() => open(new TestWrites()));
afterEach(() => writes.close());

function open(made: TestWrites): void {
  writes = made;
  configMaps = writes.resource("configmaps");
}

const named = (name: string, more: JsonObject = {}): JsonObject => ({ metadata: { name, ...more } });

describe("what the server says about a new object", () => {
  it("replaces what the body says about it", async () => {
    const sent = { uid: "mine", creationTimestamp: "2001-01-01T00:00:00Z", selfLink: "/x", generation: 9 };
    const ending = { deletionTimestamp: "2001-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 };
    const { object, created } = await writes.create(configMaps, named("a", { ...sent, ...ending }));
    expect(created).toBe(true);
    expect(object.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(object.metadata).toMatchObject({ name: "a", namespace: "default", creationTimestamp: START });
    for (const gone of ["selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"])
      expect(object.metadata).not.toHaveProperty(gone);
  });

  it.each([
    ["configmaps", "v1", { metadata: { name: "a" } }, undefined],
    ["networkpolicies", "networking.k8s.io/v1", { metadata: { name: "a" }, spec: { podSelector: {} } }, 1],
  ])("has a generation where the kind counts changes: %s of %s", async (name, apiVersion, body, generation) => {
    const { object } = await writes.create(writes.resource(name, apiVersion), body);
    expect(object.metadata.generation).toBe(generation);
  });

  it("is in the answer, in the bytes of the answer and in the store alike", async () => {
    const { object, bytes } = await writes.create(configMaps, { ...named("a"), data: { k: "v" } });
    const revision = String(await writes.engine.currentRevision());
    expect(object.metadata.resourceVersion).toBe(revision);
    expect(JSON.parse(Buffer.from(bytes!).toString())).toEqual(object);
    expect(await writes.stored(configMaps, "a")).toEqual(object);
  });
});

describe("a body", () => {
  it.each<[what: string, body: JsonObject, path: { name?: string; namespace?: string }, code: number, message: RegExp]>(
    [
      ["with a version", named("a", { resourceVersion: "3" }), {}, 400, /resourceVersion should not be set/],
      [
        "with another name than the path",
        named("b"),
        { name: "a" },
        400,
        /\(b\) does not match the name on the URL \(a\)/,
      ],
      [
        "with another namespace",
        named("a", { namespace: "b" }),
        {},
        400,
        /namespace of the provided object does not match/,
      ],
      ["without a name", { metadata: {} }, {}, 422, /name or generateName is required/],
      ["with a name that is none", named("A_"), {}, 422, /metadata.name: Invalid value: "A_"/],
      ["that breaks a rule of its kind", { ...named("a"), data: { "a b": "" } }, {}, 422, /data\[a b\]/],
      ["of another kind", { ...named("a"), kind: "Secret" }, {}, 400, /Secret/],
    ],
  )("%s is refused, and nothing is stored", async (_, body, path, code, message) => {
    const before = await writes.engine.currentRevision();
    const error = await failureOf(writes.create(configMaps, body, path));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await writes.engine.currentRevision()).toBe(before);
  });

  it.each(["", "0", "x"])("with %j in the place of a version is stored", async (resourceVersion) => {
    const { object } = await writes.create(configMaps, named("a", { resourceVersion }));
    expect(object.metadata.resourceVersion).toBe(String(await writes.engine.currentRevision()));
  });

  it("with a version is judged before the version is", async () => {
    const error = await failureOf(writes.create(configMaps, named("A_", { resourceVersion: "3" })));
    expect(error).toMatchObject({ code: 422 });
  });

  it("with a version will do for who only asks what would happen", async () => {
    const asked = writes.create(configMaps, named("a", { resourceVersion: "3" }), { dryRun: true });
    expect((await asked).object.metadata.resourceVersion).toBe("3");
  });

  it("loses a namespace that its kind has no place for", async () => {
    const { object } = await writes.create(writes.resource("namespaces"), named("a", { namespace: "b" }));
    expect(object.metadata).not.toHaveProperty("namespace");
  });

  it("is warned about owners that it names twice, and keeps them once", async () => {
    const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u" };
    const warnings: string[] = [];
    const { object } = await writes.create(configMaps, named("a", { ownerReferences: [owner, owner] }), { warnings });
    expect(object.metadata.ownerReferences).toEqual([owner]);
    expect(warnings).toEqual([expect.stringContaining("duplicate UID(s) observed: u")]);
  });
});

describe("a name that is taken", () => {
  it("is a conflict", async () => {
    await writes.create(configMaps, named("a"));
    expect(await failureOf(writes.create(configMaps, named("a")))).toMatchObject({
      code: 409,
      reason: "AlreadyExists",
      message: 'configmaps "a" already exists',
    });
  });

  it("says that its holder is on the way out", async () => {
    const key = configMaps.store!.keyOf("default", "a");
    const ending = { ...named("a", { namespace: "default", deletionTimestamp: START }) };
    await writes.engine.create(key, Buffer.from(JSON.stringify(ending)));
    const { message } = (await failureOf(writes.create(configMaps, named("a")))) as Error;
    expect(message).toBe('object is being deleted: configmaps "a" already exists');
  });

  it("is a conflict for who only asks what would happen", async () => {
    await writes.create(configMaps, named("a"));
    expect(await failureOf(writes.create(configMaps, named("a"), { dryRun: true }))).toMatchObject({ code: 409 });
  });
});

describe("the metadata of a kind that judges them last", () => {
  const budget = (name: string, minAvailable: number): JsonObject => ({ ...named(name), spec: { minAvailable } });

  it.each([
    ["are told when nothing else is wrong", "a/b", 1, ["metadata.name"]],
    ["are not told beside what is", "a/b", -1, ["spec.minAvailable"]],
  ])("%s", async (_what, name, available, fields) => {
    const error = await failureOf(
      writes.create(writes.resource("poddisruptionbudgets", "policy/v1"), budget(name, available)),
    );
    expect(error).toMatchObject({ details: { causes: fields.map((field) => ({ field })) } });
  });
});

describe("a generated name", () => {
  const generated = (prefix: string): JsonObject => ({ metadata: { generateName: prefix } });

  it.each([
    ["x-", "x-abcde"],
    ["x".repeat(57), `${"x".repeat(57)}abcde`],
    ["x".repeat(200), `${"x".repeat(58)}abcde`],
  ])("is the prefix, cut to leave room, and a suffix: %.8s", async (prefix, expected) => {
    writes.suffixes = ["abcde"];
    const { object } = await writes.create(configMaps, generated(prefix));
    expect(object.metadata).toMatchObject({ name: expected, generateName: prefix });
  });

  it("gives way to a name", async () => {
    const { object } = await writes.create(configMaps, { metadata: { name: "a", generateName: "x-" } });
    expect(object.metadata.name).toBe("a");
  });

  it("is spoken of where a name that stands beside the prefix is taken", async () => {
    const both = { metadata: { name: "a", generateName: "x-" } };
    await writes.create(configMaps, both);
    expect(await failureOf(writes.create(configMaps, both))).toMatchObject({
      reason: "AlreadyExists",
      message: expect.stringContaining("not able to generate a unique name"),
      details: { name: "a", retryAfterSeconds: 1 },
    });
  });

  it("is made again while it is taken", async () => {
    writes.suffixes = ["taken", "taken", "taken", "free"];
    await writes.create(configMaps, generated("x-"));
    const { object } = await writes.create(configMaps, generated("x-"));
    expect(object.metadata.name).toBe("x-free");
  });

  it("is given up after eight, with a word when to come back", async () => {
    writes.suffixes = Array.from({ length: 9 }, () => "taken");
    await writes.create(configMaps, generated("x-"));
    expect(await failureOf(writes.create(configMaps, generated("x-")))).toMatchObject({
      code: 409,
      reason: "AlreadyExists",
      message: expect.stringContaining("not able to generate a unique name"),
      details: { retryAfterSeconds: 1 },
    });
    expect(writes.suffixes).toEqual([]);
  });
});

describe("admission of a create", () => {
  it("may change the object, which is checked and stored as changed", async () => {
    await writes.close();
    open(
      new TestWrites({
        mutate(request) {
          request.object = { ...request.object!, data: { by: "admission" } } as ApiObject;
        },
      }),
    );
    const { object } = await writes.create(configMaps, named("a"));
    expect(object["data"]).toEqual({ by: "admission" });
    expect((await writes.stored(configMaps, "a"))?.["data"]).toEqual({ by: "admission" });
  });

  it("sees the object without a uid first, and whole when it validates", async () => {
    await writes.create(configMaps, named("a"));
    expect(writes.admitted.map(({ type, operation, object }) => [type, operation, object?.metadata.uid])).toEqual([
      ["mutate", "CREATE", undefined],
      ["validate", "CREATE", expect.any(String)],
    ]);
  });

  it.each(["mutate", "validate"] as const)("stores nothing that it refuses in %s", async (stage) => {
    await writes.close();
    open(
      new TestWrites({
        [stage]: () => {
          throw forbidden(configMaps.subject, "a", "no");
        },
      }),
    );
    expect(await failureOf(writes.create(configMaps, named("a")))).toMatchObject({ code: 403 });
    expect(await writes.stored(configMaps, "a")).toBeUndefined();
  });

  it("is not asked to validate what the rules of the kind refuse", async () => {
    expect(await failureOf(writes.create(configMaps, named("A_")))).toMatchObject({ code: 422 });
    expect(writes.admitted.map(({ type }) => type)).toEqual(["mutate"]);
  });
});

describe("what an object needs beside itself", () => {
  const rows: [what: string, name: string, more: { dryRun?: boolean }, ends: WriteEnd][] = [
    ["kept when the object is stored", "a", {}, 2],
    ["given back when the object is refused", "A_", {}, "failed"],
    ["given back after a dry run", "a", { dryRun: true }, "failed"],
  ];
  it.each(rows)("is reserved before it is prepared, and %s", async (_, name, more, ends) => {
    const told: unknown[] = [];
    writes.catalog.collaborate("configmaps", {
      async begin(object, old, { dryRun }) {
        told.push(["begin", object.metadata.name, old, dryRun]);
        return { end: async (how) => void told.push(["end", how]) };
      },
    });
    await writes.create(configMaps, named(name), more).catch(() => undefined);
    expect(told).toEqual([
      ["begin", name, undefined, more.dryRun === true],
      ["end", ends],
    ]);
  });
});

describe("a create of which nothing must come", () => {
  it("answers a dry run as if it had been stored, without a version", async () => {
    const before = await writes.engine.currentRevision();
    const { object, created } = await writes.create(configMaps, named("a"), { dryRun: true });
    expect([created, object.metadata.name, object.metadata.resourceVersion]).toEqual([true, "a", undefined]);
    expect(object.metadata.uid).toBeDefined();
    expect(writes.admitted).toHaveLength(2);
    expect(await writes.engine.currentRevision()).toBe(before);
  });

  it("stores nothing for a caller who has been told that it took too long", async () => {
    const caller = { signal: new AbortController().signal, cancelled: true };
    expect(await failureOf(writes.create(configMaps, named("a"), { caller }))).toMatchObject({ code: 504 });
    expect(await writes.stored(configMaps, "a")).toBeUndefined();
  });

  it("stores no kind that is only an operation", async () => {
    const reviews = writes.resource("tokenreviews", "authentication.k8s.io/v1");
    expect(await failureOf(writes.create(reviews, { spec: { token: "t" } }))).toMatchObject({ code: 500 });
  });

  it("stores nothing of a resource that is going", async () => {
    const refuseCreate = () => forbidden(configMaps.subject, "", "going");
    const request = writes.request({ ...configMaps, collaborator: undefined, refuseCreate });
    const failed = createObject(writes.deps, { ...request, name: "a" }, { draft: {} });
    expect(await failureOf(failed)).toMatchObject({ code: 403 });
  });
});

it("a draft takes its name and its type from the request, and stays what it was", async () => {
  const draft = { metadata: { labels: { a: "b" } }, data: { k: "v" } };
  const before = cloneJson(draft);
  const { object } = await createObject(writes.deps, writes.request(configMaps, { name: "a" }), {
    draft: cloneJson(draft),
  });
  expect(object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", namespace: "default" } });
  expect(draft).toEqual(before);
});

it("a new object of a kind with a status is left decoded for whoever writes that, others are not", async () => {
  const left = async (resource: ServedResource, body: JsonObject) => {
    await writes.create(resource, { metadata: { name: "a" }, ...body });
    const store = resource.store!;
    const entry = (await store.get(store.keyOf("default", "a")))!;
    const written = store.takeWritten(entry);
    return written === undefined ? undefined : [written, store.decode(entry)];
  };
  const [written, stored] = (await left(writes.resource("resourcequotas"), { spec: { hard: { pods: "1" } } })) ?? [];
  expect(written).toBeDefined();
  expect(written).toEqual(stored);
  expect(await left(configMaps, {})).toBeUndefined();
});

const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key-${index}`, "dmFsdWU="]));

it("a name that a large object has is refused in turns", async () => {
  await writes.create(configMaps, { ...named("a"), data: wide });
  const goOn = vi.fn();
  const caller = { signal: new AbortController().signal, cancelled: false, goOn };
  const failed = asSlowWork(1, () => writes.create(configMaps, named("a"), { caller }));
  expect(await failureOf(failed as never)).toMatchObject({ code: 409 });
  expect(goOn.mock.calls.length).toBeGreaterThan(5);
});

describe("an object that admission has made large", () => {
  /** How often others had their turn, or how it was refused. */
  async function turnsOf(resource: ServedResource, body: JsonObject): Promise<number> {
    let turns = 0;
    const goOn = () => {
      turns += 1;
    };
    const caller = { signal: new AbortController().signal, cancelled: false, goOn };
    await asSlowWork(1, () => writes.create(resource, body, { caller }));
    return turns;
  }

  const grown = () =>
    new TestWrites({
      mutate(request) {
        request.object = { ...request.object!, data: wide };
        request.isLarge = true;
      },
    });

  it("goes on as a large one, however small the body was", async () => {
    open(grown());
    const request = writes.request(configMaps, { name: "a", bodyBytes: 10 });
    await createObject(writes.deps, request, { draft: {} });
    expect(isLarge(request, 0)).toBe(true);
  });

  it("may hold no more than a body of its kind", async () => {
    open(grown());
    const failed = turnsOf(writes.resource("controllerrevisions", "apps/v1"), { ...named("a"), revision: 1 });
    expect(await failureOf(failed as never)).toMatchObject({ code: 413 });
  });

  it("is copied in steps where its name is generated", async () => {
    open(grown());
    const named20k = await turnsOf(configMaps, named("a"));
    expect(await turnsOf(configMaps, { metadata: { generateName: "a" } })).toBeGreaterThan(named20k + 2);
  });
});
