// A server, simulated nodes and a scheduler with some feature gates, for tests that play the driver of devices.

import { expect } from "vitest";
import { asUser } from "../apiserver/server.testing.ts";
import { silentLog } from "../base/log.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process-transport.ts";
import type { Pod } from "../kinds/core/pod.ts";
import type { Draft } from "../kinds/define-kind.ts";
import type { DeviceRequest } from "../kinds/resource/resource-claim-spec.ts";
import type { Device } from "../kinds/resource/resource-slice-schema.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { type SimulatedCluster, simulatedCluster } from "../simulated-nodes/simulated-nodes.testing.ts";
import { Scheduler } from "./scheduler.ts";
import { type SchedulerGate, schedulerGates } from "./scheduler-gates.ts";

export const DRIVER = "gpu.example.com";

type Exactly = Draft<NonNullable<DeviceRequest["exactly"]>>;

export interface DeviceCluster extends SimulatedCluster {
  /** On a node: simulated-1, simulated-2. A slice of the name there was replaced. */
  offer(node: string, devices: readonly Draft<Device>[]): Promise<void>;
  /** Of one request. */
  makeClaim(name: string, exactly?: Exactly): Promise<void>;
  /** Uses the claim of its name, or another; with "" none. */
  makePod(name: string, claim?: string, spec?: Draft<Pod["spec"]>): Promise<void>;
  running(name: string): Promise<void>;
  unschedulable(name: string, message: RegExp): Promise<void>;
  devicesOf(claim: string): Promise<string[] | undefined>;
  restartScheduler(): Promise<void>;
}

/** The server and the scheduler have these gates; alpha kinds are served. */
export async function deviceCluster(
  gates: readonly SchedulerGate[],
  dialect: Dialect = "platform",
): Promise<DeviceCluster> {
  const cluster = await simulatedCluster({
    count: 2,
    dialect,
    flags: [
      `--feature-gates=${gates.map((gate) => `${gate}=true`).join()}`,
      `--runtime-config=${namesFor(dialect).group("resource")}/v1alpha3=true`,
    ],
  });
  const { client, server, clock, eventually } = cluster;
  const build = () => {
    const headers = { "user-agent": "scheduler/1", ...asUser({ name: "system:kube-scheduler", groups: [] }) };
    const transport = new InProcessTransport({ handler: server.handler, headers });
    return new Scheduler({
      client: new Client({ transport, dialect, clock }),
      clock,
      random: () => 0.5,
      log: silentLog,
      options: { percentageOfNodesToScore: 0 },
      gates: schedulerGates((gate) => gates.includes(gate)),
    });
  };
  let scheduler = build();
  await scheduler.start();
  const { deviceClasses, resourceSlices, resourceClaims } = client.devices.v1;
  await deviceClasses().create({
    metadata: { name: "gpu" },
    spec: { selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }] },
  });
  const pods = client.core.v1.pods("default");
  return {
    ...cluster,
    async offer(nodeName, devices) {
      const old = await resourceSlices().find(nodeName);
      const generation = (old?.spec.pool.generation ?? 0) + 1;
      if (old !== undefined) await resourceSlices().delete(nodeName);
      await resourceSlices().create({
        metadata: { name: nodeName },
        spec: {
          driver: DRIVER,
          nodeName,
          pool: { name: nodeName, generation, resourceSliceCount: 1 },
          devices: [...devices],
        },
      });
    },
    async makeClaim(name, exactly = {}) {
      const requests = [{ name: "r", exactly: { deviceClassName: "gpu", ...exactly } }];
      await resourceClaims("default").create({ metadata: { name }, spec: { devices: { requests } } });
    },
    async makePod(name, claim = name, spec = {}) {
      const uses = claim === "" ? {} : { resourceClaims: [{ name: "gpu", resourceClaimName: claim }] };
      await pods.create({
        metadata: { name },
        spec: { containers: [{ name: "app", image: "app" }], ...uses, ...spec },
      });
    },
    running: (name) => eventually(async () => expect((await pods.get(name)).status.phase).toBe("Running")),
    unschedulable: (name, message) =>
      eventually(async () => {
        const { conditions } = (await pods.get(name)).status;
        expect(conditions?.find(({ type }) => type === "PodScheduled")).toMatchObject({
          status: "False",
          message: expect.stringMatching(message),
        });
      }),
    devicesOf: async (name) =>
      (await resourceClaims("default").get(name)).status.allocation?.devices?.results?.map(({ device }) => device),
    async restartScheduler() {
      await scheduler.stop();
      scheduler = build();
      await scheduler.start();
    },
    async close() {
      await scheduler.stop();
      await cluster.close();
    },
  };
}
