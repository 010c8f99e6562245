// Facts from upstream's own tests of the same scores, told anew.

import { describe, expect, it } from "vitest";
import { feasibleNodesToFind, NodeChooser } from "../choose-node.ts";
import { type LooseNode, type LoosePod, profileOf, testCluster, testPod } from "../scheduler.testing.ts";
import { imageLocality, preferredNodesWith, taintPreference } from "./node-preferences.ts";
import { podPreferencesWith } from "./pod-preferences.ts";
import { balancedAllocation, leastAllocated } from "./resources.ts";
import type { Score } from "./score.ts";
import { spreadWith } from "./spread.ts";

const preferredNodes = preferredNodesWith([]);
const podPreferences = podPreferencesWith({ hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false });
const spread = spreadWith({ defaultingType: "System", defaultConstraints: [] });

function points(
  score: Score,
  pod: LoosePod,
  nodes: readonly LooseNode[],
  placed = {},
): Record<string, number> | undefined {
  const cluster = testCluster(nodes, placed);
  const { nodes: all } = cluster.state;
  const places = all.map((_, place) => place);
  const found = new Float64Array(all.length);
  if (!score(testPod(pod), all, cluster, places, found)) return undefined;
  return Object.fromEntries(all.map(({ name }, index) => [name, found[index]!]));
}

const size = (cpu: string, memory: string) => ({ allocatable: { cpu, memory } });

describe("scores", () => {
  it("prefer nodes with much left", () => {
    const nodes = [
      { name: "small", ...size("4", "10000") },
      { name: "large", ...size("6", "10000") },
    ];
    expect(points(leastAllocated, { requests: { cpu: "3", memory: "5000" } }, nodes)).toEqual({ small: 37, large: 50 });
    expect(points(leastAllocated, { requests: { cpu: "8", memory: "5000" } }, nodes)).toEqual({ small: 25, large: 25 });
  });

  it("prefer nodes whose CPU and memory are used alike", () => {
    const nodes = [
      { name: "even", ...size("4", "10000") },
      { name: "odd", ...size("10", "10000") },
    ];
    expect(points(balancedAllocation, { requests: { cpu: "2", memory: "5000" } }, nodes)).toEqual({
      even: 100,
      odd: 85,
    });
    expect(points(balancedAllocation, {}, nodes)).toBeUndefined();
  });

  it("prefer the nodes that the pod prefers", () => {
    const term = (weight: number, value: string) => ({
      weight,
      preference: { matchExpressions: [{ key: "k", operator: "In", values: [value] }] },
    });
    const spec = {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term(2, "a"), term(8, "b")] } },
    };
    const nodes = [{ name: "a", labels: { k: "a" } }, { name: "b", labels: { k: "b" } }, { name: "c" }];
    expect(points(preferredNodes, { spec }, nodes)).toEqual({ a: 25, b: 100, c: 0 });
  });

  it("avoid taints that should keep the pod away", () => {
    const taint = (key: string) => ({ key, effect: "PreferNoSchedule" });
    const nodes = [
      { name: "two", spec: { taints: [taint("a"), taint("b")] } },
      { name: "one", spec: { taints: [taint("a")] } },
      { name: "none" },
    ];
    expect(points(taintPreference, {}, nodes)).toEqual({ two: 0, one: 50, none: 100 });
    expect(points(taintPreference, {}, [{ name: "none" }])).toBeUndefined();
  });

  it("prefer nodes that have the image", () => {
    const images = (bytes: number) => ({ status: { images: [{ names: ["app:latest"], sizeBytes: bytes }] } });
    const found = points(imageLocality, {}, [
      { name: "has", ...images(900 * 2 ** 20) },
      { name: "has-not", status: {} },
    ]);
    expect(found?.["has"]).toBeGreaterThan(found!["has-not"]!);
    expect(found).toEqual({ has: 43, "has-not": 0 });
  });

  const labels = { app: "web" };
  const zones = [
    { name: "a", labels: { zone: "a" } },
    { name: "b", labels: { zone: "b" } },
  ];
  const preference = (weight: number) => [
    { weight, podAffinityTerm: { topologyKey: "zone", labelSelector: { matchLabels: labels } } },
  ];

  it("prefer to be near, and away, as the pod says and as others say", () => {
    const near = { affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preference(5) } } };
    const apart = { affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preference(5) } } };
    expect(points(podPreferences, { spec: near }, zones, { a: [{ labels }] })).toEqual({ a: 100, b: 0 });
    expect(points(podPreferences, { spec: apart }, zones, { a: [{ labels }] })).toEqual({ a: 0, b: 100 });
    expect(points(podPreferences, { labels }, zones, { a: [{ spec: near }] })).toEqual({ a: 100, b: 0 });
    expect(points(podPreferences, { labels }, zones, { a: [{ spec: apart }] })).toEqual({ a: 0, b: 100 });
    expect(points(podPreferences, { labels }, zones, { a: [{ labels }] })).toBeUndefined();
  });

  it("spread over domains as soft constraints say, and replicas of one owner without any", () => {
    const rule = {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: labels },
    };
    const soft = { labels, spec: { topologySpreadConstraints: [rule] } };
    expect(points(spread, soft, zones, { a: [{ labels }, { labels }, { labels }] })).toEqual({ a: 0, b: 100 });
    const owned = { metadata: { ownerReferences: [{ uid: "rs", controller: true }] } };
    const found = points(spread, owned, zones, { a: [owned, owned] });
    expect(found?.["b"]).toBeGreaterThan(found!["a"]!);
    expect(points(spread, {}, zones, { a: [{}] })).toBeUndefined();
  });
});

describe("the choice of a node", () => {
  it.each([
    [50, 0, 50],
    [100, 0, 100],
    [1000, 0, 420],
    [5000, 0, 500],
    [6000, 0, 300],
    [10_000, 0, 500],
    [1000, 10, 100],
    [1000, 50, 500],
    [1000, 100, 1000],
  ])("among %i nodes with %i percent ends at %i that will do", (count, percentage, enough) => {
    expect(feasibleNodesToFind(count, percentage)).toBe(enough);
  });

  it("gives every node its turn", () => {
    const surroundings = testCluster(Array.from({ length: 300 }, (_, index) => ({ name: `n${index}` })));
    const chooser = new NodeChooser({ surroundings, profileOf: profileOf(34), random: () => 0.999 });
    const chosen = Array.from({ length: 3 }, (_, index) => {
      const choice = chooser.choose(testPod({ name: `p${index}` }));
      return choice.type === "node" ? choice.node.name : "";
    });
    expect(chosen).toEqual(["n0", "n102", "n204"]);
  });

  it("asks only the nodes that the pod names, and says so of the others", () => {
    const terms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] }];
    const required = { nodeSelectorTerms: terms };
    const spec = { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } };
    const surroundings = testCluster([{ name: "a" }, { name: "b", spec: { unschedulable: true } }, { name: "c" }]);
    const choice = new NodeChooser({ surroundings, profileOf: profileOf(), random: () => 0 }).choose(testPod({ spec }));
    expect(choice).toMatchObject({
      type: "none",
      refusals: { nodeCount: 3, ofOthers: { reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"] } },
    });
    expect(choice.type === "none" && choice.refusals.byNode.size).toBe(1);
  });
});
