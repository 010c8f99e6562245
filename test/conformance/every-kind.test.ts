// Every kind that is stored: created, read, listed, watched, updated and deleted, in every encoding it is served in.
// Specification: document 1, "Operations by HTTP request", "Media types".

import assert from "node:assert/strict";
import { beforeAll, expect, it } from "vitest";
import { decodeProtobuf, encodeProtobuf } from "../../src/codec/protobuf.ts";
import { decodeYaml, encodeYaml } from "../../src/codec/yaml.ts";
import { callInProcess } from "../../src/http/in-process.testing.ts";
import type { Kind } from "../../src/kinds/define-kind.ts";
import { type Api, api, type Body, inBothDialects, OpenWatch } from "./conformance.testing.ts";
import { apiVersionOf, KINDS_NAMESPACE, minimalObject, STORED_KINDS } from "./minimal-objects.testing.ts";

/** The server writes their status as soon as they are created. */
const STATUS_BY_SERVER = new Set(["APIService", "CustomResourceDefinition", "FlowSchema"]);

type Encoding = "json" | "yaml" | "protobuf";

inBothDialects("every kind", (dialect) => {
  let server: Api;
  beforeAll(async () => {
    server = await api(dialect);
    await server.post("/api/v1/namespaces", { metadata: { name: KINDS_NAMESPACE } });
    await server.post(`/api/v1/namespaces/${KINDS_NAMESPACE}/serviceaccounts`, { metadata: { name: "default" } });
  });

  const cases = STORED_KINDS.flatMap((kind) =>
    encodingsOf(kind).map((encoding) => [kind.kind, kind.version, encoding, kind] as const),
  );
  it.each(cases)("%s %s in %s", async (_word, _version, encoding, kind) => {
    await walkThrough(server, kind, encoding);
  });
});

function encodingsOf(kind: Kind): Encoding[] {
  return kind.protobuf ? ["json", "yaml", "protobuf"] : ["json", "yaml"];
}

async function walkThrough(server: Api, kind: Kind, encoding: Encoding): Promise<void> {
  const { names } = server;
  const apiVersion = apiVersionOf(kind, names);
  const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const collection =
    kind.scope === "Namespaced" ? `${base}/namespaces/${KINDS_NAMESPACE}/${kind.resource}` : `${base}/${kind.resource}`;
  const object = minimalObject(kind, names);
  const { name } = object.metadata;

  const send = async (method: string, url: string, body?: Body) => {
    const mediaType = encoding === "protobuf" ? names.protobufMediaType : `application/${encoding}`;
    const answer = await callInProcess(server.server.handler, {
      method,
      url,
      headers: { accept: mediaType, "content-type": mediaType, "user-agent": "conformance/1" },
      ...(body === undefined ? {} : { body: encode(kind, encoding, body) }),
    });
    return { status: answer.status, bytes: answer.body };
  };
  const read = (bytes: Uint8Array): Body => decode(kind, encoding, bytes);

  const created = await send("POST", collection, object);
  assert.equal(created.status, 201, Buffer.from(created.bytes).toString());
  if (STATUS_BY_SERVER.has(kind.kind))
    await expect.poll(async () => (await server.get(`${collection}/${name}`)).json.status?.conditions).toBeDefined();
  const got = await send("GET", `${collection}/${name}`);
  if (!STATUS_BY_SERVER.has(kind.kind)) assert.deepEqual(read(got.bytes), read(created.bytes));

  // Whatever the encoding, it is the same object.
  const plain = (await server.get(`${collection}/${name}`)).json;
  assert.deepEqual(read(encode(kind, encoding, plain)), read(got.bytes));

  const listed = (await server.get(`${collection}?fieldSelector=metadata.name%3D${name}`)).json;
  assert.equal(listed.items.length, 1);
  const watch = await OpenWatch.open(
    server,
    `${collection}?watch=1&resourceVersion=${plain.metadata.resourceVersion}&fieldSelector=metadata.name%3D${name}`,
    {},
  );

  // Sent back unchanged, it stays what it is; with a label it becomes a new version.
  const same = await send("PUT", `${collection}/${name}`, read(got.bytes));
  assert.equal(same.status, 200, Buffer.from(same.bytes).toString());
  assert.equal(
    (await server.get(`${collection}/${name}`)).json.metadata.resourceVersion,
    plain.metadata.resourceVersion,
  );
  const labelled = { ...plain, metadata: { ...plain.metadata, labels: { ...plain.metadata.labels, x: "y" } } };
  const updated = await send("PUT", `${collection}/${name}`, labelled);
  assert.equal(updated.status, 200, Buffer.from(updated.bytes).toString());

  const [event] = await watch.take(1);
  assert.equal(event?.type, "MODIFIED", JSON.stringify(event?.object));
  assert.equal(event?.object.metadata.labels.x, "y");
  await watch.close();

  const current = (await server.get(`${collection}/${name}`)).json;
  const { finalizers, ...metadata } = current.metadata;
  if (finalizers !== undefined) await server.put(`${collection}/${name}`, { ...current, metadata });
  const deleted = await server.delete(`${collection}/${name}?gracePeriodSeconds=0&propagationPolicy=Background`);
  assert.equal(deleted.status, 200, deleted.text);
  // A namespace is let go by a controller; there is none here, and nothing in it.
  if (kind.kind === "Namespace") {
    const ending = (await server.get(`${collection}/${name}`)).json;
    const released = await server.put(`${collection}/${name}/finalize`, { ...ending, spec: { finalizers: [] } });
    assert.equal(released.status, 200, released.text);
  }
  for (let attempt = 0; (await server.get(`${collection}/${name}`)).status !== 404; attempt += 1) {
    assert.ok(attempt < 200, `${kind.kind} is still there: ${(await server.get(`${collection}/${name}`)).text}`);
    await new Promise((resolve) => setImmediate(resolve));
    // What ends later ends through its own finalizers: the server's for definitions.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function encode(kind: Kind, encoding: Encoding, object: Body): Uint8Array {
  if (encoding === "protobuf") return encodeProtobuf(object, kind.schema);
  return encoding === "yaml" ? encodeYaml(object) : Buffer.from(JSON.stringify(object));
}

function decode(kind: Kind, encoding: Encoding, bytes: Uint8Array): Body {
  if (encoding === "protobuf") return decodeProtobuf(bytes, kind.schema);
  return encoding === "yaml" ? decodeYaml(bytes).value : JSON.parse(Buffer.from(bytes).toString());
}
