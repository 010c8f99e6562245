// Facts from upstream's own tests of the same filters, told anew.

import { describe, expect, it } from "vitest";
import { nodeSelectorMatcher } from "../../kinds/core/node-matcher.ts";
import { tolerates } from "../../kinds/core/pod/tolerates.ts";
import { type LooseNode, type LoosePod, reasonsByNode, testCluster, testNode, testPod } from "../scheduler.testing.ts";
import { podRequests } from "../state/amounts.ts";
import { NodeInfo } from "../state/node-info.ts";

type Case = [
  what: string,
  pod: LoosePod,
  nodes: readonly LooseNode[],
  placed: Readonly<Record<string, readonly LoosePod[]>>,
  reasons: Readonly<Record<string, string>>,
];

const N = { name: "n" };
const check = (_: string, pod: LoosePod, nodes: Case[2], placed: Case[3], reasons: Case[4]): void =>
  expect(reasonsByNode(testPod(pod), testCluster(nodes, placed))).toEqual(reasons);

describe("room on a node", () => {
  const busy = (requests: Record<string, string>) => ({ n: [{ requests }] });
  it.each<Case>([
    ["is there for a pod that asks for nothing", {}, [N], busy({ cpu: "4", memory: "8Gi" }), { n: "" }],
    [
      "is enough when it is just enough",
      { requests: { cpu: "1", memory: "1Gi" } },
      [N],
      busy({ cpu: "3", memory: "7Gi" }),
      { n: "" },
    ],
    ["is missing by a little", { requests: { cpu: "1001m" } }, [N], busy({ cpu: "3" }), { n: "Insufficient cpu" }],
    [
      "is missing in two ways",
      { requests: { cpu: "5", memory: "9Gi" } },
      [N],
      {},
      { n: "Insufficient cpu; Insufficient memory" },
    ],
    ["has a limit of pods", {}, [{ name: "n", allocatable: { pods: "1" } }], { n: [{}] }, { n: "Too many pods" }],
    [
      "has none of a resource nobody has",
      { requests: { "example.com/gpu": "1" } },
      [N],
      {},
      { n: "Insufficient example.com/gpu" },
    ],
    [
      "counts extended resources",
      { requests: { "example.com/gpu": "2" } },
      [{ name: "n", allocatable: { "example.com/gpu": "4" } }],
      busy({ "example.com/gpu": "3" }),
      { n: "Insufficient example.com/gpu" },
    ],
    ["does not matter for what is asked none of", { requests: { "example.com/gpu": "0" } }, [N], {}, { n: "" }],
    [
      "counts storage",
      { requests: { "ephemeral-storage": "101Gi" } },
      [N],
      {},
      { n: "Insufficient ephemeral-storage" },
    ],
  ])("%s", check);

  it.each<[string, Record<string, unknown>, { cpu: number; memory: number }]>([
    [
      "containers together",
      { containers: [{ resources: r("1", "1Gi") }, { resources: r("500m", "1Gi") }] },
      a(1500, 2),
    ],
    [
      "init containers one after the other",
      {
        initContainers: [{ resources: r("3", "1Gi") }, { resources: r("2", "4Gi") }],
        containers: [{ resources: r("1", "1Gi") }],
      },
      a(3000, 4),
    ],
    [
      "sidecars with both",
      {
        initContainers: [{ restartPolicy: "Always", resources: r("1", "1Gi") }, { resources: r("3", "1Gi") }],
        containers: [{ resources: r("1", "1Gi") }],
      },
      a(4000, 2),
    ],
    [
      "overhead on top",
      { containers: [{ resources: r("1", "1Gi") }], overhead: { cpu: "250m", memory: "1Gi" } },
      a(1250, 2),
    ],
    [
      "what the pod as a whole says",
      { resources: r("2", "3Gi"), containers: [{ resources: r("1", "1Gi") }] },
      a(2000, 3),
    ],
    ["nonsense as nothing", { containers: [{ resources: r("-5", "lots") }] }, a(0, 0)],
  ])("sums %s", (_what, spec, amounts) => {
    expect(podRequests({ metadata: {}, spec, status: {} } as never)).toMatchObject(amounts);
  });

  it("is as before when pods have come and gone", () => {
    const node = new NodeInfo("n");
    node.setNode(testNode());
    const pods = ["1", "2", "3"].map((cpu) => testPod({ name: cpu, requests: { cpu, "example.com/x": cpu } }));
    for (const pod of pods) node.add(pod);
    expect(node.requested).toMatchObject({ cpu: 6000 });
    for (const pod of [...pods, ...pods]) node.remove(pod);
    expect(node.requested).toMatchObject({ cpu: 0, memory: 0, others: new Map([["example.com/x", 0]]) });
  });
});

