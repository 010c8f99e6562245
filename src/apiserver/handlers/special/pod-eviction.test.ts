// Evictions while others write to the pod: what was judged of it must still hold when it goes.

import { afterEach, expect, it } from "vitest";
import { MemoryEngine } from "../../../storage/memory-engine.ts";
import { type ServerInProcess, serverInProcess } from "../../server.testing.ts";

const NS = "/api/v1/namespaces/default";
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const KEY = "/registry/pods/default/p";

/** Whoever reads the pod may be overtaken before anything comes of it. */
class OvertakenEngine extends MemoryEngine {
  /** Called once, when the pod has been read. */
  overtake: (() => Promise<unknown>) | undefined;

  override get newestKnown(): undefined {
    return undefined;
  }

  override async get(key: string, revision?: number) {
    const entry = await super.get(key, revision);
    const { overtake } = this;
    if (key === KEY && overtake !== undefined) {
      this.overtake = undefined;
      await overtake();
    }
    return entry;
  }
}

let server: ServerInProcess;
afterEach(() => server.close());

/** A pod, and a budget that has one healthy pod and wants as many. */
async function start(healthy: number, status: object): Promise<OvertakenEngine> {
  const engine = new OvertakenEngine();
  server = await serverInProcess({ engine, flags: ["--disable-admission-plugins=ServiceAccount"] });
  const metadata = { name: "p", labels: { app: "a" } };
  const spec = { containers: [{ name: "c", image: "i" }] };
  expect((await server.call("POST", `${NS}/pods`, { metadata, spec })).status).toBe(201);
  await setStatus(status);
  const selector = { matchLabels: { app: "a" } };
  const budget = { metadata: { name: "b" }, spec: { minAvailable: 1, selector } };
  expect((await server.call("POST", BUDGETS, budget)).status).toBe(201);
  const counted = { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: healthy, desiredHealthy: 1 };
  const written = await server.call("PATCH", `${BUDGETS}/b/status`, { status: { ...counted, expectedPods: 1 } });
  expect(written.status).toBe(200);
  return engine;
}

async function setStatus(status: object): Promise<void> {
  expect((await server.call("PATCH", `${NS}/pods/p/status`, { status })).status).toBe(200);
}

const RUNNING = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
const UNREADY = { phase: "Running", conditions: [{ type: "Ready", status: "False" }] };

const evict = (deleteOptions?: object) =>
  server.call("POST", `${NS}/pods/p/eviction`, { metadata: { name: "p" }, ...(deleteOptions && { deleteOptions }) });
const isThere = async () => (await server.call("GET", `${NS}/pods/p`)).json.metadata.deletionTimestamp === undefined;

it("of a pod that begins to run meanwhile asks its budget", async () => {
  const engine = await start(1, { phase: "Pending" });
  engine.overtake = () => setStatus(RUNNING);
  const { status, json } = await evict();
  expect([status, json.details.causes[0].message]).toEqual([429, expect.stringMatching(/needs 1 healthy pods/)]);
  expect(await isThere()).toBe(true);
});

it("of a pod that becomes ready meanwhile is to be tried again", async () => {
  const engine = await start(1, UNREADY);
  engine.overtake = () => setStatus(RUNNING);
  const { status, json } = await evict();
  expect([status, json.details.retryAfterSeconds]).toEqual([429, 10]);
  expect(await isThere()).toBe(true);
});

it.each([{ phase: "Pending" }, UNREADY])("of a pod that nobody overtakes is done: %j", async (status) => {
  await start(1, status);
  expect((await evict()).status).toBe(201);
});

it("of a pod of another version than the one that is meant is a conflict, whoever was faster", async () => {
  const engine = await start(1, { phase: "Pending" });
  const { resourceVersion } = (await server.call("GET", `${NS}/pods/p`)).json.metadata;
  engine.overtake = () => setStatus(RUNNING);
  expect((await evict({ preconditions: { resourceVersion } })).status).toBe(409);
  expect(await isThere()).toBe(true);
});
