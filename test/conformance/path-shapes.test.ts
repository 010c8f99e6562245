// Document 1, "Path shapes", "Verbs", "Operations by HTTP request".

import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { api, configMap, inBothDialects } from "./conformance.testing.ts";

inBothDialects("Path shapes", (dialect) => {
  it.each([
    ["core group, cluster-scoped", () => "/api/v1/nodes", "NodeList"],
    ["core group, all namespaces", () => "/api/v1/configmaps", "ConfigMapList"],
    ["core group, one namespace", () => "/api/v1/namespaces/default/configmaps", "ConfigMapList"],
    ["namespaces", () => "/api/v1/namespaces", "NamespaceList"],
    ["one namespace", () => "/api/v1/namespaces/default", "Namespace"],
    ["named group, all namespaces", () => "/apis/apps/v1/deployments", "DeploymentList"],
    ["named group, one namespace", () => "/apis/apps/v1/namespaces/default/deployments", "DeploymentList"],
    ["named group, cluster-scoped", (g: string) => `/apis/${g}/v1/ingressclasses`, "IngressClassList"],
    ["sub-resource of a cluster-scoped object", () => "/api/v1/namespaces/default/status", null],
  ])("serves: %s", async (_what, path, kind) => {
    const { get, names } = await api(dialect);
    const answer = await get(path(names.group("networking")));
    if (kind === null) return assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json?.kind, kind);
    const group = path(names.group("networking")).split("/");
    assert.equal(answer.json.apiVersion, group[1] === "api" ? "v1" : `${group[2]}/${group[3]}`);
  });

  it("has no path for one object of what is only ever created", async () => {
    const { get, names } = await api(dialect);
    const reviews = `/apis/${names.group("authorization")}/v1/subjectaccessreviews`;
    assert.deepEqual([(await get(reviews)).status, (await get(`${reviews}/x`)).status], [405, 404]);
  });

  it("says that it has no such version of a group of its own, and nothing about groups that it does not know", async () => {
    const { get } = await api(dialect);
    for (const path of ["/apis/apps/v9", "/apis/apps/v9/deployments", "/api/v9"]) {
      const { status, json } = await get(path);
      assert.deepEqual([status, json.kind, json.reason], [404, "Status", "NotFound"], path);
    }
    for (const path of ["/apis/bogus", "/apis/bogus/v1", "/apis/bogus/v1/things"]) {
      const { status, text } = await get(path);
      assert.deepEqual([status, text], [404, "404 page not found\n"], path);
    }
  });

  it.each([
    "/api/v1/bogus",
    "/api/v2/configmaps",
    "/api/v1/configmaps/x",
    "/api/v1/namespaces/default/nodes",
    "/api/v1/namespaces/default/namespaces",
    "/api/v1/namespaces/default/namespaces/other",
    "/api/v1/namespaces/default/namespaces/other/status",
    "/api/v1/namespaces/default/pods/x/log/y",
    "/api/v1/namespaces/default/configmaps/x/y/z",
    "/api/v1/namespaces/default//configmaps",
    "/apis/apps/v1/namespaces/default/configmaps",
    "/apis/apps/v9/deployments",
    "/apis/bogus/v1/things",
    "/bogus",
  ])("answers 404: %s", async (path) => {
    assert.equal((await (await api(dialect)).get(path)).status, 404);
  });
});

describe("Path shapes: namespaces", () => {
  it("creates no namespace below another, whatever a role there allows", async () => {
    const server = await api();
    const answer = await server.post("/api/v1/namespaces/default/namespaces", { metadata: { name: "below" } });
    assert.equal(answer.status, 404);
    assert.equal((await server.get("/api/v1/namespaces/below")).status, 404);
  });
});

describe("Path shapes: names", () => {
  it.each([".", ".."])("refuses the name %s", async (name) => {
    const server = await api();
    const answer = await server.get(`/api/v1/namespaces/default/configmaps/${name}`);
    assert.deepEqual(
      [answer.status, answer.json.message],
      [400, `Name parameter invalid: "${name}": may not be '${name}'`],
    );
  });
});

describe("Path shapes: encoding", () => {
  it("decodes a path before it takes it apart", async () => {
    const server = await api();
    const at = await server.configMaps();
    await server.created(at, configMap("one"));
    assert.equal((await server.get(`${at}/on%65`)).status, 200);
    assert.equal((await server.get(`${at}%2Fone`)).status, 200);
    assert.equal((await server.get(`${at}/%zz`)).status, 400);
  });
});

