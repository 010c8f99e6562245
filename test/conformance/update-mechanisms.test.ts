// Document 1, "Update mechanisms", "Object metadata", and If-Match of "Request and response headers".

import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { type Api, api, type Body, configMap } from "./conformance.testing.ts";

const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: {
      metadata: { labels: { a: "b" } },
      spec: {
        containers: [
          { name: "one", image: "i:1" },
          { name: "two", image: "i:1" },
        ],
      },
    },
  },
});

async function withDeployment(server: Api): Promise<{ url: string; object: Body }> {
  const at = (await server.configMaps()).replace("/api/v1", "/apis/apps/v1").replace("configmaps", "deployments");
  return { url: `${at}/d`, object: await server.created(at, deployment("d")) };
}

describe("Update mechanisms: PUT", () => {
  it("detects a stale version, takes the newest, and needs none where the kind says so", async () => {
    const server = await api();
    const at = await server.configMaps();
    const first = await server.created(at, configMap("x", { k: "1" }));
    assert.equal((await server.put(`${at}/x`, { ...first, data: { k: "2" } })).status, 200);
    const stale = await server.put(`${at}/x`, { ...first, data: { k: "3" } });
    assert.equal(stale.status, 409);
    assert.equal(stale.json.reason, "Conflict");
    assert.equal((await server.put(`${at}/x`, configMap("x", { k: "4" }))).json.data.k, "4");
    const leases = at
      .replace("/api/v1", `/apis/${server.names.group("coordination")}/v1`)
      .replace("configmaps", "leases");
    await server.created(leases, { metadata: { name: "x" }, spec: {} });
    assert.equal((await server.put(`${leases}/x`, { metadata: { name: "x" }, spec: {} })).status, 422);
  });

  it("keeps the version of a write that changes nothing", async () => {
    const server = await api();
    const at = await server.configMaps();
    const { metadata } = await server.created(at, configMap("x", { k: "1" }));
    const same = [
      await server.put(`${at}/x`, configMap("x", { k: "1" })),
      await server.patch(`${at}/x`, { data: { k: "1" } }),
      await server.patch(`${at}/x`, [{ op: "replace", path: "/data/k", value: "1" }], "json"),
    ];
    for (const { json } of same) assert.equal(json.metadata.resourceVersion, metadata.resourceVersion);
  });

  it("keeps what only the server may say", async () => {
    const server = await api();
    const at = await server.configMaps();
    const object = await server.created(at, configMap("x"));
    const { uid, creationTimestamp } = object.metadata;
    const sent = { name: "x", creationTimestamp: "2001-01-01T00:00:00Z" };
    const put = await server.put(`${at}/x`, { ...object, metadata: { ...sent, selfLink: "/x", generation: 9 } });
    assert.deepEqual([put.json.metadata.uid, put.json.metadata.creationTimestamp], [uid, creationTimestamp]);
    const ending = await server.put(`${at}/x`, configMap("x", {}, { deletionTimestamp: "2001-01-01T00:00:00Z" }));
    assert.equal(ending.status, 422);
    assert.deepEqual(ending.json.details.causes, [
      {
        reason: "FieldValueInvalid",
        message: 'Invalid value: "2001-01-01T00:00:00Z": field is immutable',
        field: "metadata.deletionTimestamp",
      },
    ]);
    const other = await server.put(`${at}/x`, configMap("x", {}, { uid: "another" }));
    assert.ok([409, 422].includes(other.status), other.text);
  });

  it("isolates the status from the rest, and counts generations of the rest only", async () => {
    const server = await api();
    const { url, object } = await withDeployment(server);
    assert.equal(object.metadata.generation, 1);
    const both = { ...object, spec: { ...object.spec, replicas: 3 }, status: { replicas: 9 } };
    const put = await server.put(url, both);
    assert.deepEqual(
      [put.json.spec.replicas, put.json.status.replicas, put.json.metadata.generation],
      [3, undefined, 2],
    );
    const status = await server.put(`${url}/status`, {
      ...put.json,
      spec: { ...object.spec, replicas: 5 },
      status: { replicas: 9 },
    });
    assert.deepEqual(
      [status.json.spec.replicas, status.json.status.replicas, status.json.metadata.generation],
      [3, 9, 2],
    );
  });
});

describe("Update mechanisms: finalize", () => {
  it("leaves the owners of a namespace's status alone", async () => {
    const server = await api();
    const path = (await server.configMaps()).replace("/configmaps", "");
    const conditions = [{ type: "X", status: "True" }];
    assert.equal((await server.patch(`${path}/status`, { status: { conditions } })).status, 200);
    const { json } = await server.put(`${path}/finalize`, {
      metadata: { name: path.split("/").at(-1) },
      spec: { finalizers: ["example.com/f"] },
    });
    assert.deepEqual(json.metadata.managedFields.map(({ subresource }: Body) => subresource ?? "").sort(), [
      "",
      "finalize",
      "status",
    ]);
  });
});

