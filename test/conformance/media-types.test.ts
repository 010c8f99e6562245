// Document 1, "Media types", "Request and response headers", "Table representation", "Protobuf envelope", "Query parameters".

import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { describe, it } from "vitest";
import { callInProcess } from "../../src/http/in-process.testing.ts";
import { api, configMap, inBothDialects } from "./conformance.testing.ts";

inBothDialects("Media types", (dialect) => {
  it("answers in JSON, YAML and protobuf, and reads all three", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    const { protobufMediaType } = server.names;
    await server.created(at, configMap("x", { k: "1" }));
    const get = async (accept: string) =>
      callInProcess(server.server.handler, { method: "GET", url: `${at}/x`, headers: { accept } });
    assert.match(
      Buffer.from((await get("application/yaml")).body).toString(),
      /^apiVersion: v1\ndata:\n {2}k: "1"\nkind: ConfigMap\n/,
    );
    const { body, headers } = await get(protobufMediaType);
    assert.equal(headers["content-type"], protobufMediaType);
    // The envelope: a magic number, then `Unknown` with apiVersion and kind first.
    assert.deepEqual([...body.subarray(0, 4)], [0x6b, 0x38, 0x73, 0x00]);
    assert.match(Buffer.from(body).toString("latin1"), /^k8s\0\n.\n\x02v1\x12\tConfigMap/s);
    await server.delete(`${at}/x`);
    const again = await server.post(at, body, { "content-type": protobufMediaType });
    // The version of the object that was is not for a new one.
    assert.equal(again.status, 400);
    assert.equal(
      (await server.post(at, "metadata: {name: yaml}\n", { "content-type": "application/yaml" })).status,
      201,
    );
  });

  it("takes the first of several that it has", async () => {
    const server = await api(dialect);
    const group = server.names.group("meta");
    const accepts: [string, string][] = [
      ["image/png, application/yaml", "application/yaml"],
      ["*/*", "application/json"],
      [`application/json;as=Table;g=${group};v=v1, application/json`, "application/json"],
      [`application/json;as=Bogus;g=${group};v=v1, application/json`, "application/json"],
    ];
    for (const [accept, expected] of accepts) {
      const answer = await server.get("/api/v1/namespaces/default", { accept });
      assert.equal(String(answer.headers["content-type"]).split(";")[0], expected, accept);
    }
  });

  it.each(["None", "Metadata", "Object"])(
    "shows the same rows in a long Table as in a short one, with %s included",
    async (included) => {
      const server = await api(dialect);
      const at = await server.configMaps();
      const accept = `application/json;as=Table;g=${server.names.group("meta")};v=v1`;
      const hostile = { annotations: { a: '}],"managedFields":[{"\\', b: '\\"}]{<\u2028é', c: '"}}' } };
      const count = 320;
      for (let index = 0; index < count; index += 1) {
        const name = `x-${String(index).padStart(4, "0")}`;
        await server.created(at, configMap(name, { k: "\u{1F600}" }, index % 7 === 0 ? hostile : {}));
      }
      const long = (await server.get(`${at}?includeObject=${included}`, { accept })).json;
      assert.equal(long.rows.length, count);
      const rows: unknown[] = [];
      for (let next = ""; next !== undefined; ) {
        const page = await server.get(`${at}?includeObject=${included}&limit=50&continue=${next}`, { accept });
        assert.deepEqual(page.json.columnDefinitions, long.columnDefinitions);
        rows.push(...page.json.rows);
        next = page.json.metadata.continue;
      }
      // A second may have passed in between.
      const ageless = (row: { cells: unknown[] }) => ({ ...row, cells: row.cells.slice(0, -1) });
      assert.deepEqual(long.rows.map(ageless), (rows as { cells: unknown[] }[]).map(ageless));
    },
  );

  it("shows a Table with the columns of the kind", async () => {
    const server = await api(dialect);
    const group = server.names.group("meta");
    const at = await server.configMaps();
    await server.created(at, configMap("x", { k: "1" }));
    const { json } = await server.get(at, { accept: `application/json;as=Table;g=${group};v=v1` });
    assert.deepEqual([json.kind, json.apiVersion], ["Table", `${group}/v1`]);
    assert.deepEqual(
      json.columnDefinitions.map((column: { name: string; type: string }) => `${column.name} ${column.type}`),
      ["Name string", "Data string", "Age string"],
    );
    assert.deepEqual(json.rows[0].cells.slice(0, 2), ["x", 1]);
    assert.equal(json.rows[0].object.kind, "PartialObjectMetadata");
  });

  it("leaves annotations that stand for fields out where only the metadata is shown", async () => {
    const server = await api(dialect);
    const space = (await server.configMaps()).replace("configmaps", "daemonsets").replace("/api/v1", "/apis/apps/v1");
    await server.created(space, {
      metadata: { name: "a" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    const as = async (form: string) =>
      (await server.get(`${space}/a`, { accept: `application/json;as=${form};v=v1;g=${server.names.group("meta")}` }))
        .json;
    assert.ok((await server.get(`${space}/a`)).json.metadata.annotations);
    assert.equal((await as("PartialObjectMetadata")).metadata.annotations, undefined);
    assert.equal((await as("Table")).rows[0].object.metadata.annotations, undefined);
  });

  it("shows one object and a list each in its own form of metadata", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("a"));
    const as = async (path: string, form: string, method = "GET") => {
      const accept = `application/json;as=${form};v=v1;g=${server.names.group("meta")}`;
      const { status, json } = await server.call(method, path, undefined, { accept });
      return [status, json.kind];
    };
    assert.deepEqual(await as(at, "PartialObjectMetadata"), [406, "Status"]);
    assert.deepEqual(await as(at, "PartialObjectMetadata", "DELETE"), [406, "Status"]);
    assert.deepEqual(await as(`${at}/a`, "PartialObjectMetadataList"), [406, "Status"]);
    assert.deepEqual(await as(at, "PartialObjectMetadataList"), [200, "PartialObjectMetadataList"]);
    assert.deepEqual(await as(`${at}/a`, "PartialObjectMetadata"), [200, "PartialObjectMetadata"]);
  });

  it("has no Table of an operation", async () => {
    const server = await api(dialect);
    const path = `/apis/${server.names.group("authorization")}/v1/selfsubjectaccessreviews`;
    const review = { spec: { resourceAttributes: { verb: "get", resource: "pods" } } };
    const table = `application/json;as=Table;v=v1;g=${server.names.group("meta")}`;
    assert.equal((await server.post(path, review, { accept: table })).status, 406);
    const { json } = await server.post(path, review, { accept: `${table},application/json` });
    assert.equal(json.kind, "SelfSubjectAccessReview");
  });

  it("has CBOR only with its gate", async () => {
    const server = await api(dialect);
    assert.equal((await server.get("/api/v1/namespaces/default", { accept: "application/cbor" })).status, 406);
    assert.equal((await server.post("/api/v1/namespaces", "", { "content-type": "application/cbor" })).status, 415);
  });
});

