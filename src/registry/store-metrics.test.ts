// What the store is asked and what lists read, counted through the whole server and with a store that fails.

import { expect, it } from "vitest";
import { startTestServer, type TestServer } from "../admission/admission.testing.ts";
import { systemClock } from "../base/clock.ts";
import { Metrics } from "../base/metrics.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { StorageError } from "../storage/storage-error.ts";
import { ObjectStore } from "./object-store.ts";
import { StoreMetrics } from "./store-metrics.ts";

/** The server makes none of its own. */
const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
const account = (labels: object) => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a", labels } });
const MAPS = "/api/v1/namespaces/default/configmaps";
const map = (name: string, labels: object) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels },
});

async function linesOf(metrics: Metrics, pattern: RegExp): Promise<string[]> {
  return (await metrics.text()).split("\n").filter((line) => pattern.test(line));
}

async function withServer(work: (server: TestServer, metrics: Metrics) => Promise<void>): Promise<void> {
  const metrics = new Metrics({ release: "1.34" });
  const server = await startTestServer({ metrics });
  try {
    await work(server, metrics);
  } finally {
    await server.close();
  }
}

it("writes are counted by operation and resource; a conflict is an answer", () =>
  withServer(async (server, metrics) => {
    await server.call("POST", ACCOUNTS, account({}));
    expect((await server.call("POST", ACCOUNTS, account({}))).status).toBe(409);
    await server.call("PUT", `${ACCOUNTS}/a`, account({ x: "y" }));
    await server.call("DELETE", `${ACCOUNTS}/a`);
    const counts = await linesOf(
      metrics,
      /^etcd_requests_total\{operation="(create|update|delete)".*"serviceaccounts"/,
    );
    expect(counts).toEqual([
      'etcd_requests_total{operation="create",group="",resource="serviceaccounts"} 2',
      'etcd_requests_total{operation="update",group="",resource="serviceaccounts"} 1',
      'etcd_requests_total{operation="delete",group="",resource="serviceaccounts"} 1',
    ]);
    expect(await linesOf(metrics, /^etcd_request_duration_seconds_count.*create.*serviceaccounts/)).toEqual([
      'etcd_request_duration_seconds_count{operation="create",group="",resource="serviceaccounts"} 2',
    ]);
    expect(await linesOf(metrics, /^etcd_request_errors_total\{/)).toEqual([]);
  }));

it("lists are counted by what they looked at and what they gave", () =>
  withServer(async (server, metrics) => {
    for (const name of ["a", "b", "c"]) await server.call("POST", MAPS, map(name, { x: name }));
    await server.call("GET", MAPS);
    await server.call("GET", `${MAPS}?labelSelector=x%3Db`);
    await server.call("GET", `${MAPS}?fieldSelector=metadata.name%3Dc`);
    const lines = await linesOf(metrics, /^apiserver_cache_list.*"configmaps"/);
    expect(lines).toEqual([
      'apiserver_cache_list_fetched_objects_total{group="",resource="configmaps",index=""} 7',
      'apiserver_cache_list_returned_objects_total{group="",resource="configmaps"} 5',
      'apiserver_cache_list_total{group="",resource="configmaps",index=""} 3',
    ]);
  }));

it("what a store cannot answer is a failure", async () => {
  const metrics = new Metrics({ release: "1.34" });
  const engine = new MemoryEngine();
  engine.get = () => Promise.reject(new StorageError("Unavailable", "gone"));
  const observer = new StoreMetrics(metrics).of("g", "things");
  const options = { engine, observer, prefix: "/registry/x/", namespaced: false, fieldsOf: () => ({}) };
  const store = new ObjectStore({ ...options, clock: systemClock });
  await expect(store.get("/registry/x/a")).rejects.toThrow("gone");
  expect(await linesOf(metrics, /^etcd_request_errors_total\{/)).toEqual([
    'etcd_request_errors_total{operation="get",group="g",resource="things"} 1',
  ]);
});

it("resources without end share one series", async () => {
  const metrics = new Metrics({ release: "1.34" });
  const stores = new StoreMetrics(metrics);
  for (let each = 0; each < 3_000; each += 1) stores.of("g", `r${each}`).asked("get", 0.001, false);
  expect(await linesOf(metrics, /^etcd_requests_total\{/)).toHaveLength(2_001);
});