function r(cpu: string, memory: string) {
  return { requests: { cpu, memory } };
}

function a(cpu: number, gibibytes: number) {
  return { cpu, memory: gibibytes * 2 ** 30 };
}

describe("a taint", () => {
  const taint = { key: "dedicated", value: "user1", effect: "NoSchedule" } as const;
  it.each<[string, object, boolean]>([
    ["by key, value and effect", { key: "dedicated", operator: "Equal", value: "user1", effect: "NoSchedule" }, true],
    ["by key and value of every effect", { key: "dedicated", value: "user1" }, true],
    ["by key alone", { key: "dedicated", operator: "Exists" }, true],
    ["not by key without value", { key: "dedicated" }, false],
    ["not by another value", { key: "dedicated", value: "user2" }, false],
    ["not for another effect", { key: "dedicated", operator: "Exists", effect: "NoExecute" }, false],
    ["by whatever exists", { operator: "Exists" }, true],
    ["not by an empty equality", { operator: "Equal" }, false],
  ])("is tolerated %s", (_what, toleration, answer) => expect(tolerates([toleration as never], taint)).toBe(answer));

  const tainted = (effect: string): LooseNode => ({ name: "n", spec: { taints: [{ key: "k", value: "v", effect }] } });
  it.each<Case>([
    ["NoSchedule", {}, [tainted("NoSchedule")], {}, { n: "node(s) had untolerated taint {k: v}" }],
    ["NoExecute", {}, [tainted("NoExecute")], {}, { n: "node(s) had untolerated taint {k: v}" }],
    ["PreferNoSchedule", {}, [tainted("PreferNoSchedule")], {}, { n: "" }],
  ])("of effect %s decides", check);

  it.each<Case>([
    ["keeps pods away", {}, [{ name: "n", spec: { unschedulable: true } }], {}, { n: "node(s) were unschedulable" }],
    [
      "lets those in that tolerate it",
      { spec: { tolerations: [{ key: "unschedulable", operator: "Exists", effect: "NoSchedule" }] } },
      [{ name: "n", spec: { unschedulable: true } }],
      {},
      { n: "" },
    ],
  ])("of a closed node %s", check);
});

