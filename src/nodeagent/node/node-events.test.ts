import { describe, expect, it } from "vitest";
import type { Node } from "../../kinds/core/node.ts";
import { namesFor } from "../../meta/names.ts";
import { firstEvents, nodeEvents, schedulableEvents } from "./node-events.ts";
import { machineLabels, nodeLabelProblem } from "./node-labels.ts";

const node = (conditions: Readonly<Record<string, string>>, bootID = "b1") =>
  ({
    metadata: { name: "node-1" },
    spec: {},
    status: {
      conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
      nodeInfo: { bootID },
    },
  }) as unknown as Node;

describe("the events of a node", () => {
  it.each([
    ["Ready", "False", "True", "NodeReady"],
    ["Ready", "True", "False", "NodeNotReady"],
    ["MemoryPressure", "False", "True", "NodeHasInsufficientMemory"],
    ["DiskPressure", "True", "False", "NodeHasNoDiskPressure"],
    ["PIDPressure", "False", "True", "NodeHasInsufficientPID"],
  ])("tell that %s went from %s to %s", (type, was, is, reason) => {
    expect(nodeEvents(node({ [type]: was }), node({ [type]: is }))).toEqual([
      { type: "Normal", reason, message: `Node node-1 status is now: ${reason}` },
    ]);
  });

  it("tell nothing of what stays, nor of other conditions", () => {
    expect(nodeEvents(node({ Ready: "True", Other: "True" }), node({ Ready: "True", Other: "False" }))).toEqual([]);
  });

  it("tell of a new start of the machine", () => {
    expect(nodeEvents(node({}, "b1"), node({}, "b2"))).toEqual([
      { type: "Warning", reason: "Rebooted", message: "Node node-1 has been rebooted, boot id: b2" },
    ]);
    expect(nodeEvents(node({}, ""), node({}, "b2"))).toEqual([]);
  });
});

describe("an agent that starts", () => {
  const calm = { MemoryPressure: "False", DiskPressure: "False", PIDPressure: "True" };
  const pressures = ["NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasInsufficientPID"];
  const reasons = (ready: string, isNew: boolean) =>
    firstEvents(node({ ...calm, Ready: ready }), { isNew }).map(({ reason }) => reason);

  it("says so, and how the node is", () => {
    expect(firstEvents(node({}), { isNew: true })).toEqual([
      { type: "Normal", reason: "Starting", message: "Starting kubelet." },
    ]);
    expect(new Set(reasons("True", true))).toEqual(new Set(["Starting", "NodeReady", ...pressures]));
  });

  it("says that a node is ready only of a new one, and never that it is not", () => {
    expect(new Set(reasons("True", false))).toEqual(new Set(["Starting", ...pressures]));
    expect(new Set(reasons("False", true))).toEqual(new Set(["Starting", ...pressures]));
  });
});

it("a node that takes no new pods, and takes them again, is told of", () => {
  const closed = { ...node({}), spec: { unschedulable: true } };
  expect(schedulableEvents(true, closed).map(({ message }) => message)).toEqual([
    "Node node-1 status is now: NodeNotSchedulable",
  ]);
  expect(schedulableEvents(false, node({})).map(({ reason }) => reason)).toEqual(["NodeSchedulable"]);
  expect(schedulableEvents(true, node({}))).toEqual([]);
});

describe("the labels of a node", () => {
  it("say what the machine is", () => {
    expect(machineLabels(namesFor("kubernetes"), "node-1", "arm64")).toMatchObject({
      "kubernetes.io/hostname": "node-1",
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": "arm64",
    });
  });

  it.each([
    ["example.com/rack", "r1", true],
    ["tier", "front", true],
    ["platform.io/hostname", "n", true],
    ["topology.platform.io/zone", "z", true],
    ["node.platform.io/anything", "x", true],
    ["sub.node.platform.io/anything", "x", true],
    ["node-restriction.platform.io/x", "y", false],
    ["platform.io/other", "x", false],
    ["bad key", "x", false],
    ["tier", "bad value", false],
  ])("%s=%s may be set: %s", (key, value, may) => {
    expect(nodeLabelProblem(namesFor("platform"), key, value) === undefined).toBe(may);
  });
});
