// PATCH of every kind: which is taken, what it leaves, and how it is refused.
// Requirements: document 1, "Update mechanisms", "Field validation", "Media types".

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";

const PATH = "/api/v1/namespaces/default/configmaps";
const TYPES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;
type Type = keyof typeof TYPES;

let server: ServerInProcess;
let at = 0;
let name: string;
beforeAll(async () => {
  server = await serverInProcess({ dialect: "platform" });
});
afterAll(() => server.close());
beforeEach(async () => {
  name = `c${at++}`;
  const { status } = await server.call("POST", PATH, { metadata: { name, labels: { a: "1" } }, data: { a: "1" } });
  expect(status).toBe(201);
});

const patch = (type: Type, body: unknown, query = "", headers: Record<string, string> = {}) =>
  server.call("PATCH", `${PATH}/${name}${query}`, body, { "content-type": TYPES[type], ...headers });

describe("a patch", () => {
  const rows: [type: Type, body: () => unknown, data: object | undefined][] = [
    ["json", () => [{ op: "add", path: "/data/b", value: "2" }], { a: "1", b: "2" }],
    ["json", () => [], { a: "1" }],
    ["json", () => [{ op: "remove", path: "/data" }], undefined],
    ["merge", () => ({ data: { b: "2" } }), { a: "1", b: "2" }],
    ["merge", () => ({ data: { a: null, b: "2" } }), { b: "2" }],
    ["merge", () => ({ data: null }), undefined],
    ["strategic", () => ({ data: { b: "2" } }), { a: "1", b: "2" }],
    ["strategic", () => ({ data: { $patch: "replace", b: "2" } }), { b: "2" }],
    ["strategic", () => ({ kind: "Secret", apiVersion: "x/v1", data: { b: "2" } }), { a: "1", b: "2" }],
    [
      "apply",
      () => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { b: "2" } }),
      { a: "1", b: "2" },
    ],
  ];
  it.each(rows)("of type %s leaves what it says: row %#", async (type, body, data) => {
    const answer = await patch(type, body(), type === "apply" ? "?fieldManager=m" : "");
    expect([answer.status, answer.json.data]).toEqual([200, data]);
    expect((await server.call("GET", `${PATH}/${name}`)).json).toEqual(answer.json);
  });

  const refused: [what: string, type: Type, body: unknown, query: string, code: number][] = [
    ["that is no JSON", "merge", "{", "", 400],
    ["that is no list of operations", "json", {}, "", 400],
    ["whose test fails", "json", [{ op: "test", path: "/data/a", value: "2" }], "", 422],
    ["of a place that is not there", "json", [{ op: "remove", path: "/data/none" }], "", 422],
    ["that leaves no object", "merge", "1", "", 400],
    ["that replaces the whole by none", "json", [{ op: "replace", path: "", value: 1 }], "", 422],
    ["that leaves another type", "merge", { data: [1] }, "", 422],
    ["that leaves another kind", "merge", { kind: "Secret" }, "", 422],
    ["that leaves another version", "merge", { apiVersion: "v2" }, "", 422],
    ["that leaves a version that is none", "merge", { apiVersion: "a/b/c" }, "", 422],
    ["that renames", "merge", { metadata: { name: "other" } }, "", 400],
    ["that takes the name away", "merge", { metadata: { name: null } }, "", 400],
    ["that breaks a rule of the kind", "merge", { data: { "a b": "" } }, "", 422],
    ["that is no apply, by force", "merge", {}, "?force=true", 422],
    ["that applies for nobody", "apply", { metadata: {} }, "", 422],
  ];
  it.each(refused)("%s is refused: %s", async (_, type, body, query, code) => {
    const before = (await server.call("GET", `${PATH}/${name}`)).text;
    expect((await patch(type, body, query)).status).toBe(code);
    expect((await server.call("GET", `${PATH}/${name}`)).text).toBe(before);
  });

  it.each<[type: Type, body: unknown]>([
    ["json", [{ op: "test", path: "/x", value: 1 }]],
    ["merge", "{"],
    ["strategic", {}],
  ])("of type %s creates nothing: what is not there is 404 whatever the patch says", async (type, body) => {
    name = "none";
    expect((await patch(type, body)).status).toBe(404);
  });

  it("of a type that is none is 415", async () => {
    const { status } = await server.call("PATCH", `${PATH}/${name}`, {}, { "content-type": "application/json" });
    expect(status).toBe(415);
  });
});

describe("unknown and repeated fields of a patch", () => {
  const rows: [type: Type, body: string, warnings: number][] = [
    ["merge", '{"extra":1}', 1],
    ["merge", '{"data":{"x":"1","x":"2"}}', 1],
    ["json", '[{"op":"add","path":"/extra","value":1}]', 1],
    ["json", '[{"op":"add","path":"/data/x","value":"1","extra":1}]', 1],
    ["strategic", '{"extra":1,"more":2}', 2],
    ["merge", '{"data":{"x":"1"}}', 0],
  ];
  it.each(rows)("in %s %s", async (type, body, count) => {
    expect((await patch(type, body, "?fieldValidation=Ignore")).warnings).toEqual([]);
    expect((await patch(type, body, "?fieldValidation=Strict")).status).toBe(count === 0 ? 200 : 400);
    const warned = await patch(type, body);
    expect([warned.status, warned.warnings.length]).toEqual([200, count]);
  });
});

