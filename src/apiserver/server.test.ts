// One request through the whole house, without a socket.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "vitest";
import { callInProcess } from "../http/in-process.testing.ts";
import { inProcessRequest } from "../http/in-process.ts";
import { type ServerInProcess, serverInProcess } from "./server.testing.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

describe("the API server in process", () => {
  let server: ServerInProcess;

  beforeEach(async () => {
    server = await serverInProcess();
  });
  afterEach(() => server.close());

  const call = (...request: Parameters<ServerInProcess["call"]>) => server.call(...request);

  it("answers a get from the cache in the same turn of the event loop", async () => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
    assert.equal((await call("POST", CONFIG_MAPS, body)).status, 201);
    assert.equal((await call("GET", `${CONFIG_MAPS}/a`)).status, 200);
    const request = inProcessRequest({ method: "GET", url: `${CONFIG_MAPS}/a` });
    // The signal of a connection takes longer to make than everything else of such a request.
    const unaware = Object.defineProperty(request, "signal", { get: () => assert.fail("nobody waits") });
    const answer = server.handler(unaware);
    assert.ok(!(answer instanceof Promise));
    assert.equal(answer.status, 200);
  });

  it("creates, gets, lists, updates and deletes a ConfigMap", async () => {
    const created = await call("POST", CONFIG_MAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: { k: "1" },
    });
    assert.equal(created.status, 201);
    assert.equal(created.json.metadata.namespace, "default");
    assert.match(created.json.metadata.resourceVersion, /^\d+$/);
    assert.deepEqual((await call("GET", `${CONFIG_MAPS}/a`)).json, created.json);

    const listed = await call("GET", CONFIG_MAPS);
    assert.equal(listed.json.kind, "ConfigMapList");
    assert.deepEqual(
      listed.json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
      ["a"],
    );
    assert.equal(listed.json.items[0].kind, undefined);

    const updated = await call("PUT", `${CONFIG_MAPS}/a`, { ...created.json, data: { k: "2" } });
    assert.equal(updated.status, 200);
    assert.notEqual(updated.json.metadata.resourceVersion, created.json.metadata.resourceVersion);
    const stale = await call("PUT", `${CONFIG_MAPS}/a`, { ...created.json, data: { k: "3" } });
    assert.equal(stale.status, 409);

    const deleted = await call("DELETE", `${CONFIG_MAPS}/a`);
    assert.equal(deleted.json.status, "Success");
    assert.equal((await call("GET", `${CONFIG_MAPS}/a`)).status, 404);
  });

  it("keeps the version of a write that changes nothing", async () => {
    const created = await call("POST", CONFIG_MAPS, { metadata: { name: "a" }, data: { k: "1" } });
    const again = await call("PUT", `${CONFIG_MAPS}/a`, created.json);
    assert.equal(again.json.metadata.resourceVersion, created.json.metadata.resourceVersion);
  });

  it("streams changes to a watch until its time is over", async () => {
    const watching = callInProcess(server.handler, {
      method: "GET",
      url: `${CONFIG_MAPS}?watch=1&timeoutSeconds=1&resourceVersion=0`,
    });
    await call("POST", CONFIG_MAPS, { metadata: { name: "b" } });
    const lines = Buffer.from((await watching).body)
      .toString("utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map((line) => [line.type, line.object.metadata.name]),
      [["ADDED", "b"]],
    );
  });

  it("answers an unknown path with 404 and a wrong body with 400", async () => {
    assert.equal((await call("GET", "/api/v1/namespaces/default/bogus")).status, 404);
    const wrong = await call("POST", CONFIG_MAPS, { metadata: { name: "a" }, data: { k: 1 } });
    assert.equal(wrong.status, 400);
    assert.match(wrong.json.message, /cannot be handled as a ConfigMap/);
  });
});