describe("Request and response headers", () => {
  it("compresses large gets and lists for whom takes gzip, and never writes", async () => {
    const server = await api();
    const at = await server.configMaps();
    const headers = { "accept-encoding": "gzip", "content-type": "application/json" };
    const large = configMap("x", { k: "x".repeat(300_000) });
    const made = await callInProcess(server.server.handler, {
      method: "POST",
      url: at,
      headers,
      body: JSON.stringify(large),
    });
    assert.deepEqual([made.status, made.headers["content-encoding"]], [201, undefined]);
    for (const url of [`${at}/x`, at]) {
      const answer = await callInProcess(server.server.handler, { method: "GET", url, headers });
      assert.equal(answer.headers["content-encoding"], "gzip");
      assert.match(gunzipSync(answer.body).toString(), /x{300000}/);
    }
    const small = await callInProcess(server.server.handler, {
      method: "GET",
      url: "/api/v1/namespaces/default",
      headers,
    });
    assert.equal(small.headers["content-encoding"], undefined);
  });

  it("tells of deprecated endpoints in a Warning", async () => {
    const server = await api();
    const { warnings } = await server.get("/api/v1/componentstatuses");
    assert.deepEqual(warnings, ['299 - "v1 ComponentStatus is deprecated in v1.19+"']);
  });
});

describe("Query parameters", () => {
  it("pretty: indents, and says nothing else", async () => {
    const server = await api();
    const plain = await server.get("/api/v1/namespaces/default");
    const pretty = await server.get("/api/v1/namespaces/default?pretty=true");
    assert.match(pretty.text, /^\{\n {2}"kind": "Namespace",\n/);
    assert.deepEqual(pretty.json, plain.json);
    assert.equal(plain.text.indexOf("\n"), plain.text.length - 1);
  });

  it("fieldManager: names the owner of a write, and is checked", async () => {
    const server = await api();
    const at = await server.configMaps();
    const { json } = await server.post(`${at}?fieldManager=me`, configMap("x", { k: "1" }));
    assert.deepEqual(
      json.metadata.managedFields.map((entry: { manager: string }) => entry.manager),
      ["me"],
    );
    assert.equal((await server.post(`${at}?fieldManager=${"x".repeat(129)}`, configMap("y"))).status, 422);
    assert.equal((await server.post(`${at}?fieldManager=a%00b`, configMap("y"))).status, 422);
  });
});
