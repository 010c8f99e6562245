import { describe, expect, it } from "vitest";
import type { Node } from "../../kinds/core/node.ts";
import { type AdmissionFacts, admissionProblem } from "./node-admission.ts";
import { podWith } from "./runtime-pod.testing.ts";

const node = (labels: Record<string, string> = {}, taints: object[] = [], features: object = {}) =>
  ({ metadata: { name: "node", labels }, spec: { taints }, status: { features } }) as unknown as Node;
const FACTS: AdmissionFacts = {
  node: node({ zone: "a", size: "5" }),
  nodeName: "node",
  allocatable: { cpu: "2", memory: "1Gi", pods: "3" },
  others: [],
  kernelRelease: "6.1",
  hasAppArmor: false,
  allowedSysctls: [],
  isStatic: false,
  isShuttingDown: false,
  pressures: new Set(),
  memoryPressureTaint: "pressed",
  osLabel: "os",
};
const requesting = (requests: Record<string, string>) => ({ containers: [{ name: "main", resources: { requests } }] });
const listening = (...ports: object[]) => ({ containers: [{ name: "main", ports }] });
const selecting = (...matchExpressions: object[]) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  },
});
const EXACT_GROUPS = { securityContext: { supplementalGroupsPolicy: "Strict" } };
const profiled = (type: string) => ({ securityContext: { appArmorProfile: { type } } });
const problemOf = (spec: object, facts: Partial<AdmissionFacts> = {}) =>
  admissionProblem(podWith(spec), { ...FACTS, ...facts });

describe("the node takes a pod", () => {
  it.each<[string, object, Partial<AdmissionFacts>]>([
    ["without requests", {}, {}],
    ["that fits exactly", requesting({ cpu: "2", memory: "1Gi" }), {}],
    ["that fits beside others", requesting({ cpu: "1" }), { others: [podWith(requesting({ cpu: "1" }))] }],
    ["whose selector matches", { nodeSelector: { zone: "a" } }, {}],
    [
      "whose affinity matches",
      selecting(
        { key: "zone", operator: "In", values: ["a", "b"] },
        { key: "size", operator: "Gt", values: ["4"] },
        { key: "x", operator: "DoesNotExist" },
      ),
      {},
    ],
    [
      "that tolerates its taints",
      { tolerations: [{ key: "t", operator: "Exists" }] },
      { node: node({}, [{ key: "t", effect: "NoExecute" }]) },
    ],
    ["whatever taints only keep new ones away", {}, { node: node({}, [{ key: "t", effect: "NoSchedule" }]) }],
    [
      "with ports of another address",
      listening({ hostPort: 80, containerPort: 80, hostIP: "192.0.2.1" }),
      { others: [podWith(listening({ hostPort: 80, containerPort: 80, hostIP: "192.0.2.2" }))] },
    ],
    ["that asks for memory, while that is short", requesting({ memory: "1Mi" }), { pressures: new Set(["memory"]) }],
    [
      "that tolerates that memory is short",
      { tolerations: [{ key: "pressed", operator: "Exists" }] },
      { pressures: new Set(["memory"]) },
    ],
    ["of the system, whatever is short", { priority: 2_000_000_000 }, { pressures: new Set(["disk", "memory"]) }],
    ["from a file, whatever is short", {}, { isStatic: true, pressures: new Set(["disk"]) }],
    ["that asks for what others count on it", requesting({ "example.com/widget": "1" }), {}],
    ["from a file whatever the taints", {}, { isStatic: true, node: node({}, [{ key: "t", effect: "NoExecute" }]) }],
    [
      "whose groups are exact, where the runtime can",
      EXACT_GROUPS,
      { node: node({}, [], { supplementalGroupsPolicy: true }) },
    ],
    ["with a profile of AppArmor, where there is that", profiled("Localhost"), { hasAppArmor: true }],
    ["that AppArmor leaves alone", profiled("Unconfined"), {}],
    ["while nothing is known of the node", { nodeSelector: { zone: "x" } }, { node: undefined }],
  ])("%s", (_, spec, facts) => {
    expect(problemOf(spec, facts)).toBeUndefined();
  });
});

