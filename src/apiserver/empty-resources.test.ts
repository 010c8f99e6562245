import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kinds } from "../client/built-in-kinds.ts";
import { resourceTypeOf } from "../client/resources/resource-type.ts";
import { namesFor } from "../meta/names.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { emptyResources } from "./empty-resources.ts";
import { type ServerInProcess, serverInProcess } from "./server.testing.ts";

const configMaps = resourceTypeOf(kinds.core.v1.configMaps, namesFor("kubernetes"));
const leases = resourceTypeOf(kinds.coordination.v1.leases, namesFor("kubernetes"));

describe("resources without objects", () => {
  let server: ServerInProcess;
  let engine: MemoryEngine;
  beforeEach(async () => {
    engine = new MemoryEngine();
    server = await serverInProcess({ engine });
  });
  afterEach(() => server.close());

  const find = (...asked: Parameters<ReturnType<typeof emptyResources>["find"]>) =>
    emptyResources(server.catalog).find(...asked);
  const create = (namespace: string) =>
    server.call("POST", `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: "a" } });

  it("are empty until the first is created, in whatever namespace", async () => {
    const found = await find({ type: leases });
    let isOver = false;
    void found?.whenOver.then(() => {
      isOver = true;
    });
    await create("default");
    expect(isOver).toBe(false);
    await server.call("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", { metadata: { name: "a" } });
    expect(isOver).toBe(true);
    expect(await find({ type: leases })).toBeUndefined();
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
    const [one, other] = [await find({ type: leases }, stop.signal), await find({ type: leases })];
    stop.abort();
    await one?.whenOver;
    await engine.close();
    await other?.whenOver;
    expect(await find({ type: leases })).toBeUndefined();
  });

  it("are not known of kinds that are not built in, or not served", async () => {
    expect(await find({ type: { ...leases, group: "example.com" } })).toBeUndefined();
    expect(await find({ type: { ...leases, version: "v7" } })).toBeUndefined();
  });
});
