// Each version of a definition has its own schema: which one defaults and prunes what, and when. What a write answers is
// what was stored. Requirements: document 1, "Field validation", "Versioning".

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { list, object, text } from "./definition-parts.testing.ts";
import { startTestServer, type TestServer, until } from "./server.testing.ts";

const V1 = "/apis/example.com/v1/namespaces/default/foos";
const V2 = V1.replace("v1", "v2");
const foo = (version: string, rest: Record<string, unknown> = {}, name = "a") => ({
  apiVersion: `example.com/${version}`,
  kind: "Foo",
  metadata: { name },
  ...rest,
});
const versionOf = (name: string, storage: boolean, schema: unknown, subresources: unknown = {}) => ({
  name,
  storage,
  served: true,
  schema: { openAPIV3Schema: schema },
  subresources,
});

const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u" };

let test: TestServer;
beforeEach(async () => {
  test = await startTestServer();
});
afterEach(() => {
  vi.useRealTimers();
  return test.close();
});

const define = (...versions: unknown[]) =>
  test.define({ group: "example.com", names: { plural: "foos", kind: "Foo" }, versions });
const stored = async (name = "a") => {
  const entry = await test.engine.get(`/registry/example.com/foos/default/${name}`);
  return JSON.parse(Buffer.from(entry!.value).toString("utf8"));
};
/** What the three ways of reading show of an object. */
async function seen(collection: string, pick: (json: Record<string, unknown>) => unknown): Promise<unknown[]> {
  const one = (await test.call("GET", `${collection}/a`)).json;
  const [first] = (await test.call("GET", collection)).json.items;
  const event = (await test.call("GET", `${collection}?watch=1&timeoutSeconds=1`)).json;
  return [one, first, event.object].map(pick);
}

describe("defaults", () => {
  const schema = (mine: string) => {
    const part = object({
      both: { ...text, default: "both" },
      v1: mine === "v1" ? { ...text, default: "one" } : text,
      v2: mine === "v2" ? { ...text, default: "two" } : text,
    });
    return object({ spec: { ...part, default: {} }, status: { ...part, default: {} } });
  };
  const withStatus = { status: {} };
  beforeEach(() =>
    define(versionOf("v1", false, schema("v1"), withStatus), versionOf("v2", true, schema("v2"), withStatus)),
  );

  it("are those of the version that is written, and then those of the version that is stored", async () => {
    const created = await test.call("POST", V1, foo("v1"));
    expect(created.json.spec).toEqual({ both: "both", v1: "one", v2: "two" });
    expect((await stored()).spec).toEqual({ both: "both", v1: "one" });
    expect(await seen(V1, ({ spec }) => spec)).toEqual(Array(3).fill(created.json.spec));
  });

  it("of a status that nobody wrote are shown by every answer, and not stored", async () => {
    const created = await test.call("POST", V2, foo("v2", { status: { both: "not yours to write" } }));
    const status = { both: "both", v2: "two" };
    expect(created.json.status).toEqual(status);
    expect(await stored()).not.toHaveProperty("status");
    expect(await seen(V2, (json) => json["status"])).toEqual([status, status, status]);
  });

  it("of a version that is not stored are not read into what is", async () => {
    await test.call("POST", V2, foo("v2", { spec: { both: "x" } }));
    expect(await seen(V1, ({ spec }) => spec)).toEqual(Array(3).fill({ both: "x", v2: "two" }));
  });

  it("of another version change nothing where an apply in it does not", async () => {
    const apply = (path: string, version: string) =>
      test.call("PATCH", `${path}/a?fieldManager=m`, foo(version, { spec: { both: "x" } }), {
        "content-type": "application/apply-patch+yaml",
      });
    const { json: created } = await apply(V2, "v2");
    const { json: applied } = await apply(V1, "v1");
    expect([applied.spec, applied.metadata.generation]).toEqual([created.spec, 1]);
    expect(applied.metadata.managedFields[0].apiVersion).toBe("example.com/v1");
  });
});

