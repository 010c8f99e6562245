// Custom resources through the whole server, in both dialects where names matter.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nextTurn } from "../../../base/next-turn.ts";
import { DIALECTS } from "../../../meta/names.ts";
import { MemoryEngine } from "../../../storage/memory-engine.ts";
import { startTestServer, type TestServer, until } from "./server.testing.ts";

const OPEN = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...more,
});
const version = (schema: unknown, more: Record<string, unknown> = {}) => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});
const names = (plural: string, kind: string) => ({ plural, kind });
const FOOS = "/apis/example.com/v1/namespaces/default/foos";
const foo = (name: string, rest: Record<string, unknown> = {}, apiVersion = "example.com/v1") => ({
  apiVersion,
  kind: "Foo",
  metadata: { name },
  ...rest,
});
const conditions = (json: { status: { conditions: { type: string; status: string }[] } }) =>
  Object.fromEntries(json.status.conditions.map(({ type, status }) => [type, status]));

let test: TestServer;
beforeEach(async () => {
  test = await startTestServer();
});
afterEach(() => test.close());

describe("protobuf and custom resources", () => {
  const PROTOBUF = "application/vnd.kubernetes.protobuf";
  const only = (kind: string) => `${PROTOBUF};as=${kind};g=meta.k8s.io;v=v1`;

  it.each([
    [`${FOOS}/a`, "PartialObjectMetadata", PROTOBUF],
    [FOOS, "PartialObjectMetadataList", PROTOBUF],
    [`${FOOS}?watch=1&timeoutSeconds=1`, "PartialObjectMetadata", `${PROTOBUF};stream=watch`],
  ])("shows metadata of %s as %s", async (path, kind, contentType) => {
    await test.define({ group: "example.com", names: names("foos", "Foo"), versions: [version(OPEN)] });
    await test.call("POST", FOOS, foo("a"));
    const { status, headers } = await test.call("GET", path, undefined, { accept: only(kind) });
    expect([status, headers["content-type"]]).toEqual([200, contentType]);
    expect((await test.call("GET", path, undefined, { accept: PROTOBUF })).status).toBe(406);
  });

  it("takes options of a delete", async () => {
    await test.define({ group: "example.com", names: names("foos", "Foo"), versions: [version(OPEN)] });
    await test.call("POST", FOOS, foo("a"));
    // DeleteOptions of v1 whose dryRun (5) is All; all of its bytes are ASCII.
    const options = "k8s\0\n\x13\n\x02v1\x12\rDeleteOptions\x12\x05*\x03All";
    expect((await test.call("DELETE", `${FOOS}/a`, options, { "content-type": PROTOBUF })).status).toBe(200);
    expect((await test.call("GET", `${FOOS}/a`)).status).toBe(200);
  });
});