describe("the node does not take a pod", () => {
  const full = [podWith({}), podWith({}), podWith({})];
  it.each<[string, object, Partial<AdmissionFacts>, string, string]>([
    [
      "too many",
      {},
      { others: full },
      "OutOfpods",
      "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    ],
    [
      "too much CPU",
      requesting({ cpu: "1500m" }),
      { others: [podWith(requesting({ cpu: "1" }))] },
      "OutOfcpu",
      "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
    ],
    [
      "too much CPU for the whole pod",
      { containers: [{ name: "a" }], resources: { requests: { cpu: "1500m" } }, overhead: { cpu: "100m" } },
      { others: [podWith({ containers: [{ name: "a" }], resources: { requests: { cpu: "1" } } })] },
      "OutOfcpu",
      "Node didn't have enough resource: cpu, requested: 1600, used: 1000, capacity: 2000",
    ],
    [
      "too much memory",
      requesting({ memory: "2Gi" }),
      {},
      "OutOfmemory",
      "requested: 2147483648, used: 0, capacity: 1073741824",
    ],
    [
      "devices that it has no more",
      requesting({ "example.com/widget": "1" }),
      { allocatable: { pods: "3", "example.com/widget": "0" } },
      "OutOfexample.com/widget",
      "capacity: 0",
    ],
    [
      "another selector",
      { nodeSelector: { zone: "b" } },
      {},
      "NodeAffinity",
      "didn't match Pod's node affinity/selector",
    ],
    [
      "another affinity",
      selecting({ key: "zone", operator: "NotIn", values: ["a"] }),
      {},
      "NodeAffinity",
      "Predicate NodeAffinity failed",
    ],
    ["an affinity that matches nothing", selecting(), {}, "NodeAffinity", "Predicate NodeAffinity failed"],
    [
      "an untolerated taint",
      { tolerations: [{ key: "t", value: "x" }] },
      { node: node({}, [{ key: "t", value: "y", effect: "NoExecute" }]) },
      "TaintToleration",
      "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    ],
    [
      "a port that is taken",
      listening({ hostPort: 80, containerPort: 80, hostIP: "192.0.2.1" }),
      { others: [podWith(listening({ hostPort: 80, containerPort: 8080 }))] },
      "NodePorts",
      "didn't have free ports",
    ],
    [
      "a forbidden sysctl",
      { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } },
      {},
      "SysctlForbidden",
      'forbidden sysctl: "kernel.msgmax" not allowlisted',
    ],
    [
      "short memory that nothing is asked of",
      {},
      { pressures: new Set(["memory"]) },
      "Evicted",
      "The node had condition: [MemoryPressure]. ",
    ],
    [
      "anything else that is short",
      requesting({ memory: "1Mi" }),
      { pressures: new Set(["disk", "memory"]) },
      "Evicted",
      "The node had condition: [MemoryPressure DiskPressure]. ",
    ],
    ["a shutdown", {}, { isShuttingDown: true }, "NodeShutdown", "the node is shutting down"],
    [
      "a selector of a pod from a file",
      { nodeSelector: { zone: "b" } },
      { isStatic: true },
      "NodeAffinity",
      "selector",
    ],
    [
      "exact groups, where the runtime cannot",
      EXACT_GROUPS,
      {},
      "SupplementalGroupsPolicyNotSupported",
      "SupplementalGroupsPolicy=Strict is not supported in this node",
    ],
    [
      "a profile of AppArmor",
      profiled("RuntimeDefault"),
      {},
      "AppArmor",
      "Cannot enforce AppArmor: AppArmor is not enabled on the host",
    ],
    [
      "a profile of AppArmor for one container",
      { initContainers: [{ name: "i", ...profiled("Localhost") }], ...profiled("Unconfined") },
      {},
      "AppArmor",
      "Cannot enforce AppArmor",
    ],
    ["another system", { os: { name: "windows" } }, {}, "PodOSNotSupported", "OS field"],
  ])("%s", (_, spec, facts, reason, message) => {
    expect(problemOf(spec, facts)).toMatchObject({ reason, message: expect.stringContaining(message) });
  });
});

it("a pod whose label names another system is not taken", () => {
  const pod = { ...podWith({}), metadata: { name: "p", labels: { os: "windows" } } };
  expect(admissionProblem(pod, FACTS)).toEqual({
    reason: "PodOSSelectorNodeLabelDoesNotMatch",
    message: "Failed to admit pod as the `os` label doesn't match node label",
  });
  expect(admissionProblem({ ...pod, metadata: { name: "p", labels: { os: "linux" } } }, FACTS)).toBeUndefined();
});