describe("resources in defaults", () => {
  const embedded = {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  };
  const resource = (metadata: unknown) => ({ apiVersion: "v1", kind: "Pod", metadata, spec: { any: 1 } });

  it.each([
    [
      "unknown members and zeros are dropped",
      { name: "a", other: 1, creationTimestamp: null, labels: {} },
      { name: "a" },
    ],
    ["inside too", { ownerReferences: [{ ...owner, other: 1 }] }, { ownerReferences: [owner] }],
    ["null is none", null, {}],
  ])("have metadata in its own shape: %s", async (_, metadata, shaped) => {
    const items = { ...list(embedded), default: [resource(metadata)] };
    await define(versionOf("v1", true, object({ one: { ...embedded, default: resource(metadata) }, items })));
    const definition = await test.call(
      "GET",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.example.com",
    );
    const { properties } = definition.json.spec.versions[0].schema.openAPIV3Schema;
    expect(properties.one.default).toEqual(resource(shaped));
    expect(properties.items.default).toEqual([resource(shaped)]);
    expect((await test.call("POST", V1, foo("v1"))).json).toMatchObject({ one: resource(shaped) });
  });
});

describe("fields that only one version knows", () => {
  const only = (name: string) => object({ spec: object({ both: text, [name]: text }) });
  const v1 = versionOf("v1", true, only("v1"));
  const v2 = versionOf("v2", false, only("v2"));
  const apply = (url: string, intent: unknown) =>
    test.call("PATCH", url, intent, { "content-type": "application/apply-patch+yaml" });
  beforeEach(() => define(v1, v2));

  it("are lost on the way to the other version, and the answer says so", async () => {
    const created = await test.call("POST", V2, foo("v2", { spec: { both: "x", v2: "gone" } }));
    expect(created.json.spec).toEqual({ both: "x" });
    const patched = await test.merge(`${V2}/a`, { spec: { both: "y", v2: "gone" } });
    expect(patched.json.spec).toEqual({ both: "y" });
  });

  it("belong to who applied them, and applying them again changes nothing", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const intent = foo("v2", { spec: { both: "x", v2: "gone" } });
    const first = await apply(`${V2}/a?fieldManager=m`, intent);
    expect([first.status, first.json.spec]).toEqual([201, { both: "x" }]);
    expect(first.json.metadata.managedFields[0].fieldsV1).toEqual({ "f:spec": { "f:both": {}, "f:v2": {} } });
    vi.setSystemTime(Date.now() + 5_000);
    const again = await apply(`${V2}/a?fieldManager=m`, intent);
    expect(again.json).toEqual(first.json);
  });

  it("are another's to apply only by force, and then theirs", async () => {
    await apply(`${V2}/a?fieldManager=m`, foo("v2", { spec: { v2: "gone" } }));
    const other = foo("v2", { spec: { v2: "other" } });
    const refused = await apply(`${V2}/a?fieldManager=n`, other);
    expect([refused.status, refused.json.details.causes[0].field]).toEqual([409, ".spec.v2"]);
    const forced = await apply(`${V2}/a?fieldManager=n&force=true`, other);
    expect(forced.json.metadata.managedFields.map((entry: { manager: string }) => entry.manager)).toEqual(["n"]);
  });

  it("stay with what is kept in that version when another one is stored from now on", async () => {
    await test.call("POST", V1, foo("v1", { spec: { both: "x", v1: "kept" } }));
    const versions = [
      { ...v1, storage: false },
      { ...v2, storage: true },
    ];
    await test.merge(`${test.definitions}/foos.example.com`, { spec: { versions } });
    expect(await seen(V1, ({ spec }) => spec)).toEqual(Array(3).fill({ both: "x", v1: "kept" }));
    expect(await seen(V2, ({ spec }) => spec)).toEqual(Array(3).fill({ both: "x" }));
  });
});

describe("explicit nulls", () => {
  const schema = object({
    spec: object({
      plain: text,
      nullable: { ...text, nullable: true },
      filled: { ...text, default: "d" },
      items: list(text),
    }),
  });
  const apply = (spec: unknown) =>
    test.call("PATCH", `${V1}/a?fieldManager=m`, foo("v1", { spec }), {
      "content-type": "application/apply-patch+yaml",
    });
  beforeEach(() => define(versionOf("v1", true, schema)));

  it("mean nothing in what is created, unless null is a value there", async () => {
    const { json } = await test.call("POST", V1, foo("v1", { spec: { plain: null, nullable: null, filled: null } }));
    expect(json.spec).toEqual({ nullable: null, filled: "d" });
  });

  it("are taken at their word when they are applied", async () => {
    const refused = await apply({ plain: null });
    expect([refused.status, refused.json.message]).toEqual([
      422,
      expect.stringContaining('spec.plain: Invalid value: "null": spec.plain in body must be of type string: "null"'),
    ]);
    const applied = await apply({ nullable: null, filled: null });
    expect([applied.status, applied.json.spec]).toEqual([201, { nullable: null, filled: "d" }]);
  });
});