describe("nodes that a pod allows", () => {
  const terms = (...nodeSelectorTerms: object[]) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  const needs = (operator: string, ...values: string[]) => ({ matchExpressions: [{ key: "size", operator, values }] });
  const sizes: LooseNode[] = [{ name: "big", labels: { size: "10" } }, { name: "none" }];
  const NO = "node(s) didn't match Pod's node affinity/selector";
  it.each<Case>([
    ["by selector", { spec: { nodeSelector: { size: "10" } } }, sizes, {}, { big: "", none: NO }],
    ["by In", { spec: terms(needs("In", "5", "10")) }, sizes, {}, { big: "", none: NO }],
    ["by NotIn", { spec: terms(needs("NotIn", "10")) }, sizes, {}, { big: NO, none: "" }],
    ["by Exists", { spec: terms(needs("Exists")) }, sizes, {}, { big: "", none: NO }],
    ["by DoesNotExist", { spec: terms(needs("DoesNotExist")) }, sizes, {}, { big: NO, none: "" }],
    ["by Gt", { spec: terms(needs("Gt", "9")) }, sizes, {}, { big: "", none: NO }],
    ["by Lt", { spec: terms(needs("Lt", "10")) }, sizes, {}, { big: NO, none: NO }],
    [
      "by any of several terms",
      { spec: terms(needs("In", "5"), needs("DoesNotExist")) },
      sizes,
      {},
      { big: NO, none: "" },
    ],
    ["by no term at all: none", { spec: terms({}) }, sizes, {}, { big: NO, none: NO }],
    [
      "by name",
      { spec: terms({ matchFields: [{ key: "metadata.name", operator: "In", values: ["big"] }] }) },
      sizes,
      {},
      { big: "", none: NO },
    ],
    [
      "by selector and affinity both",
      { spec: { ...terms(needs("Exists")), nodeSelector: { size: "11" } } },
      sizes,
      {},
      { big: NO, none: NO },
    ],
    [
      "by nonsense: none",
      { spec: terms(needs("Gt", "much")) },
      [N],
      {},
      { n: expect.stringMatching(/^parsing pod: /) as never },
    ],
  ])("%s", check);

  it("are known by name where every term names them", () => {
    const named = (...values: string[]) => ({
      matchFields: [{ key: "metadata.name", operator: "In" as const, values }],
    });
    expect(nodeSelectorMatcher([named("a"), named("b")]).names).toEqual(new Set(["a", "b"]));
    expect(nodeSelectorMatcher([named("a"), needs("Exists") as never]).names).toBeUndefined();
  });
});

describe("host ports", () => {
  const port = (hostPort: number, hostIP?: string, protocol?: string): LoosePod => ({
    spec: { containers: [{ name: "c", ports: [{ hostPort, hostIP, protocol }] }] },
  });
  const NO = "node(s) didn't have free ports for the requested pod ports";
  it.each<Case>([
    ["are free", port(80), [N], { n: [port(81)] }, { n: "" }],
    ["are taken", port(80), [N], { n: [port(80)] }, { n: NO }],
    ["are free for another protocol", port(80, "", "UDP"), [N], { n: [port(80)] }, { n: "" }],
    ["are free on another address", port(80, "10.0.0.1"), [N], { n: [port(80, "10.0.0.2")] }, { n: "" }],
    ["are taken by one for all addresses", port(80, "10.0.0.1"), [N], { n: [port(80)] }, { n: NO }],
    ["are taken from one for all addresses", port(80), [N], { n: [port(80, "10.0.0.1")] }, { n: NO }],
  ])("%s", check);
});