describe("a definition", () => {
  it("is served and established when its creation is answered", async () => {
    await test.define({ group: "example.com", names: names("foos", "Foo"), versions: [version(OPEN)] });
    expect((await test.call("POST", FOOS, foo("a"))).status).toBe(201);
    const { json } = await test.call("GET", `${test.definitions}/foos.example.com`);
    expect(conditions(json)).toEqual({ NamesAccepted: "True", Established: "True" });
    expect(json.status.acceptedNames).toEqual({ plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" });
    expect(json.status.storedVersions).toEqual(["v1"]);
  });

  it("is not served while another one holds its names, and is once they are free", async () => {
    await test.define({ group: "example.com", names: names("foos", "Foo"), versions: [version(OPEN)] });
    await test.define({
      group: "example.com",
      names: { plural: "others", kind: "Foo", listKind: "OtherList" },
      versions: [version(OPEN)],
    });
    const others = "/apis/example.com/v1/namespaces/default/others";
    expect((await test.call("GET", others)).status).toBe(404);
    const waiting = await test.call("GET", `${test.definitions}/others.example.com`);
    expect(conditions(waiting.json)).toEqual({ NamesAccepted: "False", Established: "False" });
    expect(waiting.json.status.conditions[0]).toMatchObject({
      reason: "KindConflict",
      message: '"Foo" is already in use',
    });
    const third = { plural: "thirds", kind: "Foo", listKind: "ThirdList" };
    await test.define({ group: "example.com", names: third, versions: [version(OPEN)] });
    const url = `${test.definitions}/thirds.example.com`;
    expect((await test.call("DELETE", url)).json.metadata.finalizers).toEqual([
      "customresourcecleanup.apiextensions.k8s.io",
    ]);
    await until(async () => (await test.call("GET", url)).status === 404, "what was never served is let go");
    await test.call("DELETE", `${test.definitions}/foos.example.com`);
    await until(async () => (await test.call("GET", others)).status === 200, "the names are free");
  });

  it("is not served with an authority that nobody can trust, and is once it has a better one", async () => {
    const converted = (caBundle: string) => ({
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://127.0.0.1:1/", caBundle } },
    });
    await test.define({
      group: "example.com",
      names: names("foos", "Foo"),
      versions: [version(OPEN)],
      conversion: converted("Ym8="),
    });
    expect((await test.call("GET", FOOS)).status).toBe(404);
    const url = `${test.definitions}/foos.example.com`;
    const established = (await test.call("GET", url)).json.status.conditions[1];
    expect(established).toMatchObject({
      type: "Established",
      status: "False",
      reason: "InvalidCABundle",
      message: "The conversion webhook CABundle is invalid",
    });
    await test.merge(url, { spec: { conversion: { strategy: "None", webhook: null } } });
    await until(async () => (await test.call("GET", FOOS)).status === 200, "the definition is served");
  });

  it("with a format that nobody checks is accepted with a warning", async () => {
    const schema = object({ spec: object({ a: { type: "string", format: "sparkling" } }) });
    const body = test.definitionBody({
      group: "example.com",
      names: names("foos", "Foo"),
      versions: [version(schema)],
    });
    const { status, headers } = await test.call("POST", test.definitions, body);
    expect([status, headers.warning]).toEqual([201, ['299 - "unrecognized format \\"sparkling\\""']]);
  });

  it("goes after its objects, which no longer can be created", async () => {
    await test.define({ group: "example.com", names: names("foos", "Foo"), versions: [version(OPEN)] });
    await test.call("POST", FOOS, foo("plain"));
    await test.call("POST", FOOS, { ...foo("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } });
    const deleted = await test.call("DELETE", `${test.definitions}/foos.example.com`);
    expect(deleted.json.metadata.finalizers).toEqual(["customresourcecleanup.apiextensions.k8s.io"]);
    await until(
      async () => (await test.call("GET", `${FOOS}/plain`)).status === 404,
      "the object without finalizer is gone",
    );
    const late = await test.call("POST", FOOS, foo("late"));
    expect([late.status, late.json.message]).toEqual([
      405,
      "create not allowed while custom resource definition is terminating",
    ]);
    await test.merge(`${FOOS}/held`, { metadata: { finalizers: null } });
    await until(
      async () => (await test.call("GET", `${test.definitions}/foos.example.com`)).status === 404,
      "the definition is gone",
    );
    expect((await test.call("GET", FOOS)).status).toBe(404);
  });

  it("is served by the next server of the same store before that is ready", async () => {
    await test.define({ group: "example.com", names: names("foos", "Foo"), versions: [version(OPEN)] });
    await test.call("POST", FOOS, foo("a", { spec: { x: 1 } }));
    const next = await startTestServer({ engine: test.engine });
    expect((await next.call("GET", `${FOOS}/a`)).json.spec).toEqual({ x: 1 });
    await next.close();
  });

  it("is established when its creation is answered, where another process writes its status", async () => {
    const engine = new MemoryEngine();
    const follower = await startTestServer({ engine, follows: true });
    let answered = false;
    const creating = follower
      .define({ group: "example.com", names: names("foos", "Foo"), versions: [version(OPEN)] })
      .then(() => {
        answered = true;
      });
    const url = `${follower.definitions}/foos.example.com`;
    await until(async () => (await follower.call("GET", url)).status === 200, "the definition is stored");
    for (let turns = 0; turns < 20; turns++) await nextTurn();
    expect(answered).toBe(false);
    const owner = await startTestServer({ engine });
    await creating;
    const { json } = await follower.call("GET", url);
    expect(conditions(json)).toEqual({ NamesAccepted: "True", Established: "True" });
    await follower.close();
    await owner.close();
  });

  it("that was stored without being judged is served, and its status says what is wrong", async () => {
    const body = test.definitionBody({
      group: "example.com",
      names: { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" },
      versions: [version(object({ a: {} }))],
    });
    const engine = new MemoryEngine();
    const metadata = {
      ...(body["metadata"] as object),
      uid: "u",
      creationTimestamp: "2024-01-01T00:00:00Z",
      generation: 1,
    };
    const stored = {
      ...body,
      metadata,
      status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] },
    };
    await engine.create(
      "/registry/apiextensions.k8s.io/customresourcedefinitions/foos.example.com",
      Buffer.from(JSON.stringify(stored)),
    );
    const other = await startTestServer({ engine });
    expect((await other.call("GET", FOOS)).status).toBe(200);
    const url = `${other.definitions}/foos.example.com`;
    await until(async () => (await other.call("GET", url)).json.status.conditions !== null, "the status is written");
    const { json } = await other.call("GET", url);
    expect(conditions(json)).toEqual({ NamesAccepted: "True", Established: "True", NonStructuralSchema: "True" });
    await other.merge(url, { spec: { versions: [version(OPEN)] } });
    await until(
      async () => (await other.call("GET", url)).json.status.conditions.length === 2,
      "the condition is gone",
    );
    await other.close();
  });

  it("cannot take the place of the server's own objects", async () => {
    const group = "apiextensions.k8s.io";
    const platform = await startTestServer({ dialect: "platform" });
    await platform.define({
      group,
      names: { plural: "customresourcedefinitions", kind: "Fake", listKind: "FakeList" },
      versions: [version(OPEN)],
    });
    expect((await platform.call("GET", `/apis/${group}/v1/namespaces/default/customresourcedefinitions`)).status).toBe(
      404,
    );
    await platform.close();
  });

  it.each(DIALECTS)("of a protected group needs an approval (%s)", async (dialect) => {
    const server = await startTestServer({ dialect });
    const domain = dialect === "platform" ? "platform.io" : "kubernetes.io";
    const group = dialect === "platform" ? "x.platform.io" : "x.k8s.io";
    const spec = { group, names: names("foos", "Foo"), versions: [version(OPEN)] };
    const annotation = `api-approved.${domain}`;
    const refused = await server.call("POST", server.definitions, server.definitionBody(spec));
    expect(refused.json.details.causes[0]).toMatchObject({
      field: `metadata.annotations[${annotation}]`,
      reason: "FieldValueRequired",
    });
    await server.define(spec, { annotations: { [annotation]: "unapproved, for a test" } });
    const { json } = await server.call("GET", `${server.definitions}/foos.${group}`);
    expect(conditions(json)).toMatchObject({ Established: "True", KubernetesAPIApprovalPolicyConformant: "False" });
    await server.close();
  });
});

describe("objects of a definition", () => {
  it("follow a schema that changes: new defaults are read, unknown fields are not", async () => {
    const schema = (spec: Record<string, unknown>) => [version(object({ spec: object(spec) }))];
    await test.define({
      group: "example.com",
      names: names("foos", "Foo"),
      versions: schema({ a: { type: "string" }, old: { type: "string" } }),
    });
    await test.call("POST", FOOS, foo("a", { spec: { old: "x" } }));
    const url = `${test.definitions}/foos.example.com`;
    await test.merge(url, { spec: { versions: schema({ a: { type: "string", default: "later" } }) } });
    expect((await test.call("GET", `${FOOS}/a`)).json.spec).toEqual({ a: "later" });
    expect((await test.call("GET", FOOS)).json.items[0].spec).toEqual({ a: "later" });
  });

  it("count generations of what is wanted, not of status or metadata", async () => {
    const schema = object({ spec: object({ x: { type: "integer" } }), status: object({ y: { type: "integer" } }) });
    await test.define({
      group: "example.com",
      names: names("foos", "Foo"),
      versions: [version(schema, { subresources: { status: {} } })],
    });
    const created = await test.call("POST", FOOS, foo("a", { spec: { x: 1 }, status: { y: 9 } }));
    expect([created.json.metadata.generation, created.json.status]).toEqual([1, undefined]);
    const labelled = await test.merge(`${FOOS}/a`, { metadata: { labels: { l: "1" } } });
    expect(labelled.json.metadata.generation).toBe(1);
    const changed = await test.merge(`${FOOS}/a`, { spec: { x: 2 }, status: { y: 1 } });
    expect([changed.json.metadata.generation, changed.json.status]).toEqual([2, undefined]);
    const status = await test.merge(`${FOOS}/a/status`, {
      metadata: { labels: { l: "2" } },
      spec: { x: 5 },
      status: { y: 3 },
    });
    expect([
      status.json.metadata.generation,
      status.json.metadata.labels,
      status.json.spec,
      status.json.status,
    ]).toEqual([2, { l: "1" }, { x: 2 }, { y: 3 }]);
  });

  it("are selected by the fields that the definition names, and by no others", async () => {
    const schema = object({ spec: object({ color: { type: "string" }, n: { type: "integer" } }) });
    const selectableFields = [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.n" }];
    await test.define({
      group: "example.com",
      names: names("foos", "Foo"),
      versions: [version(schema, { selectableFields })],
    });
    await test.call("POST", FOOS, foo("red", { spec: { color: "red", n: 1 } }));
    await test.call("POST", FOOS, foo("blue", { spec: { color: "blue", n: 2 } }));
    const selected = async (selector: string) =>
      (await test.call("GET", `${FOOS}?fieldSelector=${encodeURIComponent(selector)}`)).json;
    expect(
      (await selected("spec.color=red")).items.map((item: { metadata: { name: string } }) => item.metadata.name),
    ).toEqual(["red"]);
    expect((await selected("spec.n=2,spec.color!=red")).items).toHaveLength(1);
    expect((await selected("spec.other=1")).message).toBe("field label not supported: spec.other");
  });

  it("keep what did not change although a new rule forbids it", async () => {
    const versions = (rules: unknown[]) => [
      version(
        object({
          spec: object({
            a: { type: "string", maxLength: 20, "x-kubernetes-validations": rules },
            b: { type: "integer" },
          }),
        }),
      ),
    ];
    await test.define({ group: "example.com", names: names("foos", "Foo"), versions: versions([{ rule: "true" }]) });
    await test.call("POST", FOOS, foo("a", { spec: { a: "bad", b: 1 } }));
    await test.merge(`${test.definitions}/foos.example.com`, {
      spec: { versions: versions([{ rule: "self != 'bad'", message: "not bad" }]) },
    });
    const kept = await test.merge(`${FOOS}/a`, { spec: { b: 2 } });
    expect(kept.status).toBe(200);
    expect(JSON.stringify(kept.headers)).toContain("not bad");
    expect((await test.merge(`${FOOS}/a`, { spec: { a: "worse" } })).status).toBe(200);
    expect((await test.merge(`${FOOS}/a`, { spec: { a: "bad" } })).status).toBe(422);
  });

  it("have a scale when the definition says where it is", async () => {
    const schema = object({
      spec: object({ size: { type: "integer" } }),
      status: object({ size: { type: "integer" }, selector: { type: "string" } }),
    });
    const scale = {
      specReplicasPath: ".spec.size",
      statusReplicasPath: ".status.size",
      labelSelectorPath: ".status.selector",
    };
    await test.define({
      group: "example.com",
      names: names("foos", "Foo"),
      versions: [version(schema, { subresources: { status: {}, scale } })],
    });
    await test.call("POST", FOOS, foo("a", { spec: { size: 2 } }));
    await test.merge(`${FOOS}/a/status`, { status: { size: 1, selector: "app=x" } });
    const got = await test.call("GET", `${FOOS}/a/scale`);
    expect(got.json).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "app=x" },
    });
    await test.merge(`${FOOS}/a/scale`, { spec: { replicas: 7 } });
    expect((await test.call("GET", `${FOOS}/a`)).json.spec).toEqual({ size: 7 });
    await test.call("POST", FOOS, foo("b", { spec: {} }));
    expect((await test.call("GET", `${FOOS}/b/scale`)).json.message).toContain(
      'the spec replicas field ".spec.size" does not exist',
    );
  });

  it("have no strategic merge", async () => {
    await test.define({ group: "example.com", names: names("foos", "Foo"), versions: [version(OPEN)] });
    await test.call("POST", FOOS, foo("a"));
    expect(
      (await test.call("PATCH", `${FOOS}/a`, {}, { "content-type": "application/strategic-merge-patch+json" })).status,
    ).toBe(415);
  });

  it("survive names that objects have from birth", async () => {
    const schema =
      '{"type":"object","properties":{"spec":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}}}';
    const body = JSON.stringify(
      test.definitionBody({ group: "example.com", names: names("foos", "Foo"), versions: [version("SCHEMA")] }),
    ).replace('"SCHEMA"', schema);
    expect((await test.call("POST", test.definitions, body)).status).toBe(201);
    const created = await test.call(
      "POST",
      FOOS,
      '{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a"},"spec":{"__proto__":"x","constructor":"y","toString":"z"}}',
    );
    expect(JSON.stringify(created.json.spec)).toBe('{"__proto__":"x","constructor":"y"}');
  });
});

describe("what is wrong with an object", () => {
  const text = { type: "string" };
  const resource = {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  };
  const define = (spec: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    test.define({ group: "example.com", names: names("foos", "Foo"), versions: [version(object(spec), more)] });

  it("keeps rules from running where it is a word that is not listed", async () => {
    const rule = { "x-kubernetes-validations": [{ rule: "self != 'b'" }] };
    await define({ spec: object({ a: { ...text, enum: ["a"] }, b: { ...text, ...rule } }) });
    const { json } = await test.call("POST", FOOS, foo("a", { spec: { a: "x", b: "b" } }));
    expect(json.details.causes.map(({ field }: { field: string }) => field)).toEqual(["spec.a", "<nil>"]);
  });

  it("is dropped from the metadata of resources in it that were stored before the schema", async () => {
    await test.define({ group: "example.com", names: names("foos", "Foo"), versions: [version(OPEN)] });
    const one = { apiVersion: "v1", kind: "Pod", metadata: { name: "x", annotations: { a: 1 } } };
    await test.call("POST", FOOS, foo("a", { spec: { one } }));
    const schema = object({ spec: object({ one: resource, b: text }) });
    await test.merge(`${test.definitions}/foos.example.com`, { spec: { versions: [version(schema)] } });
    const left = { ...one, metadata: { name: "x" } };
    expect((await test.call("GET", `${FOOS}/a`)).json.spec).toEqual({ one: left });
    expect((await test.merge(`${FOOS}/a`, { spec: { b: "new" } })).json.spec).toEqual({ one: left, b: "new" });
  });

  it("is told of a status by itself, without what the spec has", async () => {
    const schema = { spec: object({ one: resource }), status: object({ a: text }) };
    await define(schema, { subresources: { status: {} } });
    await test.call("POST", FOOS, foo("a", { spec: { one: { apiVersion: "v1", kind: "Pod" } } }));
    const { json } = await test.merge(`${FOOS}/a/status`, { status: { a: 1 } });
    expect(json.details.causes).toEqual([
      {
        reason: "FieldValueTypeInvalid",
        message: 'Invalid value: "integer": a in body must be of type string: "integer"',
        field: "status.a",
      },
    ]);
  });
});

describe("the status of a definition without a schema of its own", () => {
  it("is applied beside a spec that another manager has set otherwise", async () => {
    const open = version(OPEN, { subresources: { status: {} } });
    await test.define({ group: "example.com", names: names("foos", "Foo"), versions: [open] });
    await test.call("POST", FOOS, foo("a", { spec: { size: 1 } }));
    const intent = foo("a", { spec: { size: 2 }, status: { seen: true } });
    const { status, json } = await test.call("PATCH", `${FOOS}/a/status?fieldManager=controller`, intent, {
      "content-type": "application/apply-patch+yaml",
    });
    expect([status, json.spec, json.status]).toEqual([200, { size: 1 }, { seen: true }]);
  });
});

describe("versions", () => {
  const schema = (more: Record<string, unknown> = {}) => object({ spec: object({ a: { type: "string" }, ...more }) });

  it("differ in apiVersion and schema, and follow a change of the stored one", async () => {
    const v1 = version(schema());
    const v2 = version(schema({ b: { type: "string", default: "two" } }), { name: "v2", storage: false });
    await test.define({ group: "example.com", names: names("foos", "Foo"), versions: [v1, v2] });
    await test.call("POST", FOOS, foo("a", { spec: { a: "x" } }));
    const asV2 = FOOS.replace("v1", "v2");
    expect((await test.call("GET", `${asV2}/a`)).json).toMatchObject({
      apiVersion: "example.com/v2",
      spec: { a: "x" },
    });

    const url = `${test.definitions}/foos.example.com`;
    await test.merge(url, {
      spec: {
        versions: [
          { ...v1, storage: false },
          { ...v2, storage: true },
        ],
      },
    });
    expect((await test.call("GET", url)).json.status.storedVersions).toEqual(["v1", "v2"]);
    expect((await test.call("GET", `${FOOS}/a`)).json).toMatchObject({
      apiVersion: "example.com/v1",
      spec: { a: "x" },
    });
    const asStored = (await test.call("GET", asV2)).json.items[0];
    expect([asStored.apiVersion, asStored.spec]).toEqual(["example.com/v2", { a: "x" }]);
    // Once it is written it is kept in the other version, and has what that version says of it.
    await test.merge(`${FOOS}/a`, { metadata: { labels: { moved: "yes" } } });
    expect((await test.call("GET", asV2)).json.items[0].spec).toEqual({ a: "x", b: "two" });

    const gone = await test.merge(url, { spec: { versions: [{ ...v2, storage: true }] } });
    expect(gone.json.message).toMatch(/status.storedVersions\[0\]: Invalid value: "v1": missing from spec.versions/);
    await test.merge(`${url}/status`, { status: { storedVersions: ["v2"] } });
    expect((await test.merge(url, { spec: { versions: [{ ...v2, storage: true }] } })).status).toBe(200);
    expect((await test.call("GET", FOOS)).status).toBe(404);
  });

  it("are watched in the version that was asked for", async () => {
    await test.define({
      group: "example.com",
      names: names("foos", "Foo"),
      versions: [version(schema()), version(schema(), { name: "v2", storage: false })],
    });
    await test.call("POST", FOOS, foo("a"));
    const { json } = await test.call("GET", `${FOOS.replace("v1", "v2")}?watch=1&timeoutSeconds=1`);
    expect(json.type ?? json).toBe("ADDED");
    expect(json.object.apiVersion).toBe("example.com/v2");
  });
});

describe("rules that cost too much", () => {
  it("are refused with the definition, and stopped when they run over budget", async () => {
    const list = (rule: string, bounds: Record<string, unknown>) => ({
      group: "example.com",
      names: names("foos", "Foo"),
      versions: [
        version(
          object({
            spec: object({
              l: {
                type: "array",
                items: { type: "string", ...(bounds["maxItems"] ? { maxLength: 10 } : {}) },
                ...bounds,
                "x-kubernetes-validations": [{ rule }],
              },
            }),
          }),
        ),
      ],
    });
    const quadratic = "self.all(x, self.all(y, x != 'zz' || y != 'zz'))";
    const refused = await test.call("POST", test.definitions, test.definitionBody(list(quadratic, {})));
    expect(refused.json.message).toMatch(
      /estimated rule cost exceeds budget by factor of more than 100x \(try simplifying the rule/,
    );
    await test.define(list(quadratic, { maxItems: 900 }));
    expect((await test.call("POST", FOOS, foo("a", { spec: { l: ["a"] } }))).status).toBe(201);
    const stopped = await test.call(
      "POST",
      FOOS,
      foo("b", { spec: { l: Array.from({ length: 900 }, (_, i) => `i${i}`) } }),
    );
    expect(stopped.status).toBe(422);
    expect(stopped.json.message).toMatch(
      /no further validation rules will be run due to call cost exceeds limit for rule/,
    );
  });
});
