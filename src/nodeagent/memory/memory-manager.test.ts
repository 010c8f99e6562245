import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { podWith } from "../pods/runtime-pod.testing.ts";
import { PodTopology } from "../topology/pod-topology.ts";
import { MemoryManager } from "./memory-manager.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-memory-"));
  file = join(folder, "memory_manager_state");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const GI = 2 ** 30;
const STATIC = {
  memoryManagerPolicy: "Static",
  reservedMemory: [{ numaNode: 0, limits: { memory: "1Gi" } }],
  systemReserved: { memory: "512Mi" },
  kubeReserved: { memory: "412Mi" },
  evictionHard: { "memory.available": "100Mi" },
};

/** Two nodes of four gibibytes. */
function manager(more: Partial<ConstructorParameters<typeof MemoryManager>[0]["config"]> = {}) {
  return new MemoryManager({
    file,
    config: { ...STATIC, ...more },
    numaNodes: async () => [0, 1].map((id) => ({ id, memoryBytes: 4 * GI, hugePages: new Map(), distances: [10, 20] })),
    clock: new FakeClock(0),
    log: silentLog,
  });
}

async function started(topologyManagerPolicy = "none", topologyManagerScope = "container") {
  const memory = manager();
  await memory.start();
  const topology = new PodTopology({
    config: { topologyManagerPolicy, topologyManagerScope, topologyManagerPolicyOptions: {} },
    numa: async () => ({ nodes: [0, 1], distance: (from, to) => (from === to ? 10 : 20) }),
    resources: [memory],
    onDecision: () => undefined,
  });
  await topology.start();
  return { memory, admit: (uid: string, spec: object) => topology.admit(podWith(spec, { uid })) };
}

const container = (name: string, memory: string, more: object = {}) => {
  const amounts = { cpu: "100m", memory };
  return { name, resources: { requests: amounts, limits: amounts }, ...more };
};
const one = (memory: string) => ({ containers: [container("main", memory)] });

describe("memory that is set aside", () => {
  it("is of one node where that can be, and is given back", async () => {
    const { memory, admit } = await started();
    admit("a", one("2Gi"));
    admit("b", one("2Gi"));
    expect([memory.nodesOf("a", "main"), memory.nodesOf("b", "main")]).toEqual(["0", "1"]);
    expect(() => admit("c", one("3Gi"))).toThrow(
      "Allocate failed due to [memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available, which is unexpected",
    );
    memory.release("b");
    admit("c", one("3Gi"));
    expect(memory.nodesOf("c", "main")).toBe("1");
  });

  it("is of both nodes where one is not enough", async () => {
    const { memory, admit } = await started();
    admit("a", one("5Gi"));
    expect(memory.nodesOf("a", "main")).toBe("0-1");
    memory.release("a");
    await memory.stop();
    const single = await started("single-numa-node");
    expect(() => single.admit("a", one("5Gi"))).toThrow("Resources cannot be allocated with Topology locality");
  });

  it("is not for pods that may use more than they ask for", async () => {
    const { memory, admit } = await started();
    admit("a", { containers: [{ name: "main", resources: { requests: { memory: "1Gi" } } }] });
    expect(memory.nodesOf("a", "main")).toBe("");
  });

  it("of containers of the start is used again, that of sidecars is not", async () => {
    const { memory, admit } = await started();
    const initContainers = [container("setup", "2Gi"), container("side", "512Mi", { restartPolicy: "Always" })];
    admit("a", { initContainers, containers: [container("main", "2Gi")] });
    expect(["setup", "side", "main"].map((name) => memory.nodesOf("a", name))).toEqual(["0", "0", "0"]);
    expect(memory.blocksOf("a", "setup")[0]?.size).toBe(0);
  });

  it("of a whole pod is of one node with the scope pod", async () => {
    const { memory, admit } = await started("single-numa-node", "pod");
    admit("a", { containers: [container("one", "2Gi"), container("two", "2Gi")] });
    expect([memory.nodesOf("a", "one"), memory.nodesOf("a", "two")]).toEqual(["1", "1"]);
    expect(() => admit("b", { containers: [container("one", "2Gi"), container("two", "2Gi")] })).toThrow(
      "Resources cannot be allocated with Topology locality",
    );
    expect(memory.nodesOf("b", "one")).toBe("");
  });

  it("is known to an agent that starts again", async () => {
    const before = await started();
    before.admit("a", one("2Gi"));
    await before.memory.stop();
    const { memory, admit } = await started();
    expect(memory.nodesOf("a", "main")).toBe("0");
    admit("a", one("2Gi"));
    admit("b", one("2Gi"));
    expect(memory.nodesOf("b", "main")).toBe("1");
  });
});

describe("an agent does not start", () => {
  it.each([
    ["with a file that was cut short", '{"policyName":"Sta', {}, "is corrupted, please drain this node"],
    [
      "with a file of another policy",
      '{"policyName":"None","machineState":{}}',
      {},
      "differs from state checkpoint policy",
    ],
    [
      "with a file of another machine",
      '{"policyName":"Static","machineState":{}}',
      {},
      "expected machine state is different",
    ],
    ["without memory for the system", "", { reservedMemory: [] }, "Static needs memory for the system"],
    ["with a node that is not there", "", { reservedMemory: [{ numaNode: 9, limits: {} }] }, "no NUMA node 9"],
    [
      "with other sums than the node keeps",
      "",
      { systemReserved: {} },
      'the total amount "1073741824" of type "memory" is not equal to the value "536870912"',
    ],
  ])("%s", async (_, text, more, message) => {
    writeFileSync(file, text);
    await expect(manager(more).start()).rejects.toThrow(message);
  });
});

it("with the policy None the kernel decides, and the file says so", async () => {
  const memory = manager({ memoryManagerPolicy: "None", reservedMemory: [] });
  await memory.start();
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ policyName: "None", machineState: {} });
});
