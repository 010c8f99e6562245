// Document 1, "Field validation", and the Warning header of "Request and response headers".

import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { api, type Body, configMap } from "./conformance.testing.ts";

/** One unknown and one repeated field. */
const BODY = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME","bogus":1},"data":{"a":"1","a":"2"}}';
const UNKNOWN = 'unknown field "metadata.bogus"';
const REPEATED = 'duplicate field "data.a"';

interface Row {
  readonly mode: string;
  readonly status: number;
  readonly warnings: readonly string[];
}

const ROWS: readonly Row[] = [
  { mode: "?fieldValidation=Ignore", status: 201, warnings: [] },
  { mode: "?fieldValidation=Warn", status: 201, warnings: [UNKNOWN, REPEATED] },
  { mode: "", status: 201, warnings: [UNKNOWN, REPEATED] },
  { mode: "?fieldValidation=Strict", status: 400, warnings: [] },
];

describe("Field validation", () => {
  it.each(ROWS)("POST $mode", async ({ mode, status, warnings }) => {
    const server = await api();
    const at = await server.configMaps();
    const answer = await server.post(`${at}${mode}`, BODY.replace("NAME", "x"));
    assert.equal(answer.status, status);
    assert.deepEqual(
      answer.warnings,
      warnings.map((text) => `299 - "${text.replaceAll('"', '\\"')}"`),
    );
    if (status === 201) {
      assert.deepEqual(answer.json.data, { a: "2" });
      assert.equal("bogus" in answer.json.metadata, false);
    } else {
      assert.equal(
        answer.json.message,
        `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${UNKNOWN}, ${REPEATED}`,
      );
      assert.equal((await server.get(`${at}/x`)).status, 404);
    }
  });

  const TOGETHER: [body: string, findings: string][] = [
    [
      '"bogus":1,"data":{"a":"1","a":"2"},"other":1,"immutable":true,"immutable":true',
      'unknown field "bogus", duplicate field "data.a", unknown field "other", duplicate field "immutable"',
    ],
    // Repeated, but first of all unknown; and what is not known is not looked into.
    ['"bogus":{"x":1,"x":2},"bogus":1,"data":{"a":"1","a":"2"}', 'unknown field "bogus", duplicate field "data.a"'],
    ['"bogus":1,"bogus":2,"bogusToo":1', 'unknown field "bogus", unknown field "bogusToo"'],
    ['"data":{"a":"1","a":"2","a":"3"},"bogus":1', 'duplicate field "data.a", unknown field "bogus"'],
    ['"10":1,"data":{"a":"1","a":"2"},"2":1', 'unknown field "10", duplicate field "data.a", unknown field "2"'],
  ];
  it.each(TOGETHER)(
    "unknown and repeated fields together, each once, in the order of the text: %s",
    async (body, told) => {
      const server = await api();
      const at = await server.configMaps();
      const text = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},${body}}`;
      const answer = await server.post(`${at}?fieldValidation=Strict`, text);
      assert.equal(
        answer.json.message,
        `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${told}`,
      );
    },
  );

  it.each(ROWS)("PUT and the patches $mode", async ({ mode, status, warnings }) => {
    const server = await api();
    const at = await server.configMaps();
    await server.created(at, configMap("x", { a: "0" }));
    const patch = '{"metadata":{"bogus":1},"data":{"a":"1","a":"2"}}';
    const answers = [
      await server.call("PUT", `${at}/x${mode}`, BODY.replace("NAME", "x")),
      await server.patch(`${at}/x${mode}`, patch, "merge"),
      await server.patch(`${at}/x${mode}`, patch, "strategic"),
    ];
    for (const answer of answers) {
      assert.equal(answer.status < 300, status === 201, answer.text);
      assert.equal(answer.warnings.length, warnings.length, String(answer.warnings));
      if (status !== 201) {
        assert.match(answer.json.message, /unknown field \\?"metadata.bogus\\?"/);
        assert.match(answer.json.message, /duplicate field \\?"data.a\\?"/);
      }
    }
  });

  it.each(["merge", "strategic", "json"] as const)("a Strict %s patch with an unknown field is 400", async (type) => {
    const server = await api("platform");
    const at = await server.configMaps();
    const { metadata } = await server.created(at, configMap("x"));
    const body = type === "json" ? [{ op: "add", path: "/bogus", value: 1 }] : { bogus: 1 };
    const answer = await server.patch(`${at}/x?fieldValidation=Strict`, body, type);
    assert.deepEqual([answer.status, answer.json.reason], [400, "BadRequest"]);
    assert.match(answer.json.message, /strict decoding error: unknown field "bogus"$/);
    assert.equal((await server.get(`${at}/x`)).json.metadata.resourceVersion, metadata.resourceVersion);
  });

  it("a Strict patch with a repeated field is 400", async () => {
    const server = await api("platform");
    const at = await server.configMaps();
    await server.created(at, configMap("x"));
    const answer = await server.patch(`${at}/x?fieldValidation=Strict`, '{"data":{"a":"1","a":"2"}}', "merge");
    assert.equal(answer.status, 400);
    assert.match(answer.json.message, /duplicate field "data.a"$/);
  });

  it.each(ROWS)("apply with an unknown field $mode", async ({ mode, status, warnings }) => {
    const server = await api("platform");
    const at = await server.configMaps();
    const query = `${mode === "" ? "?" : `${mode}&`}fieldManager=m`;
    const answer = await server.patch(`${at}/x${query}`, { ...configMap("x", { a: "1" }), bogus: 1 }, "apply");
    assert.equal(answer.status, status, answer.text);
    assert.deepEqual(answer.warnings, warnings.length === 0 ? [] : ['299 - "unknown field \\"bogus\\""']);
    const stored = await server.get(`${at}/x`);
    if (status === 201) {
      assert.deepEqual(stored.json.data, { a: "1" });
      assert.doesNotMatch(stored.text, /bogus/);
    } else {
      assert.match(answer.json.message, /strict decoding error: unknown field "bogus"$/);
      assert.equal(stored.status, 404);
    }
  });

  it("apply with unknown fields says and owns nothing else than what was sent", async () => {
    const server = await api("platform");
    const at = (await server.configMaps()).replace("configmaps", "services/x");
    const service = (port: object, more: object = {}) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "x", ...more },
      spec: { ports: [{ port: 80, ...port }], ...more },
    });
    assert.equal((await server.apply(at, service({ targetPort: 8080 }), "a")).status, 201);
    const { status, json } = await server.apply(at, service({ bogus: { x: 1 } }, { odd: [{}] }), "b");
    assert.equal(status, 200, json.message);
    assert.equal(json.spec.ports[0].targetPort, 8080);
    const [, sent] = json.metadata.managedFields.sort((a: Body, b: Body) => (a.manager < b.manager ? -1 : 1));
    const key = 'k:{"port":80,"protocol":"TCP"}';
    assert.deepEqual(sent.fieldsV1, { "f:spec": { "f:ports": { [key]: { ".": {}, "f:port": {} } } } });
  });

  const KEYS = ["metadata.odd", "odd", "zero"].map((field) => `299 - "unknown field \\"${field}\\""`);

  it("finds the unknown fields of YAML in the order of keys", async () => {
    const server = await api();
    const at = await server.configMaps();
    const text = "zero: 1\nodd: 1\nmetadata: {odd: 1, name: a}\n";
    const answer = await server.post(at, text, { "content-type": "application/yaml" });
    assert.deepEqual([answer.status, answer.warnings], [201, KEYS]);
  });

  it.each(["merge", "strategic", "json"] as const)("finds those of a %s patch in the same order", async (type) => {
    const server = await api();
    const at = await server.configMaps();
    await server.created(at, configMap("a"));
    const operations = ["/zero", "/odd", "/metadata/odd"].map((path) => ({ op: "add", path, value: 1 }));
    const patch = type === "json" ? operations : { zero: 1, odd: 1, metadata: { odd: 1 } };
    assert.deepEqual((await server.patch(`${at}/a`, patch, type)).warnings, KEYS);
  });

  it("lists all unknown fields of a Strict request", async () => {
    const server = await api();
    const at = await server.configMaps();
    const answer = await server.post(`${at}?fieldValidation=Strict`, { ...configMap("x"), one: 1, two: 2 });
    assert.match(answer.json.message, /unknown field "one", unknown field "two"/);
  });

  it.each(["Ignore", "Warn", "Strict"])("reports only the first fatal error, %s", async (mode) => {
    const server = await api();
    const at = await server.configMaps();
    const answer = await server.post(`${at}?fieldValidation=${mode}`, { ...configMap("x"), data: { a: 1 }, bogus: 1 });
    assert.equal(answer.status, 400);
    assert.doesNotMatch(answer.json.message, /bogus/);
    assert.deepEqual(answer.warnings, []);
  });

  it("refuses another mode", async () => {
    const server = await api();
    const answer = await server.post("/api/v1/namespaces/default/configmaps?fieldValidation=Loud", configMap("x"));
    assert.equal(answer.status, 422);
    assert.equal(answer.json.details.causes[0].field, "fieldValidation");
  });

  it("refuses what is required and absent", async () => {
    const server = await api();
    const answer = await server.post("/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "x" } });
    assert.equal(answer.status, 422);
    assert.match(answer.json.message, /spec.selector: Required value/);
  });
});

describe("Warnings", () => {
  it("name each repeated key of a YAML body by its line", async () => {
    const server = await api();
    const body = "metadata: {name: a}\ndata:\n  x: '1'\n  x: '2'\n  x: '3'\n";
    const { status, warnings } = await server.post(await server.configMaps(), body, {
      "content-type": "application/yaml",
    });
    assert.equal(status, 201);
    assert.deepEqual(warnings, [
      '299 - "line 4: key \\"x\\" already set in map"',
      '299 - "line 5: key \\"x\\" already set in map"',
    ]);
  });

  it("come once each, and not without bound", async () => {
    const server = await api();
    const at = await server.configMaps();
    const few = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`unknown${i}${"x".repeat(1_000)}`, 1]));
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`unknown${i}`, 1]));
    for (const [name, unknown] of Object.entries({ few, many })) {
      const answer = await server.post(at, { ...configMap(name), ...unknown });
      assert.equal(answer.status, 201);
      const total = answer.warnings.reduce((sum, line) => sum + line.length, 0);
      assert.ok(total > 2_000 && total < 6_000, String(total));
      assert.equal(new Set(answer.warnings).size, answer.warnings.length);
    }
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
    const owned = await server.post(at, configMap("y", {}, { ownerReferences: [owner, owner, owner] }));
    assert.equal(owned.warnings.length, 1);
  });

  it("hold no line breaks and no control characters, whatever a field is called", async () => {
    const server = await api();
    const at = await server.configMaps();
    const answer = await server.post(at, { ...configMap("x"), 'a\r\nset-cookie: "x"\u0000': 1 });
    assert.equal(answer.status, 201);
    assert.doesNotMatch(answer.warnings.join(""), /[\u0000-\u001f]/);
  });
});
