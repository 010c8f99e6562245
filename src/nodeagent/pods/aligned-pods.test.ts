import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { RunningNode } from "./pod-runner.testing.ts";

let node: RunningNode;
afterEach(() => node.close());

/** Two NUMA nodes, each with two processors and four gibibytes. */
const start = async (more: object = {}) => {
  node = await RunningNode.start({
    cpuManagerPolicy: "static",
    memoryManagerPolicy: "Static",
    topologyManagerPolicy: "single-numa-node",
    reservedSystemCPUs: "0",
    systemReserved: { memory: "1Gi" },
    evictionHard: {},
    reservedMemory: [{ numaNode: 0, limits: { memory: "1Gi" } }],
    ...more,
  });
};

const wants = (cpu: string, memory: string) => {
  const amounts = { cpu, memory };
  const resources = { requests: amounts, limits: amounts };
  return { containers: [{ name: "main", image: "example.com/app:1", resources }] };
};

it("a pod has its processors and its memory of one NUMA node, until it has ended", async () => {
  await start();
  const pod = await node.run(wants("2", "1Gi"));
  await node.running(pod);
  const [created] = node.runtime.requests("createContainer");
  expect(created?.config?.linux?.resources).toMatchObject({ cpusetCpus: "2-3", cpusetMems: "1" });
  const state = () => JSON.parse(readFileSync(join(node.root, "memory_manager_state"), "utf8"));
  // The file follows what was decided; nobody waits for it.
  await node.until("the record of memory is written", () => state().entries !== undefined);
  expect(state().entries[pod.metadata.uid].main).toEqual([{ numaAffinity: [1], type: "memory", size: 2 ** 30 }]);
  await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
  await node.gone(pod);
  await node.until("the memory is free again", () => state().entries === undefined);
});

it("a pod that would stretch over two NUMA nodes is refused", async () => {
  await start();
  const pod = await node.run(wants("3", "1Gi"));
  const { status } = await node.untilPod(pod, "it is refused", (each) => each.status.phase === "Failed");
  expect(status).toMatchObject({
    reason: "TopologyAffinityError",
    message: "Pod was rejected: Resources cannot be allocated with Topology locality",
  });
  expect(await node.events(pod)).toContain("TopologyAffinityError");
});

it("stretches where the policy is only an effort", async () => {
  await start({ topologyManagerPolicy: "best-effort" });
  const pod = await node.run(wants("3", "1Gi"));
  await node.running(pod);
  const [created] = node.runtime.requests("createContainer");
  expect(created?.config?.linux?.resources).toMatchObject({ cpusetCpus: "1-3" });
});

it("what a pod had that was deleted while no agent ran is there for the next one, at once", async () => {
  await start();
  const before = await node.run(wants("2", "1Gi"), { name: "z" });
  await node.running(before);
  await node.stopAgent();
  await node.api.client.core.v1.pods("default").delete("z", { gracePeriodSeconds: 0 });
  const next = await node.run(wants("2", "1Gi"), { name: "a" });
  await node.startAgent();
  await node.running(next);
  await node.until("nothing is left of the other", () => node.runtime.containersOf("z", "main").length === 0);
  // What was given on is not given back with it.
  const late = await node.run(wants("2", "1Gi"), { name: "late" });
  await node.untilPod(late, "it is refused", ({ status }) => status.reason === "TopologyAffinityError");
});