describe("topology spread", () => {
  const zones: LooseNode[] = [
    { name: "a1", labels: { zone: "a" } },
    { name: "a2", labels: { zone: "a" } },
    { name: "b1", labels: { zone: "b" } },
  ];
  const labels = { app: "web" };
  const rule = (more: object = {}) => ({
    maxSkew: 1,
    topologyKey: "zone",
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: labels },
    ...more,
  });
  const spread = (...rules: object[]): LoosePod => ({ labels, spec: { topologySpreadConstraints: rules } });
  const NO = "node(s) didn't match pod topology spread constraints";
  it.each<Case>([
    [
      "allows all that is even",
      spread(rule()),
      zones,
      { a1: [{ labels }], b1: [{ labels }] },
      { a1: "", a2: "", b1: "" },
    ],
    ["refuses what is ahead", spread(rule()), zones, { a1: [{ labels }] }, { a1: NO, a2: NO, b1: "" }],
    ["does not count others", spread(rule()), zones, { a1: [{ labels: { app: "db" } }] }, { a1: "", a2: "", b1: "" }],
    [
      "does not count other namespaces",
      spread(rule()),
      zones,
      { a1: [{ labels, namespace: "else" }] },
      { a1: "", a2: "", b1: "" },
    ],
    [
      "does not count pods that go",
      spread(rule()),
      zones,
      { a1: [{ labels, metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } }] },
      { a1: "", a2: "", b1: "" },
    ],
    [
      "refuses nodes without the label",
      spread(rule()),
      [...zones, N],
      {},
      { a1: "", a2: "", b1: "", n: `${NO} (missing required label)` },
    ],
    [
      "with a larger skew allows more",
      spread(rule({ maxSkew: 2 })),
      zones,
      { a1: [{ labels }] },
      { a1: "", a2: "", b1: "" },
    ],
    [
      "with too few domains counts from none",
      spread(rule({ minDomains: 3 })),
      zones,
      { a1: [{ labels }], b1: [{ labels }] },
      { a1: NO, a2: NO, b1: NO },
    ],
    [
      "looks only at nodes that the pod may use",
      { labels, spec: { ...spread(rule()).spec, nodeSelector: { zone: "a" } } },
      zones,
      { a1: [{ labels }, { labels }] },
      { a1: "", a2: "", b1: "node(s) didn't match Pod's node affinity/selector" },
    ],
    [
      "looks at all nodes when told",
      { labels, spec: { ...spread(rule({ nodeAffinityPolicy: "Ignore" })).spec, nodeSelector: { zone: "a" } } },
      zones,
      { a1: [{ labels }] },
      { a1: NO, a2: NO, b1: "node(s) didn't match Pod's node affinity/selector" },
    ],
    [
      "must hold for every constraint",
      spread(rule(), rule({ topologyKey: "hostname" })),
      zones,
      { a1: [{ labels }], b1: [{ labels }] },
      { a1: NO, a2: "", b1: NO },
    ],
    [
      "counts by label keys",
      { ...spread(rule({ matchLabelKeys: ["hash"] })), labels: { ...labels, hash: "2" } },
      zones,
      { a1: [{ labels: { ...labels, hash: "1" } }] },
      { a1: "", a2: "", b1: "" },
    ],
  ])("%s", check);

  it("leaves tainted nodes out when told", () => {
    const tainted = { ...zones[2], spec: { taints: [{ key: "k", effect: "NoSchedule" }] } } as LooseNode;
    const cluster = () => testCluster([zones[0]!, tainted], { a1: [{ labels }] });
    const pod = (nodeTaintsPolicy: string) => testPod(spread(rule({ nodeTaintsPolicy })));
    expect(reasonsByNode(pod("Honor"), cluster())).toMatchObject({ a1: "" });
    expect(reasonsByNode(pod("Ignore"), cluster())).toMatchObject({ a1: NO });
  });
});

