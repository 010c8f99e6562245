import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kinds } from "../client/built-in-kinds.ts";
import { resourceTypeOf } from "../client/resources/resource-type.ts";
import { namesFor } from "../meta/names.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { emptyResources } from "./empty-resources.ts";
import { type ServerInProcess, serverInProcess } from "./server.testing.ts";

const configMaps = resourceTypeOf(kinds.core.v1.configMaps, namesFor("kubernetes"));
// The server itself makes none of them.
const budgets = resourceTypeOf(kinds.policy.v1.podDisruptionBudgets, namesFor("kubernetes"));

describe("resources without objects", () => {
  let server: ServerInProcess;
  let engine: MemoryEngine;
  beforeEach(async () => {
    engine = new MemoryEngine();
    server = await serverInProcess({ engine });
  });
  afterEach(() => server.close());

  const find = (...asked: Parameters<ReturnType<typeof emptyResources>["find"]>) =>
    emptyResources(server.catalog, server.isAsPrepared).find(...asked);
  const create = (namespace: string) =>
    server.call("POST", `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: "a" } });

  it("are empty until the first is created, in whatever namespace", async () => {
    const found = await find({ type: budgets });
    let isOver = false;
    void found?.whenOver.then(() => {
      isOver = true;
    });
    await create("default");
    expect(isOver).toBe(false);
    await server.call("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", { metadata: { name: "a" } });
    expect(isOver).toBe(true);
    expect(await find({ type: budgets })).toBeUndefined();
  });

  it("are told apart by namespace where only one is asked for", async () => {
    await create("default");
    expect(await find({ type: configMaps })).toBeUndefined();
    expect(await find({ type: configMaps, namespace: "default" })).toBeUndefined();
    const found = await find({ type: configMaps, namespace: "kube-public" });
    await create("kube-public");
    await found?.whenOver;
  });

  it("are over for who has lost interest, and when the store is closed", async () => {
    const stop = new AbortController();
    const [one, other] = [await find({ type: budgets }, stop.signal), await find({ type: budgets })];
    stop.abort();
    await one?.whenOver;
    await engine.close();
    await other?.whenOver;
    expect(await find({ type: budgets })).toBeUndefined();
  });

  it("count as such without owners and ends, for who looks at nothing else", async () => {
    const asked = { type: configMaps, namespace: "default", onlyOwned: true };
    await create("default");
    const found = await find(asked);
    const path = "/api/v1/namespaces/default/configmaps";
    await server.call("PATCH", `${path}/a`, { metadata: { finalizers: ["example.com/a"] } });
    await found?.whenOver;
    expect(await find(asked)).toBeDefined();
    const { uid, name } = (await server.call("GET", `${path}/a`)).json.metadata;
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid }];
    await server.call("POST", path, { metadata: { name: "owned", ownerReferences } });
    expect(await find(asked)).toBeUndefined();
    await server.call("DELETE", `${path}/owned`);
    expect(await find(asked)).toBeDefined();
    await server.call("DELETE", `${path}/a`);
    expect(await find(asked)).toBeUndefined();
  });

  it("count as such while all stand as they were prepared, for who looks at nothing else", async () => {
    const asked = { type: resourceTypeOf(kinds.rbac.v1.clusterRoles, namesFor("kubernetes")), onlyChanged: true };
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const found = await find(asked);
    expect(await find({ ...asked, onlyChanged: false })).toBeUndefined();
    await server.call("PATCH", `${path}/view`, { metadata: { labels: { a: "b" } } });
    await found?.whenOver;
    expect(await find(asked)).toBeUndefined();
    await server.call("DELETE", `${path}/view`);
    expect(await find(asked)).toBeDefined();
    await server.call("POST", path, { metadata: { name: "new" } });
    expect(await find(asked)).toBeUndefined();
  });

  it("do not count as such with more objects, or larger ones, than are looked through", async () => {
    const asked = { type: configMaps, namespace: "default", onlyOwned: true };
    const path = "/api/v1/namespaces/default/configmaps";
    for (let index = 0; index < 30; index += 1) await server.call("POST", path, { metadata: { name: `c${index}` } });
    expect(await find(asked)).toBeDefined();
    for (const name of ["large", "larger"])
      await server.call("POST", path, { metadata: { name }, data: { k: "x".repeat(600_000) } });
    expect(await find(asked)).toBeUndefined();
    await server.call("DELETE", `${path}/larger`);
    expect(await find(asked)).toBeDefined();
    for (let index = 30; index < 200; index += 1) await server.call("POST", path, { metadata: { name: `c${index}` } });
    expect(await find(asked)).toBeUndefined();
  });

  it("are not known of kinds that are not built in, or not served", async () => {
    expect(await find({ type: { ...budgets, group: "example.com" } })).toBeUndefined();
    expect(await find({ type: { ...budgets, version: "v7" } })).toBeUndefined();
  });
});