describe("a definition that was stored when schemas pruned nothing", () => {
  const KEY = "/registry/apiextensions.k8s.io/customresourcedefinitions/foos.example.com";

  /** What its validation refuses today, as an older server left it. */
  async function keepUnknown(): Promise<void> {
    const entry = await test.engine.get(KEY);
    const definition = JSON.parse(Buffer.from(entry!.value).toString("utf8"));
    definition.spec.preserveUnknownFields = true;
    definition.metadata.generation += 1;
    await test.engine.update(KEY, Buffer.from(JSON.stringify(definition)), entry!.revision);
  }

  const spec = { known: "a", more: { deep: 1 }, items: [{ known: "b", other: 2 }] };
  const body = foo("v1", { spec, beside: true });

  beforeEach(async () => {
    const inner = object({ known: text });
    await define(versionOf("v1", true, object({ spec: object({ known: text, items: list(inner) }) })));
    await keepUnknown();
    await until(async () => {
      const { json } = await test.call("GET", `${test.definitions}/foos.example.com`);
      return json.spec.preserveUnknownFields === true;
    }, "the definition says so");
  });

  it("keeps what its schema does not know, at every level, and finds nothing unknown", async () => {
    const created = await test.call("POST", `${V1}?fieldValidation=Strict`, body);
    expect([created.status, created.json.message]).toEqual([201, undefined]);
    expect(await stored()).toMatchObject({ spec, beside: true });
    expect(await seen(V1, (json) => json["spec"])).toEqual([spec, spec, spec]);
  });

  it("lets what it does not know be applied, and owned", async () => {
    const headers = { "content-type": "application/apply-patch+yaml" };
    const applied = await test.call("PATCH", `${V1}/a?fieldManager=m`, body, headers);
    expect([applied.status, applied.json.spec]).toEqual([201, spec]);
    expect(applied.json.metadata.managedFields[0].fieldsV1["f:spec"]).toHaveProperty("f:more");
  });

  it("still refuses wrong types of what it knows", async () => {
    const refused = await test.call("POST", V1, foo("v1", { spec: { known: 1 } }));
    expect(refused.status).toBe(422);
  });
});

describe("a patch of a custom resource", () => {
  const merge = { "content-type": "application/merge-patch+json" };
  const shown = /^ "" is invalid: patch: Invalid value: "{\\"apiVersion\\":.*\\"metadata\\":{\\"creationTimestamp/;

  it("cannot change its type, and shows it in the order of its names", async () => {
    await define(versionOf("v1", true, object({ spec: object({ b: text, a: text }) })));
    await test.call("POST", V1, foo("v1", { spec: { b: "1", a: "2" } }));
    const rows: [patch: object, message: string | RegExp][] = [
      [{ kind: "Bar" }, 'Bar.example.com "a" is invalid: kind: Invalid value: "Bar": must be Foo'],
      [{ apiVersion: "v9" }, 'Foo "a" is invalid: apiVersion: Invalid value: "v9": must be example.com/v1'],
      [{ apiVersion: "a/b/c" }, shown],
      [{ kind: 5 }, /cannot unmarshal number into Go struct field .kind of type string$/],
      [{ kind: null }, /Object 'Kind' is missing$/],
    ];
    for (const [patch, message] of rows) {
      const { status, json } = await test.call("PATCH", `${V1}/a`, patch, merge);
      expect([patch, status]).toEqual([patch, 422]);
      expect(json.message).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
    }
  });
});

it("metadata of the object itself that cannot be read is told by its problem alone", async () => {
  await define(versionOf("v1", true, object({})));
  const { json } = await test.call("POST", V1, { ...foo("v1"), metadata: { name: "a", labels: { a: 1 } } });
  expect(json.message).toBe(
    'Foo in version "v1" cannot be handled as a Foo: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
  );
});