describe("unknown fields of a patch, in the order of their names", () => {
  const body = '{"more":2,"extra":1}';

  it("are warned of", async () => {
    const { warnings } = await patch("merge", body);
    expect(warnings.join()).toMatch(/extra.*more/);
  });

  it("are refused", async () => {
    const { text } = await patch("merge", body, "?fieldValidation=Strict");
    expect(text).toMatch(/extra.*more/);
  });
});

describe("a patch that is none", () => {
  const NOT_APPLIED = "the server rejected our request due to an error in our request";
  const END = "unexpected end of JSON input";
  const rows: [type: Type, body: string, ignored: [code: number, message: string], warned: [number, string]][] = [
    ["json", "[{", [400, END], [400, `error decoding patch: ${END}`]],
    ["merge", "{", [400, "Invalid JSON Patch"], [400, `error decoding patch: ${END}`]],
    ["json", "{}", [400, "type jsonpatch.Patch"], [400, "type []handlers.jsonPatchOp"]],
    ["json", "[1]", [400, "type jsonpatch.Operation"], [400, "type handlers.jsonPatchOp"]],
    ["json", "[null]", [422, NOT_APPLIED], [422, NOT_APPLIED]],
    ["json", '[{"op":1,"path":"/data/a"}]', [422, NOT_APPLIED], [400, "field jsonPatchOp.op of type string"]],
    ["json", '[{"op":"add","path":1}]', [422, NOT_APPLIED], [400, "field jsonPatchOp.path of type string"]],
    ["merge", "1", [400, "Invalid JSON Patch"], [400, "cannot unmarshal number"]],
    ["merge", "[1]", [422, 'patch: Invalid value: "[1]": couldn\'t get version/kind'], [400, "cannot unmarshal array"]],
  ];
  it.each(rows)("%s %s", async (type, body, ignored, warned) => {
    for (const [query, [code, message]] of [
      ["?fieldValidation=Ignore", ignored],
      ["", warned],
    ] as const) {
      const { status, json } = await patch(type, body, query);
      expect([status, json.message]).toEqual([code, expect.stringContaining(message)]);
    }
  });
});

describe("the version that a patch expects", () => {
  const versions: [what: string, header: (now: string) => string, code: number][] = [
    ["the newest", (now) => now, 200],
    ["quoted", (now) => `"${now}"`, 200],
    ["weak", (now) => `W/"${now}"`, 200],
    ["any", () => "*", 200],
    ["another", () => '"1"', 409],
  ];
  it.each(versions)("in a header: %s", async (_, header, code) => {
    const now = (await server.call("GET", `${PATH}/${name}`)).json.metadata.resourceVersion;
    expect((await patch("merge", { data: { x: "1" } }, "", { "if-match": header(now) })).status).toBe(code);
  });

  it("in a header of an apply", async () => {
    const intent = (of: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: of } });
    const apply = (of: string, version: string) =>
      server.call("PATCH", `${PATH}/${of}?fieldManager=m`, intent(of), {
        "content-type": TYPES.apply,
        "if-match": version,
      });
    expect((await apply(name, "*")).status).toBe(200);
    expect((await apply(name, '"1"')).status).toBe(409);
    expect((await apply(`${name}-absent`, '"1"')).status).toBe(409);
  });

  it("in the patch itself", async () => {
    const stale = { metadata: { resourceVersion: "1" } };
    expect((await patch("merge", stale)).status).toBe(409);
    expect((await patch("strategic", stale)).status).toBe(409);
  });
});

describe("an apply in another version than before", () => {
  it("that cannot be read there is the mistake of who sent it", async () => {
    const upstream = await serverInProcess({ dialect: "kubernetes" });
    const at = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/${name}`;
    const apply = (version: string, more: object) => {
      const spec = {
        maxReplicas: 2,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        ...more,
      };
      const kind = "HorizontalPodAutoscaler";
      const body = { apiVersion: `autoscaling/${version}`, kind, metadata: { name }, spec };
      return upstream.call("PATCH", `${at(version)}?fieldManager=m`, body, { "content-type": TYPES.apply });
    };
    expect((await apply("v1", { minReplicas: 1, targetCPUUtilizationPercentage: 60 })).status).toBe(201);
    const object = {
      describedObject: { kind: "K", name: "n" },
      metric: { name: "m" },
      target: { averageValue: "abc" },
    };
    const { status, json } = await apply("v2", { metrics: [{ type: "Object", object }] });
    expect([status, json.message]).toEqual([
      400,
      expect.stringContaining("quantities must match the regular expression"),
    ]);
    await upstream.close();
  });
});
