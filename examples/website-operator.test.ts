import { runControllers } from "plinth/client";
import { type Plinth, startPlinth } from "plinth/testing";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { website, websiteController } from "./website-operator.ts";

let plinth: Plinth;
beforeAll(async () => {
  plinth = await startPlinth({ nodes: 1 });
});
afterAll(() => plinth.close());

it("makes a Website become a ConfigMap and a Deployment, and says how far it has come", async () => {
  const { client } = plinth;
  const stop = new AbortController();
  const errors: unknown[] = [];
  await client.install(website);
  const run = { client, controllers: [websiteController], onError: (error: unknown) => errors.push(error) };
  const running = runControllers(run, stop.signal);

  const sites = client.resource(website, "default");
  await sites.create({ metadata: { name: "hello" }, spec: { html: "<h1>Hello</h1>" } });
  const deployments = client.apps.v1.deployments("default");
  await vi.waitFor(async () => expect((await deployments.get("hello")).spec.replicas).toBe(1), WAIT);
  const page = await client.core.v1.configMaps("default").get("hello");
  expect(page.data).toEqual({ "index.html": "<h1>Hello</h1>" });
  expect(page.metadata.ownerReferences).toMatchObject([{ kind: "Website", name: "hello", controller: true }]);
  await vi.waitFor(async () => expect((await sites.get("hello")).status).toMatchObject(READY), WAIT);

  // A change behind its back is put right.
  await client.core.v1.configMaps("default").delete("hello");
  await vi.waitFor(async () => expect(await client.core.v1.configMaps("default").find("hello")).toBeDefined(), WAIT);

  stop.abort();
  await running;
  expect(errors).toEqual([]);
});

const WAIT = { timeout: 10_000, interval: 50 };
const READY = { ready: 1, conditions: [{ type: "Ready", status: "True", reason: "Serving" }] };
