// Document 1, "Deletion of an object", "DeleteOptions", rules for unsafe deletion.

import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import { serverInProcess } from "../../src/apiserver/server.testing.ts";
import { namesFor } from "../../src/meta/names.ts";
import type { Attributes } from "../../src/registry/authorizer.ts";
import { MemoryEngine } from "../../src/storage/memory-engine.ts";
import { Api, api, configMap, inBothDialects, namesOf } from "./conformance.testing.ts";

const HELD = { finalizers: ["example.com/hold"] };

inBothDialects("Deletion of an object", (dialect) => {
  it("live, no finalizers: removed", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    const { metadata } = await server.created(at, configMap("x"));
    const { json } = await server.delete(`${at}/x`);
    assert.deepEqual(
      [json.kind, json.status, json.details],
      ["Status", "Success", { name: "x", kind: "configmaps", uid: metadata.uid }],
    );
    assert.equal((await server.get(`${at}/x`)).status, 404);
    // The name is free again.
    assert.notEqual((await server.created(at, configMap("x"))).metadata.uid, metadata.uid);
  });

  it("an Event, which owns nothing, is removed whatever the policy says", async () => {
    const server = await api(dialect);
    const namespace = (await server.configMaps()).split("/").at(-2)!;
    const at = `/api/v1/namespaces/${namespace}/events`;
    for (const policy of ["Foreground", "Orphan"]) {
      await server.created(at, { metadata: { name: "e" }, involvedObject: { namespace } });
      await server.delete(`${at}/e?propagationPolicy=${policy}`);
      assert.equal((await server.get(`${at}/e`)).status, 404);
    }
  });

  it("live, finalizers: finalizing, and removed with the last of them", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("x", {}, { finalizers: ["example.com/a", "example.com/b"] }));
    const deleted = await server.delete(`${at}/x`);
    assert.equal(deleted.json.kind, "ConfigMap");
    assert.match(deleted.json.metadata.deletionTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const again = await server.delete(`${at}/x`);
    assert.equal(again.json.metadata.resourceVersion, deleted.json.metadata.resourceVersion);
    const added = await server.patch(`${at}/x`, { metadata: { finalizers: ["example.com/a", "example.com/c"] } });
    assert.equal(added.status, 422);
    assert.equal((await server.patch(`${at}/x`, { metadata: { finalizers: ["example.com/b"] } })).status, 200);
    assert.equal((await server.get(`${at}/x`)).status, 200);
    assert.equal((await server.patch(`${at}/x`, { metadata: { finalizers: [] } })).status, 200);
    assert.equal((await server.get(`${at}/x`)).status, 404);
  });

  it("compares preconditions", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    const { uid, resourceVersion } = (await server.created(at, configMap("x"))).metadata;
    const with_ = (preconditions: object) => server.delete(`${at}/x`, { preconditions });
    assert.equal((await with_({ uid: "another" })).status, 409);
    assert.equal((await with_({ resourceVersion: "1" })).status, 409);
    assert.equal((await with_({ uid, resourceVersion: "1" })).status, 409);
    for (const query of ["uid=another", "resourceVersion=1"])
      assert.equal((await server.delete(`${at}/x?${query}`)).status, 409, query);
    assert.equal((await with_({ uid, resourceVersion })).status, 200);
  });

  it("says of a name that is taken when its object is on the way out", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("x", {}, { finalizers: ["example.com/f"] }));
    const taken = async (query = "") => (await server.post(at + query, configMap("x"))).json;
    assert.equal((await taken()).message, 'configmaps "x" already exists');
    await server.delete(`${at}/x`);
    for (const query of ["", "?dryRun=All"]) {
      const { reason, message } = await taken(query);
      assert.deepEqual([reason, message], ["AlreadyExists", 'object is being deleted: configmaps "x" already exists']);
    }
  });

  it.each(["gracePeriodSeconds=", "propagationPolicy="])("refuses an empty value: %s", async (query) => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("x"));
    assert.ok([400, 422].includes((await server.delete(`${at}/x?${query}`)).status));
    assert.equal((await server.get(`${at}/x`)).status, 200);
  });

  it("tells on an evicted pod why it goes", async () => {
    const server = await api(dialect);
    const at = (await server.configMaps()).replace("configmaps", "pods");
    await server.post(at.replace("pods", "serviceaccounts"), { metadata: { name: "default" } });
    const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
    const { resourceVersion } = (await server.created(at, { metadata: { name: "p" }, spec })).metadata;
    const evict = (metadata: object, deleteOptions?: object, query = "") =>
      server.post(`${at}/p/eviction${query}`, { apiVersion: "policy/v1", kind: "Eviction", metadata, deleteOptions });
    assert.equal((await evict({})).status, 400);
    assert.equal((await evict({ name: "p", namespace: "another" })).status, 400);
    assert.equal((await evict({ name: "p" }, { preconditions: { resourceVersion: "1" } })).status, 409);
    assert.equal((await evict({ name: "p" }, undefined, "?dryRun=All")).status, 201);
    assert.equal((await server.get(`${at}/p`)).json.metadata.resourceVersion, resourceVersion);
    assert.equal((await evict({ name: "p" }, { preconditions: { resourceVersion } })).status, 201);
    const { metadata, status } = (await server.get(`${at}/p`)).json;
    assert.ok(metadata.deletionTimestamp);
    const { type, reason } = status.conditions.at(-1);
    assert.deepEqual([type, reason], ["DisruptionTarget", "EvictionByEvictionAPI"]);
  });

  it.each([
    ["Foreground", { propagationPolicy: "Foreground" }, ["foregroundDeletion"]],
    ["Orphan", { propagationPolicy: "Orphan" }, ["orphan"]],
    ["orphanDependents", { orphanDependents: true }, ["orphan"]],
  ])("leaves a finalizer for the policy %s", async (_what, options, finalizers) => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("x"));
    const { json } = await server.delete(`${at}/x`, options);
    assert.deepEqual(json.metadata.finalizers, finalizers);
  });

  it.each([
    ["Background in the body", { propagationPolicy: "Background" }, ""],
    ["Background in the query", undefined, "?propagationPolicy=Background"],
    ["orphanDependents false", { orphanDependents: false }, ""],
    ["no grace", { gracePeriodSeconds: 0 }, ""],
  ])("removes at once: %s", async (_what, options, query) => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("x"));
    assert.equal((await server.delete(`${at}/x${query}`, options)).status, 200);
    assert.equal((await server.get(`${at}/x`)).status, 404);
  });

  it.each([
    ["both policy and orphanDependents", { propagationPolicy: "Orphan", orphanDependents: true }, 422],
    ["an unknown policy", { propagationPolicy: "Later" }, 422],
    ["another kind", { kind: "ConfigMap", apiVersion: "v1" }, 400],
    ["a wrong type", { gracePeriodSeconds: "x" }, 400],
    ["no object", "[1]", 400],
  ])("refuses options: %s", async (_what, options, status) => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("x"));
    assert.equal((await server.delete(`${at}/x`, options)).status, status);
    assert.equal((await server.get(`${at}/x`)).status, 200);
  });

  it("deletes of a collection what its selector names, two phases included", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    for (const name of ["a", "b", "c"])
      await server.created(
        at,
        configMap(name, {}, { labels: { app: name === "c" ? "y" : "x" }, ...(name === "b" ? HELD : {}) }),
      );
    const { json } = await server.delete(`${at}?labelSelector=app%3Dx`);
    assert.deepEqual(namesOf(json), ["a", "b"]);
    assert.deepEqual(namesOf((await server.get(at)).json), ["b", "c"]);
    assert.equal((await server.delete(`${at}?limit=1`)).status, 200);
  });

  it("gives pods their time, which a later request may shorten", async () => {
    const server = await api(dialect);
    const at = (await server.configMaps()).replace("configmaps", "pods");
    await server.post(at.replace("pods", "serviceaccounts"), { metadata: { name: "default" } });
    const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }], terminationGracePeriodSeconds: 30 };
    await server.created(at, { metadata: { name: "p" }, spec });
    const seconds = async (grace?: number) =>
      (await server.delete(`${at}/p`, grace === undefined ? undefined : { gracePeriodSeconds: grace })).json.metadata
        .deletionGracePeriodSeconds;
    assert.deepEqual([await seconds(), await seconds(60), await seconds(5)], [30, 30, 5]);
    assert.equal((await server.delete(`${at}/p`, { gracePeriodSeconds: 0 })).status, 200);
    assert.equal((await server.get(`${at}/p`)).status, 404);
  });
});

