// What plug-ins do that a profile has told something.

import { describe, expect, it } from "vitest";
import type { Json } from "../../base/json.ts";
import { completeStruct, usableStruct } from "../../options/complete-config.ts";
import { NodeChooser } from "../choose-node.ts";
import { type LooseNode, type LoosePod, testCluster, testPod } from "../scheduler.testing.ts";
import { type PluginsConfiguration, profileFields } from "./configuration.ts";
import { readPluginArgs } from "./plugin-args.ts";
import { activePlugins } from "./plugins.ts";
import { buildProfile } from "./profile.ts";

const NONE = usableStruct(profileFields, completeStruct(profileFields, {}))["plugins"] as PluginsConfiguration;
const only = (name: string): PluginsConfiguration => ({
  ...NONE,
  score: { enabled: [{ name, weight: 1 }], disabled: [{ name: "*", weight: 0 }] },
});

/** The node that is chosen when only one score counts, or why there is none. */
function choose(
  name: string,
  args: Json,
  nodes: readonly LooseNode[],
  pod: LoosePod = {},
  placed: Readonly<Record<string, readonly LoosePod[]>> = {},
): string {
  const profile = buildProfile({
    schedulerName: "s",
    percentageOfNodesToScore: 0,
    plugins: activePlugins(name === "" ? NONE : only(name), "plugins"),
    args: readPluginArgs(args === null ? [] : [{ name: name === "" ? "NodeAffinity" : name, args }], "pluginConfig"),
  });
  const surroundings = { ...testCluster(nodes, placed), filtersOf: () => profile.filters };
  const choice = new NodeChooser({ surroundings, profileOf: () => profile, random: () => 0.999 }).choose(testPod(pod));
  if (choice.type === "node") return choice.node.name;
  return [...choice.refusals.byNode.values()][0]?.reasons[0] ?? "";
}

const GPU = "example.com/gpu";
const empty = { name: "empty", allocatable: { cpu: "4", memory: "8Gi", [GPU]: "4" } };
const used = { ...empty, name: "used" };
const placed = { used: [{ requests: { cpu: "2", memory: "4Gi", [GPU]: "2" } }] };
const asks = { requests: { cpu: "1", memory: "1Gi", [GPU]: "1" } };
const strategy = (type: string, more: Readonly<Record<string, Json>> = {}) => ({ scoringStrategy: { type, ...more } });
const curve = (...points: [number, number][]) => ({
  requestedToCapacityRatio: { shape: points.map(([utilization, score]) => ({ utilization, score })) },
});

describe("NodeResourcesFit", () => {
  it.each<[string, Json, string]>([
    ["prefers what is free", null, "empty"],
    [
      "prefers what is free of some resources",
      strategy("LeastAllocated", { resources: [{ name: GPU, weight: 3 }] }),
      "empty",
    ],
    ["packs", strategy("MostAllocated"), "used"],
    ["packs the usual resources where none are named", strategy("MostAllocated", { resources: [] }), "used"],
    ["packs some resources", strategy("MostAllocated", { resources: [{ name: GPU, weight: 3 }] }), "used"],
    ["follows a curve up", strategy("RequestedToCapacityRatio", curve([0, 0], [100, 10])), "used"],
    ["follows a curve down", strategy("RequestedToCapacityRatio", curve([0, 10], [100, 0])), "empty"],
    ["follows a curve to its top", strategy("RequestedToCapacityRatio", curve([0, 0], [25, 10], [100, 0])), "empty"],
  ])("%s", (_what, args, node) => {
    expect(choose("NodeResourcesFit", args, [empty, used], asks, placed)).toBe(node);
  });

  it("does not look at resources that it is told to ignore", () => {
    const pod = { requests: { "example.com/a": "1", "other.org/b": "1" } };
    expect(choose("NodeResourcesFit", null, [empty], pod)).toMatch(/^Insufficient /);
    const args = { ignoredResources: ["example.com/a"], ignoredResourceGroups: ["other.org"] };
    expect(choose("NodeResourcesFit", args, [empty], pod)).toBe("empty");
  });
});

it("NodeResourcesBalancedAllocation balances the resources that it is told", () => {
  const nodes = [
    { name: "even", allocatable: { cpu: "4", memory: "8Gi", [GPU]: "4" } },
    { name: "skewed", allocatable: { cpu: "4", memory: "8Gi", [GPU]: "40" } },
  ];
  const pod = { requests: { cpu: "2", memory: "4Gi", [GPU]: "2" } };
  const resources = ["cpu", "memory", GPU].map((name) => ({ name, weight: 1 }));
  expect(choose("NodeResourcesBalancedAllocation", { resources }, nodes, pod)).toBe("even");
});

describe("NodeAffinity", () => {
  const nodes = [
    { name: "a", labels: { pool: "a" } },
    { name: "b", labels: { pool: "b" } },
  ];
  const term = (pool: string) => ({ matchExpressions: [{ key: "pool", operator: "In", values: [pool] }] });
  const required = (pool: string) => ({
    addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term(pool)] } },
  });

  it("keeps all pods of a profile to some nodes", () => {
    expect([choose("NodeAffinity", required("a"), nodes), choose("NodeAffinity", required("b"), nodes)]).toEqual([
      "a",
      "b",
    ]);
    expect(choose("NodeAffinity", required("c"), nodes)).toBe("node(s) didn't match scheduler-enforced node affinity");
  });

  it("prefers nodes for all pods of a profile", () => {
    const preferred = [{ weight: 1, preference: term("b") }];
    const addedAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
    expect(choose("NodeAffinity", { addedAffinity }, nodes)).toBe("b");
  });
});

it("InterPodAffinity counts those who need to be near a pod as much as it is told, or not at all", () => {
  const nodes = [{ name: "a" }, { name: "b" }];
  const labelSelector = { matchLabels: { app: "x" } };
  const needing = {
    spec: {
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey: "hostname" }] },
      },
    },
  };
  const asked = (hardPodAffinityWeight: number) =>
    choose("InterPodAffinity", { hardPodAffinityWeight }, nodes, { labels: { app: "x" } }, { b: [needing] });
  expect([asked(1), asked(0)]).toEqual(["b", "a"]);
});

it("PodTopologySpread spreads pods of one controller as the list says", () => {
  const nodes = [
    { name: "a", labels: { rack: "1" } },
    { name: "b", labels: { rack: "2" } },
  ];
  const metadata = { ownerReferences: [{ kind: "ReplicaSet", name: "r", uid: "r", controller: true }] };
  const asked = (defaultConstraints: Json, among: readonly LooseNode[] = nodes) =>
    choose(
      "PodTopologySpread",
      { defaultingType: "List", defaultConstraints },
      among,
      { metadata },
      { a: [{ metadata }] },
    );
  const constraint = { maxSkew: 1, topologyKey: "rack", whenUnsatisfiable: "ScheduleAnyway" };
  expect([asked([constraint]), asked([])]).toEqual(["b", "a"]);
  // A node that is in no rack is not one with nobody in it.
  expect(asked([constraint], [nodes[0]!, { name: "b" }])).toBe("a");
});
