import { readFileSync } from "node:fs";
import { runControllers } from "plinth/client";
import { type Plinth, startPlinth } from "plinth/testing";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { website, websiteController } from "./website-operator.ts";
import { serveAdmission, serveConversion } from "./website-webhooks.ts";

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

it("is less than 60 lines, with the program that runs it", () => {
  const lines = ["website-operator.ts", "run-website-operator.ts"].map((file) => linesOf(file).length);
  expect(lines[0]! + lines[1]!).toBeLessThan(60);
});

it("has webhooks of ten lines each, which refuse and convert", async () => {
  const parts = linesOf("website-webhooks.ts").join("\n").split("/** ").slice(1);
  expect(parts.map((part) => part.trim().split("\n").length <= 10)).toEqual([true, true]);
  const { client } = plinth;
  await client.install(website);
  const admission = await serveAdmission(client);
  const sites = client.resource(website, "default");
  const refused = () => sites.create({ metadata: { name: "empty" }, spec: { html: "" } }, { dryRun: true });
  await vi.waitFor(() => expect(refused()).rejects.toThrow("a website needs a page"), WAIT);
  await admission.close();
  await client.admissionregistration.v1.validatingWebhookConfigurations().delete("website");

  await client.apiextensions.v1.customResourceDefinitions().modify("websites.example.com", ({ spec }) => {
    const open = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    spec.versions = ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema: open }) as never);
  });
  const conversion = await serveConversion(client);
  await sites.create({ metadata: { name: "old" }, spec: { html: "<p>" } });
  const second = client.named({ group: "example.com", version: "v2", resource: "websites" }, "default");
  await vi.waitFor(async () => expect((await second.get("old"))["spec"]).toEqual({ page: "<p>" }), WAIT);
  await conversion.close();
});

const linesOf = (file: string): string[] =>
  readFileSync(new URL(file, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
const WAIT = { timeout: 10_000, interval: 50 };
const READY = { ready: 1, conditions: [{ type: "Ready", status: "True", reason: "Serving" }] };