const UNSAFE = "ignoreStoreReadErrorWithClusterBreakingPotential";

describe("Deletion of an object: unsafe", () => {
  const engine = new MemoryEngine();
  let server: Api;
  let mayDeleteUnsafely = true;
  beforeAll(async () => {
    const authorizer = {
      authorize: ({ verb }: Attributes) =>
        ({ verdict: verb.startsWith("unsafe") && !mayDeleteUnsafely ? "no-opinion" : "allow", reason: "" }) as const,
    };
    const flags = ["--feature-gates=AllowUnsafeMalformedObjectDeletion=true"];
    server = new Api(await serverInProcess({ flags, deps: { engine, authorizer } }), namesFor("kubernetes"));
  });
  afterAll(() => server.server.close());

  /** An object whose stored bytes are damaged, beside a healthy one. */
  async function damaged(): Promise<string> {
    const at = await server.configMaps();
    await server.created(at, configMap("ok"));
    await server.created(at, configMap("x", {}, HELD));
    const key = `/registry/configmaps/${at.split("/")[4]}/x`;
    const entry = (await engine.get(key))!;
    await engine.update(key, Buffer.from('{"metadata":'), entry.revision);
    return at;
  }

  it("cannot read a corrupt object, and says so", async () => {
    const at = await damaged();
    for (const answer of [
      await server.get(`${at}/x`),
      await server.get(at),
      await server.patch(`${at}/x`, {}),
      await server.delete(`${at}/x`),
    ]) {
      assert.equal(answer.status, 500);
      assert.equal(answer.json.reason, "StoreReadError");
    }
    assert.equal((await server.get(`${at}/ok`)).status, 200);
  });

  it("removes it when asked to, whatever its finalizers", async () => {
    const at = await damaged();
    assert.equal((await server.delete(`${at}/x`, { [UNSAFE]: true })).status, 200);
    assert.equal((await server.get(`${at}/x`)).status, 404);
    assert.deepEqual(namesOf((await server.get(at)).json), ["ok"]);
    assert.equal((await server.delete(`${at}/x`, { [UNSAFE]: true })).status, 404);
    await server.created(at, configMap("x"));
  });

  it("refuses when the object can be read", async () => {
    const at = await damaged();
    const answer = await server.delete(`${at}/ok`, { [UNSAFE]: true });
    assert.equal(answer.status, 422);
    assert.equal(answer.json.details.causes[0].field, UNSAFE);
    assert.equal((await server.get(`${at}/ok`)).status, 200);
  });

  it.each([
    ["dryRun", ["All"]],
    ["gracePeriodSeconds", 0],
    ["orphanDependents", true],
    ["preconditions", { uid: "x" }],
    ["propagationPolicy", "Orphan"],
  ])("refuses it together with %s", async (field, value) => {
    const at = await damaged();
    const answer = await server.delete(`${at}/x`, { [UNSAFE]: true, [field]: value });
    assert.equal(answer.status, 422);
    assert.match(answer.json.message, new RegExp(`cannot be set together with .${field}`));
    assert.equal((await server.get(`${at}/x`)).status, 500);
  });

  it("asks for a verb of its own", async () => {
    const at = await damaged();
    mayDeleteUnsafely = false;
    const answer = await server.delete(`${at}/x`, { [UNSAFE]: true });
    mayDeleteUnsafely = true;
    assert.equal(answer.status, 403);
    assert.match(answer.json.message, /unsafe-delete-ignore-read-errors/);
    assert.equal((await server.get(`${at}/x`)).status, 500);
  });

  it("is not for collections, and without its gate an ordinary deletion", async () => {
    const at = await damaged();
    assert.equal((await server.delete(at, { [UNSAFE]: true })).status, 422);
    const plain = await api();
    const there = await plain.configMaps();
    await plain.created(there, configMap("x", {}, HELD));
    const answer = await plain.delete(`${there}/x`, { [UNSAFE]: true });
    assert.equal(answer.status, 200);
    assert.notEqual(answer.json.metadata.deletionTimestamp, undefined);
    assert.equal((await plain.get(`${there}/x`)).status, 200);
  });
});
