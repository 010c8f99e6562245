// Registrations of what the server serves itself: which it keeps, from when on, and which are left alone.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { MemoryEngine } from "../../../storage/memory-engine.ts";
import type { ServerInProcess } from "../../server.testing.ts";
import { APIS, eventually, type LooseJson, startAggregator } from "./aggregation.testing.ts";

const LABEL = "kube-aggregator.kubernetes.io/automanaged";
const CUSTOM = "v1.stable.example.test";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const engine = new MemoryEngine();
let server: ServerInProcess;
beforeAll(async () => {
  server = await startAggregator({ deps: { engine } });
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => server.close());

const get = async (name: string) => (await server.call("GET", `${APIS}/${name}`)) as LooseJson;
const merge = (name: string, body: unknown) =>
  server.call("PATCH", `${APIS}/${name}`, body, { "content-type": "application/merge-patch+json" });
const register = (name: string, managed: string) => {
  const [version, ...group] = name.split(".");
  return server.call("POST", APIS, {
    metadata: { name, labels: { [LABEL]: managed } },
    spec: { group: group.join("."), version, groupPriorityMinimum: 1, versionPriority: 1 },
  });
};

/** How many writes the store has had in one turn of the event loop from here on. */
function mostInOneTurn(): () => number {
  let [most, now] = [0, 0];
  const count = () => {
    if (now === 0) setImmediate(() => (now = 0));
    now += 1;
    most = Math.max(most, now);
  };
  for (const write of ["create", "delete"] as const) {
    const whole = engine[write].bind(engine) as (...input: unknown[]) => unknown;
    vi.spyOn(engine, write).mockImplementation(((...input: unknown[]) => {
      count();
      return whole(...input);
    }) as never);
  }
  return () => most;
}

describe("registrations of built-in groups", () => {
  it("are as they must be when the server starts, unless somebody has taken them over", async () => {
    await register("v1.gone.example.test", "onstart");
    await register("v1.mine.example.test", "no");
    await merge("v1.apps", { spec: { versionPriority: 77 } });
    await merge("v1.batch", { metadata: { labels: null }, spec: { versionPriority: 77 } });
    await server.call("DELETE", `${APIS}/v1.policy`);
    expect((await get("v1.apps")).json.spec.versionPriority).toBe(77);
    expect((await get("v1.gone.example.test")).status).toBe(200);
    await server.close();
    server = await startAggregator({ deps: { engine } });
    expect((await get("v1.apps")).json.spec.versionPriority).toBe(15);
    expect((await get("v1.batch")).json.spec.versionPriority).toBe(77);
    expect((await get("v1.gone.example.test")).status).toBe(404);
    expect((await get("v1.mine.example.test")).status).toBe(200);
    expect((await get("v1.policy")).json.metadata.labels).toEqual({ [LABEL]: "onstart" });
  });
});

describe("registrations of custom resources", () => {
  it("come with the definition", async () => {
    await server.call("POST", DEFINITIONS, {
      metadata: { name: "crons.stable.example.test" },
      spec: {
        group: "stable.example.test",
        names: { plural: "crons", kind: "Cron" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    });
    await eventually(async () => expect((await get(CUSTOM)).json.metadata.labels).toEqual({ [LABEL]: "true" }));
    expect((await get(CUSTOM)).json.spec).toMatchObject({ groupPriorityMinimum: 1000, versionPriority: 100 });
  });

  it("stay as they are", async () => {
    await merge(CUSTOM, { spec: { versionPriority: 5 } });
    await eventually(async () => expect((await get(CUSTOM)).json.spec.versionPriority).toBe(100));
    const { uid } = (await get(CUSTOM)).json.metadata;
    await server.call("DELETE", `${APIS}/${CUSTOM}`);
    await eventually(async () => {
      const { status, json } = await get(CUSTOM);
      expect([status, json.metadata.uid === uid]).toEqual([200, false]);
    });
  });

  it("of very many versions come and go in turns", async () => {
    const most = mostInOneTurn();
    const [first, ...others] = Array.from({ length: 100 }, (_, index) => ({
      name: `v${index + 1}`,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: { type: "object" } },
    }));
    const last = `${others.at(-1)!.name}.many.example.test`;
    await server.call("POST", DEFINITIONS, {
      metadata: { name: "manys.many.example.test" },
      spec: {
        group: "many.example.test",
        names: { plural: "manys", kind: "Many" },
        scope: "Namespaced",
        versions: [first, ...others],
      },
    });
    await eventually(async () => expect((await get(last)).status).toBe(200));
    await server.call("DELETE", `${DEFINITIONS}/manys.many.example.test`);
    await eventually(async () => expect((await get(last)).status).toBe(404));
    expect(most()).toBeLessThan(40);
  });

  it("go with the definition", async () => {
    await server.call("DELETE", `${DEFINITIONS}/crons.stable.example.test`);
    await eventually(async () => expect((await get(CUSTOM)).status).toBe(404));
  });
});
