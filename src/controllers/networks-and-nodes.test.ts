// The controllers of networks and nodes together: with no rights but their own, and while the server fails.

import { describe, expect, it } from "vitest";
import type { ApiRequest } from "../client/transport.ts";
import { DIALECTS } from "../meta/names.ts";
import { timeOfMs } from "../meta/time.ts";
import { type ControllersInProcess, controllersInProcess } from "./controllers.testing.ts";
import { endpointSliceController } from "./endpoint-slice/endpoint-slice-controller.ts";
import { endpointSliceMirroringController } from "./endpoint-slice-mirroring/endpoint-slice-mirroring-controller.ts";
import { endpointsController } from "./endpoints/endpoints-controller.ts";
import { nodeIpamController } from "./node-ipam/node-ipam-controller.ts";
import { nodeLifecycleController } from "./node-lifecycle/node-lifecycle-controller.ts";
import { nodeTtlController } from "./node-ttl/node-ttl-controller.ts";
import { makePod, makeService } from "./service-backends/backends.testing.ts";
import { serviceCidrController } from "./service-cidr/service-cidr-controller.ts";
import { taintEvictionController } from "./taint-eviction/taint-eviction-controller.ts";

const OPTIONS = {
  definitions: [
    endpointsController,
    endpointSliceController,
    endpointSliceMirroringController,
    serviceCidrController,
    nodeLifecycleController,
    taintEvictionController,
    nodeIpamController,
    nodeTtlController,
  ],
  flags: ["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/24", "--node-cidr-mask-size=25", "--node-eviction-rate=5"],
  serverFlags: [
    "--disable-admission-plugins=ServiceAccount",
    "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
  ],
};

/** What makes every one of them write: nodes come, fall silent and go; Services, pods and ranges too. */
async function live(started: ControllersInProcess): Promise<void> {
  const { client, clock, eventually } = started;
  const { names } = client;
  const nodes = client.core.v1.nodes();
  const report = (name: string) => {
    const time = timeOfMs(clock.nowMs());
    const condition = {
      type: "Ready",
      status: "True",
      reason: "R",
      message: "m",
      lastHeartbeatTime: time,
      lastTransitionTime: time,
    };
    return nodes.status.patch(name, { strategic: { status: { conditions: [condition] } } });
  };
  for (const name of ["node-1", "node-2", "node-3"]) {
    await nodes.create({ metadata: { name, labels: { [names.osLabel]: "linux" } } });
    await report(name);
  }
  await makeService(client, "web");
  await makeService(client, "external", { selector: {} });
  const endpoints = client.core.v1.endpoints("default");
  await endpoints.create({
    metadata: { name: "external" },
    subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 1 }] }],
  });
  await makePod(client, { name: "a", labels: { app: "web" } });
  await makePod(client, { name: "b", labels: { app: "web" }, spec: { nodeName: "node-2", tolerations: [] } });
  const cidrs = client.networking.v1.serviceCIDRs();
  await cidrs.create({ metadata: { name: "more" }, spec: { cidrs: ["10.98.0.0/24"] } });
  const addresses = async (service: string) => {
    const labelSelector = `${names.serviceNameLabel}=${service}`;
    const { items } = await client.discovery.v1.endpointSlices("default").list({ labelSelector });
    return items.flatMap((slice) => slice.endpoints ?? []).length;
  };
  await eventually(async () => expect([await addresses("web"), await addresses("external")]).toEqual([2, 1]));
  await eventually(async () => expect((await endpoints.get("web")).subsets?.[0]?.addresses).toHaveLength(2));
  await eventually(async () => expect((await cidrs.get("more")).metadata.finalizers).toHaveLength(1));
  await cidrs.delete("more");
  for (let second = 0; second < 1_000; second += 20) {
    for (const name of ["node-1", "node-3"]) await report(name);
    await clock.advance(20_000);
    await eventually(() => expect(started.manager.busy).toBe(false));
  }
  await eventually(async () => expect(await cidrs.find("more")).toBeUndefined());
  await eventually(async () =>
    expect((await client.core.v1.pods("default").get("b")).metadata.deletionTimestamp, "the pod leaves").toBeDefined(),
  );
  await eventually(async () => expect((await endpoints.get("web")).subsets?.[0]?.addresses).toHaveLength(1));
  await nodes.delete("node-2");
  await eventually(async () => expect((await nodes.get("node-3")).spec?.podCIDRs).toHaveLength(1));
  await endpoints.delete("external");
  await client.core.v1.services("default").delete("web");
  await eventually(async () => expect(await endpoints.find("web")).toBeUndefined());
  await eventually(async () => expect(await addresses("external")).toBe(0));
}

describe.each(DIALECTS)("in the dialect %s", (dialect) => {
  it("no request is ever refused when each has the rights of its own role", async () => {
    const started = await controllersInProcess({ ...OPTIONS, dialect, ownAccounts: true });
    await live(started);
    expect(started.refused).toEqual([]);
    await started.close();
  });

  it("everything becomes right although writes fail, without a storm of requests", async () => {
    let state = 42;
    const fault = ({ method }: ApiRequest): number | undefined => {
      if (method === "GET") return undefined;
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      const chance = state / 2 ** 31;
      return chance < 0.2 ? 500 : chance < 0.4 ? 409 : undefined;
    };
    const started = await controllersInProcess({ ...OPTIONS, dialect, fault });
    await live(started);
    expect(started.requests).toBeLessThan(1_000);
    await started.close();
  });
});
