// Document 1, "Dry run".

import assert from "node:assert/strict";
import { it } from "vitest";
import { api, configMap, inBothDialects } from "./conformance.testing.ts";

inBothDialects("Dry run", (dialect) => {
  it("answers every write as if it had happened, and stores nothing", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    const before = await server.created(at, configMap("x", { k: "0" }));
    const dry = "?dryRun=All";
    assert.equal((await server.post(`${at}${dry}`, configMap("new"))).status, 201);
    assert.equal((await server.put(`${at}/x${dry}`, configMap("x", { k: "1" }))).json.data.k, "1");
    assert.equal((await server.patch(`${at}/x${dry}`, { data: { k: "2" } })).json.data.k, "2");
    assert.equal((await server.apply(`${at}/y`, configMap("y"))).status, 201);
    assert.equal((await server.patch(`${at}/z${dry}&fieldManager=m`, configMap("z"), "apply")).status, 201);
    assert.equal((await server.delete(`${at}/x${dry}`)).status, 200);
    assert.equal((await server.delete(`${at}/x`, { dryRun: ["All"] })).status, 200);
    assert.equal((await server.delete(`${at}${dry}`)).status, 200);
    assert.deepEqual((await server.get(`${at}/x`)).json, before);
    assert.equal((await server.get(`${at}/new`)).status, 404);
    assert.equal((await server.get(`${at}/z`)).status, 404);
  });

  it("is asked for by the query of a delete that has a body too; upstream looks at the body alone", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("x"));
    assert.equal((await server.delete(`${at}/x?dryRun=All`, { gracePeriodSeconds: 0 })).status, 200);
    assert.equal((await server.get(`${at}/x`)).status, dialect === "platform" ? 200 : 404);
  });

  it("runs every stage before the commit", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("x"));
    const all = "?dryRun=All";
    assert.equal((await server.post(`${at}${all}`, configMap("x"))).status, 409);
    assert.equal((await server.post(`${at}${all}`, configMap("Wrong"))).status, 422);
    assert.equal((await server.post(`${at}${all}`, { ...configMap("y"), data: { a: 1 } })).status, 400);
    assert.equal((await server.post(`/api/v1/namespaces/absent/configmaps${all}`, configMap("y"))).status, 404);
    assert.equal((await server.delete(`${at}/absent${all}`)).status, 404);
    const services = at.replace("configmaps", "services");
    const service = await server.post(`${services}${all}`, {
      metadata: { name: "s" },
      spec: { ports: [{ port: 80 }] },
    });
    assert.equal(service.json.spec.type, "ClusterIP");
    assert.equal(
      (await server.post(`${at}${all}`, configMap("", {}, { generateName: "g-" }))).json.metadata.name.length,
      7,
    );
  });

  it("takes an empty value for a real request, and no other word", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    assert.equal((await server.post(`${at}?dryRun=`, configMap("x"))).status, 201);
    assert.equal((await server.get(`${at}/x`)).status, 200);
    for (const word of ["all", "true", "None"]) {
      const answer = await server.post(`${at}?dryRun=${word}`, configMap("y"));
      assert.equal(answer.status, 422);
      assert.equal(answer.json.details.causes[0].field, "dryRun");
    }
    assert.equal((await server.delete(`${at}/x`, { dryRun: ["Some"] })).status, 422);
  });
});