describe("Verbs", () => {
  it.each([
    ["POST", "/api/v1/configmaps"],
    ["POST", "/api/v1/namespaces/default/configmaps/x"],
    ["PUT", "/api/v1/namespaces/default/configmaps"],
    ["PATCH", "/api/v1/namespaces/default/configmaps"],
    ["DELETE", "/api/v1/configmaps"],
    ["DELETE", "/api/v1/namespaces/default/configmaps/x/status"],
    ["OPTIONS", "/api/v1/namespaces/default/configmaps/x"],
    ["HEAD", "/api/v1/namespaces/default/configmaps/x"],
  ])("refuses %s %s", async (method, path) => {
    const server = await api();
    const { status } = await server.call(method, path, {}, { "content-type": "application/merge-patch+json" });
    assert.ok([404, 405].includes(status), String(status));
  });

  it("names the custom resource that lacks a sub-resource", async () => {
    const server = await api();
    const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };
    await server.created("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "plains.paths.example.com" },
      spec: {
        group: "paths.example.com",
        scope: "Cluster",
        names: { plural: "plains", kind: "Plain" },
        versions: [version],
      },
    });
    const at = "/apis/paths.example.com/v1/plains";
    while ((await server.get(at)).status !== 200) await new Promise((resolve) => setImmediate(resolve));
    for (const part of ["status", "scale", "bogus"]) {
      const { status, json } = await server.get(`${at}/x/${part}`);
      assert.equal(status, 404);
      assert.equal(json.message, 'plains.paths.example.com "x" not found');
    }
  });

  it("takes the namespace out of an object of a cluster-wide kind", async () => {
    const server = await api();
    const { json } = await server.post("/api/v1/nodes?dryRun=All", { metadata: { name: "n", namespace: "default" } });
    assert.equal(json.metadata.name, "n");
    assert.equal(json.metadata.namespace, undefined);
  });

  it("creates by PUT only where the kind allows it", async () => {
    const server = await api();
    const at = await server.configMaps();
    assert.equal((await server.put(`${at}/absent`, configMap("absent"))).status, 404);
    const leases = at
      .replace("/api/v1", `/apis/${server.names.group("coordination")}/v1`)
      .replace("configmaps", "leases");
    assert.equal((await server.put(`${leases}/absent`, { metadata: { name: "absent" }, spec: {} })).status, 201);
  });

  it("creates by apply and by nothing else that patches", async () => {
    const server = await api();
    const at = await server.configMaps();
    for (const type of ["merge", "strategic"] as const)
      assert.equal((await server.patch(`${at}/absent`, {}, type)).status, 404);
    assert.equal((await server.patch(`${at}/absent`, [], "json")).status, 404);
    assert.equal((await server.apply(`${at}/absent`, configMap("absent"))).status, 201);
    assert.equal((await server.apply(`${at}/absent`, configMap("absent"))).status, 200);
  });
});

describe("Operations by HTTP request", () => {
  it("answers every operation with its status and kind", async () => {
    const server = await api();
    const at = await server.configMaps();
    const kinds: [string, number, string][] = [];
    const note = (what: string, answer: { status: number; json: { kind: string } }) =>
      kinds.push([what, answer.status, answer.json.kind]);
    note("create", await server.post(at, configMap("a")));
    note("get", await server.get(`${at}/a`));
    note("list", await server.get(at));
    note("update", await server.put(`${at}/a`, configMap("a", { k: "1" })));
    note("patch", await server.patch(`${at}/a`, { data: { k: "2" } }));
    note("delete", await server.delete(`${at}/a`));
    await server.created(at, configMap("b"));
    note("deletecollection", await server.delete(at));
    assert.deepEqual(kinds, [
      ["create", 201, "ConfigMap"],
      ["get", 200, "ConfigMap"],
      ["list", 200, "ConfigMapList"],
      ["update", 200, "ConfigMap"],
      ["patch", 200, "ConfigMap"],
      ["delete", 200, "Status"],
      ["deletecollection", 200, "ConfigMapList"],
    ]);
    assert.deepEqual((await server.get(at)).json.items, []);
  });
});
