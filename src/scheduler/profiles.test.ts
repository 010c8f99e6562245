// Several profiles on a whole server: each places the pods of its own name, in its own way.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { asUser } from "../apiserver/server.testing.ts";
import { silentLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process-transport.ts";
import { type SimulatedCluster, simulatedCluster } from "../simulated-nodes/simulated-nodes.testing.ts";
import { loadConfiguration } from "./load-configuration.ts";
import { Scheduler } from "./scheduler.ts";
import { schedulerMetrics } from "./scheduler-metrics.ts";

const CONFIGURATION = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: spreading
- schedulerName: packing
  plugins:
    score:
      disabled: [{ name: "*" }]
      enabled: [{ name: NodeResourcesFit, weight: 1 }]
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources: [{ name: cpu, weight: 1 }]
`;

let cluster: SimulatedCluster;
let scheduler: Scheduler;
afterEach(async () => {
  await scheduler.stop();
  await cluster.close();
});

it("a profile packs pods, another spreads them, and pods of other names stay where they are", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plinth-profiles-"));
  const file = join(folder, "config.yaml");
  writeFileSync(file, CONFIGURATION);
  const { profiles } = loadConfiguration(file);
  rmSync(folder, { recursive: true });
  cluster = await simulatedCluster({ count: 3 });
  const { client, clock, eventually } = cluster;
  const headers = { "user-agent": "scheduler/1", ...asUser({ name: "system:kube-scheduler", groups: [] }) };
  const transport = new InProcessTransport({ handler: cluster.server.handler, headers });
  const registry = new Metrics({ release: "1.34" });
  scheduler = new Scheduler({
    client: new Client({ transport, dialect: "platform", clock }),
    clock,
    random: () => 0.5,
    log: silentLog,
    options: { percentageOfNodesToScore: 0 },
    profiles,
    metrics: schedulerMetrics(registry),
  });
  await scheduler.start();
  const pods = client.core.v1.pods("default");
  const make = async (name: string, schedulerName: string, cpu = "500m") => {
    const resources = { requests: { cpu } };
    await pods.create({
      metadata: { name },
      spec: { schedulerName, containers: [{ name: "c", image: "i", resources }] },
    });
  };
  const nodeOf = (name: string) =>
    eventually(async () => {
      const { nodeName } = (await pods.get(name)).spec;
      expect(nodeName).toBeDefined();
      return nodeName!;
    });
  await make("alien", "default-scheduler");
  const nodes = async (schedulerName: string) => {
    const names = [0, 1, 2].map((index) => `${schedulerName}-${index}`);
    const found = new Set<string>();
    for (const name of names) {
      await make(name, schedulerName);
      found.add(await nodeOf(name));
    }
    return found.size;
  };
  expect(await nodes("spreading")).toBe(3);
  expect((await pods.get("alien")).spec.nodeName).toBeUndefined();
  await pods.deleteCollection();
  await eventually(async () => expect((await pods.list()).items).toEqual([]));
  expect(await nodes("packing")).toBe(1);
  await eventually(async () => {
    const { items } = await client.events.v1.events("default").list();
    const reporters = new Set(items.map(({ reportingController }) => reportingController));
    expect([...reporters].sort()).toEqual(["packing", "spreading"]);
  });
  await make("huge", "packing", "500");
  await eventually(async () => {
    let measured = "";
    for await (const piece of registry.expose()) measured += piece;
    expect(measured.split("\n")).toEqual(
      expect.arrayContaining([
        'scheduler_schedule_attempts_total{profile="spreading",result="scheduled"} 3',
        'scheduler_schedule_attempts_total{profile="packing",result="scheduled"} 3',
        'scheduler_schedule_attempts_total{profile="packing",result="unschedulable"} 1',
        'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="packing"} 1',
        'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="spreading"} 0',
        'scheduler_framework_extension_point_duration_seconds_count{extension_point="Bind",status="Success",profile="packing"} 3',
        expect.stringMatching(
          /^scheduler_plugin_evaluation_total\{plugin="NodeResourcesFit",extension_point="Filter",profile="spreading"\} [1-9]/,
        ),
      ]),
    );
    expect(measured).not.toContain("default-scheduler");
  });
});