describe("affinity between pods", () => {
  const zones: LooseNode[] = [
    { name: "a1", labels: { zone: "a" } },
    { name: "a2", labels: { zone: "a" } },
    { name: "b1", labels: { zone: "b" } },
  ];
  const labels = { app: "web" };
  const term = (more: object = {}) => ({ labelSelector: { matchLabels: labels }, topologyKey: "zone", ...more });
  const near = (...terms: object[]) => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });
  const apart = (...terms: object[]) => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });
  const NEAR = "node(s) didn't match pod affinity rules";
  const APART = "node(s) didn't match pod anti-affinity rules";
  const REFUSED = "node(s) didn't satisfy existing pods anti-affinity rules";
  it.each<Case>([
    ["goes where the others are", { spec: near(term()) }, zones, { a1: [{ labels }] }, { a1: "", a2: "", b1: NEAR }],
    ["goes nowhere without them", { spec: near(term()) }, zones, {}, { a1: NEAR, a2: NEAR, b1: NEAR }],
    ["goes anywhere as the first of its own", { labels, spec: near(term()) }, zones, {}, { a1: "", a2: "", b1: "" }],
    [
      "as the first still needs the label",
      { labels, spec: near(term()) },
      [...zones, N],
      {},
      { a1: "", a2: "", b1: "", n: NEAR },
    ],
    [
      "is the first where the others are in no zone",
      { labels, spec: near(term()) },
      [...zones, N],
      { n: [{ labels }] },
      { a1: "", a2: "", b1: "", n: NEAR },
    ],
    [
      "needs pods that all terms mean",
      { spec: near(term(), term({ labelSelector: { matchLabels: { tier: "x" } }, topologyKey: "hostname" })) },
      zones,
      { a1: [{ labels }], a2: [{ labels: { ...labels, tier: "x" } }] },
      { a1: NEAR, a2: "", b1: NEAR },
    ],
    [
      "does not see other namespaces",
      { spec: near(term()) },
      zones,
      { a1: [{ labels, namespace: "else" }] },
      { a1: NEAR, a2: NEAR, b1: NEAR },
    ],
    [
      "sees the namespaces it names",
      { spec: near(term({ namespaces: ["else"] })) },
      zones,
      { a1: [{ labels, namespace: "else" }] },
      { a1: "", a2: "", b1: NEAR },
    ],
    ["keeps away", { spec: apart(term()) }, zones, { a1: [{ labels }] }, { a1: APART, a2: APART, b1: "" }],
    [
      "keeps away on one node only",
      { spec: apart(term({ topologyKey: "hostname" })) },
      zones,
      { a1: [{ labels }] },
      { a1: APART, a2: "", b1: "" },
    ],
    [
      "is kept away by others",
      { labels },
      zones,
      { a1: [{ spec: apart(term()) }] },
      { a1: REFUSED, a2: REFUSED, b1: "" },
    ],
    ["is not kept away when it is not meant", {}, zones, { a1: [{ spec: apart(term()) }] }, { a1: "", a2: "", b1: "" }],
    [
      "without a selector means nobody",
      { spec: apart({ topologyKey: "zone" }) },
      zones,
      { a1: [{ labels }] },
      { a1: "", a2: "", b1: "" },
    ],
    [
      "with an empty selector means all",
      { spec: apart({ topologyKey: "zone", labelSelector: {} }) },
      zones,
      { a1: [{ labels }] },
      { a1: APART, a2: APART, b1: "" },
    ],
  ])("%s", check);

  it("sees the namespaces whose labels it selects, in both directions", () => {
    const selecting = term({ namespaceSelector: { matchLabels: { team: "one" } } });
    const cluster = testCluster(zones, {
      a1: [{ labels, namespace: "one" }],
      b1: [{ namespace: "one", spec: apart(selecting) }],
    });
    cluster.state.setNamespace("one", { team: "one" });
    cluster.state.setNamespace("default", { team: "two" });
    expect(reasonsByNode(testPod({ spec: near(selecting) }), cluster)).toEqual({ a1: "", a2: "", b1: NEAR });
    expect(reasonsByNode(testPod({ labels }), cluster)).toEqual({ a1: "", a2: "", b1: "" });
    cluster.state.setNamespace("default", { team: "one" });
    expect(reasonsByNode(testPod({ labels }), cluster)).toEqual({ a1: "", a2: "", b1: REFUSED });
  });

  it("that nobody can read is refused once, by all", () => {
    const odd = term({ labelSelector: { matchExpressions: [{ key: "a", operator: "Near" }] } });
    expect(reasonsByNode(testPod({ spec: near(odd) }), testCluster([N]))).toEqual({
      n: expect.stringMatching(/^parsing pod: .*"Near" is not a valid label selector operator/),
    });
  });
});

describe("pods for which room is made", () => {
  it("count as being there for pods that are less important, and not for those that are more", () => {
    const cluster = testCluster([N]);
    const coming = testPod({ name: "coming", requests: { cpu: "3" }, priority: 10 });
    cluster.state.nominate(coming, "n");
    const wants = (priority: number) => reasonsByNode(testPod({ requests: { cpu: "2" }, priority }), cluster)["n"];
    expect([wants(5), wants(10), wants(11)]).toEqual(["Insufficient cpu", "Insufficient cpu", ""]);
    expect(cluster.state.node("n")?.requested.cpu).toBe(0);
  });
});
