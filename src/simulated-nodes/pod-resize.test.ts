// Changes of the resources of pods that run on simulated nodes. The nodes have 4 CPU each.

import { afterEach, describe, expect, it } from "vitest";
import type { Pod } from "../kinds/core/pod.ts";
import { type SimulatedCluster, simulatedCluster } from "./simulated-nodes.testing.ts";

let cluster: SimulatedCluster;
afterEach(() => cluster.close());

const pods = () => cluster.client.core.v1.pods("default");

async function runningPod(name: string, cpu: string, { priority = 0, container = {} } = {}) {
  if (priority !== 0)
    await cluster.client.scheduling.v1.priorityClasses().create({ metadata: { name }, value: priority });
  await pods().create({
    metadata: { name },
    spec: {
      nodeName: "simulated-1",
      automountServiceAccountToken: false,
      ...(priority === 0 ? {} : { priorityClassName: name }),
      containers: [{ name: "app", image: "app", resources: { requests: { cpu } }, ...container }],
    },
  });
  await cluster.eventually(async () => expect((await pods().get(name)).status.phase).toBe("Running"));
}

const resize = (name: string, cpu: string) =>
  pods().resize.patch(name, {
    strategic: { spec: { containers: [{ name: "app", resources: { requests: { cpu } } }] } } as never,
  });
const pendingOf = ({ status }: Pod) => status.conditions?.find(({ type }) => type === "PodResizePending");
const cpuOf = ({ status }: Pod) => {
  const [app] = status.containerStatuses ?? [];
  return [app?.resources?.requests?.["cpu"], app?.allocatedResources?.["cpu"]];
};

const has = (name: string, cpu: string) =>
  cluster.eventually(async () => {
    const pod = await pods().get(name);
    expect(cpuOf(pod)).toEqual([cpu, cpu]);
    expect(pod.status.observedGeneration).toBe(pod.metadata.generation);
    expect(pendingOf(pod)).toBeUndefined();
  });
const waits = (name: string, cpu: string, reason: string, message: string) =>
  cluster.eventually(async () => {
    const pod = await pods().get(name);
    expect(pendingOf(pod)).toMatchObject({
      status: "True",
      reason,
      message,
      observedGeneration: pod.metadata.generation,
    });
    expect(cpuOf(pod)).toEqual([cpu, cpu]);
  });

describe("a pod on a simulated node that asks for other resources", () => {
  it("gets them at once where there is room, more or less of them", async () => {
    cluster = await simulatedCluster({ count: 1 });
    await runningPod("a", "1");
    await has("a", "1");
    await resize("a", "4");
    await has("a", "4");
    await resize("a", "2");
    await has("a", "2");
    expect((await pods().get("a")).status.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it("is started again for them where it wants that", async () => {
    cluster = await simulatedCluster({ count: 1 });
    await runningPod("a", "1", {
      container: { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] },
    });
    await resize("a", "2");
    await has("a", "2");
    expect((await pods().get("a")).status.containerStatuses?.[0]?.restartCount).toBe(1);
  });

  it("is told that the node can never give them, until it asks for less", async () => {
    cluster = await simulatedCluster({ count: 1 });
    await runningPod("a", "1");
    await resize("a", "5");
    await waits("a", "1", "Infeasible", "Node didn't have enough capacity: cpu, requested: 5000, capacity: 4000");
    await resize("a", "3");
    await has("a", "3");
  });

  it("waits while others have them, the most important first", async () => {
    cluster = await simulatedCluster({ count: 1 });
    await runningPod("other", "2");
    await runningPod("low", "1");
    await runningPod("high", "1", { priority: 10 });
    const message = "Node didn't have enough resource: cpu, requested: 3000, used: 3000, capacity: 4000";
    await resize("low", "3");
    await waits("low", "1", "Deferred", message);
    await resize("high", "3");
    await waits("high", "1", "Deferred", message);
    await pods().delete("other", { gracePeriodSeconds: 0 });
    await has("high", "3");
    await waits("low", "1", "Deferred", message);
    await resize("high", "1");
    await has("low", "3");
  });

  it("waits on after a restart of the nodes, and keeps what it has when it is started again", async () => {
    cluster = await simulatedCluster({ count: 1 });
    await runningPod("other", "3");
    await runningPod("a", "1");
    await resize("a", "2");
    const message = "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000";
    await waits("a", "1", "Deferred", message);
    await pods().patch("a", { strategic: { spec: { containers: [{ name: "app", image: "newer" }] } } as never });
    await cluster.restartNodes();
    await cluster.eventually(async () =>
      expect((await pods().get("a")).status.containerStatuses?.[0]).toMatchObject({ image: "newer", restartCount: 1 }),
    );
    await waits("a", "1", "Deferred", message);
    await pods().delete("other", { gracePeriodSeconds: 0 });
    await has("a", "2");
  });

  it("costs no writes while it waits", async () => {
    cluster = await simulatedCluster({ count: 1 });
    await runningPod("other", "3");
    await runningPod("a", "1");
    await resize("a", "2");
    const told = "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000";
    await waits("a", "1", "Deferred", told);
    const { resourceVersion } = (await pods().get("a")).metadata;
    await cluster.clock.advance(3_600_000);
    expect((await pods().get("a")).metadata.resourceVersion).toBe(resourceVersion);
  });
});