describe("Update mechanisms: names", () => {
  it("generates names, and tries again on a collision", async () => {
    const server = await api();
    const at = await server.configMaps();
    const made = await Promise.all(
      Array.from({ length: 50 }, () => server.created(at, { metadata: { generateName: "g-" } })),
    );
    const names = made.map((object) => object.metadata.name);
    assert.equal(new Set(names).size, 50);
    for (const name of names) assert.match(name, /^g-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });
});

describe("Update mechanisms: If-Match on PATCH", () => {
  it.each(["plain", "quoted", "weak"])("compares the version, %s", async (form) => {
    const server = await api();
    const at = await server.configMaps();
    const { resourceVersion } = (await server.created(at, configMap("x", { k: "1" }))).metadata;
    const as = (version: string) => (form === "plain" ? version : `${form === "weak" ? "W/" : ""}"${version}"`);
    const patch = (k: string, version: string) =>
      server.patch(`${at}/x`, { data: { k } }, "merge", { "if-match": as(version) });
    assert.equal((await patch("2", resourceVersion)).status, 200);
    const stale = await patch("3", resourceVersion);
    assert.equal(stale.status, 409);
    assert.equal(stale.json.reason, "Conflict");
    assert.equal((await server.get(`${at}/x`)).json.data.k, "2");
    assert.equal((await server.patch(`${at}/x`, { data: { k: "4" } }, "merge", { "if-match": "*" })).status, 200);
  });
});

describe("Update mechanisms: patch kinds", () => {
  it("JSON Patch: operations in order, test conditions, bounds", async () => {
    const server = await api();
    const at = await server.configMaps();
    await server.created(at, configMap("x", { a: "1", b: "2" }));
    const patch = (operations: unknown) => server.patch(`${at}/x`, operations, "json");
    const done = await patch([
      { op: "test", path: "/data/a", value: "1" },
      { op: "move", from: "/data/a", path: "/data/c" },
      { op: "copy", from: "/data/b", path: "/data/d" },
      { op: "remove", path: "/data/b" },
    ]);
    assert.deepEqual(done.json.data, { c: "1", d: "2" });
    assert.equal((await patch([{ op: "test", path: "/data/c", value: "9" }])).status, 422);
    assert.equal((await patch([{ op: "remove", path: "/data/absent" }])).status, 422);
    assert.equal((await patch({ op: "remove" })).status, 400);
    const many = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/data/c", value: "1" }));
    assert.equal((await patch(many)).status, 413);
    const doubling = Array.from({ length: 60 }, () => ({ op: "copy", from: "/data", path: "/data/deep" }));
    assert.ok((await patch(doubling)).status >= 400);
    assert.deepEqual((await server.get(`${at}/x`)).json.data, { c: "1", d: "2" });
  });

  it("JSON Merge Patch: null removes, lists are replaced", async () => {
    const server = await api();
    const { url } = await withDeployment(server);
    const containers = [{ name: "three", image: "i:3" }];
    const done = await server.patch(url, {
      metadata: { labels: { x: "1" } },
      spec: { template: { spec: { containers } } },
    });
    assert.deepEqual(
      done.json.spec.template.spec.containers.map((container: Body) => container.name),
      ["three"],
    );
    assert.equal((await server.patch(url, { metadata: { labels: { x: null } } })).json.metadata.labels, undefined);
  });

  it("strategic merge patch: lists are merged by key, and take directives", async () => {
    const server = await api();
    const { url } = await withDeployment(server);
    const patch = async (containers: unknown) => {
      const answer = await server.patch(url, { spec: { template: { spec: { containers } } } }, "strategic");
      assert.equal(answer.status, 200, answer.text);
      return answer.json.spec.template.spec.containers.map((c: Body) => `${c.name}=${c.image}`);
    };
    assert.deepEqual(await patch([{ name: "two", image: "i:2" }]), ["one=i:1", "two=i:2"]);
    assert.deepEqual(await patch([{ name: "one", $patch: "delete" }]), ["two=i:2"]);
    assert.deepEqual(await patch([{ $patch: "replace" }, { name: "new", image: "i:9" }]), ["new=i:9"]);
  });

  it("tries again when another write comes between and no version was given", async () => {
    const server = await api();
    const at = await server.configMaps();
    await server.created(at, configMap("x"));
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => server.patch(`${at}/x`, { data: { [`k${i}`]: "1" } })),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(Object.keys((await server.get(`${at}/x`)).json.data).length, 30);
  });

  it("names the patched document when it is no object of the kind", async () => {
    const server = await api();
    const at = await server.configMaps();
    await server.created(at, configMap("x", { k: "1" }));
    for (const [type, body] of [
      ["merge", { data: { a: 1 } }],
      ["json", [{ op: "add", path: "/data/a", value: 1 }]],
    ] as const) {
      const { status, json } = await server.patch(`${at}/x`, body, type);
      assert.equal(status, 422);
      assert.match(
        json.message,
        /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"v1\\",\\"data\\":\{\\"a\\":1,\\"k\\":\\"1\\"\},\\"kind\\"/,
      );
    }
    assert.equal((await server.patch(`${at}/x`, { kind: "Pod" })).status, 422);
    assert.equal((await server.patch(`${at}/x`, { metadata: { name: "y" } })).status, 400);
  });
});
