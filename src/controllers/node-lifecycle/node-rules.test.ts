// The rules of nodes: silence, taints, labels, zones. Requirements: document 3, "Node status fields", "States".

import { describe, expect, it } from "vitest";
import type { Lease } from "../../kinds/coordination/lease.ts";
import type { Node } from "../../kinds/core/node.ts";
import { namesFor } from "../../meta/names.ts";
import { type NodeHealth, observeNode, silentConditions } from "./node-health.ts";
import { labelsToCopy } from "./node-labels.ts";
import { applyRule, executeRule, scheduleRule, type Taint } from "./node-taints.ts";
import { ZoneEvictions } from "./zone-evictions.ts";
import { evictionRates, type ZoneCount, zoneOf } from "./zones.ts";

const names = namesFor("platform");
const CREATED = "2030-01-01T00:00:00Z";
const node = (
  conditions: Record<string, string> = {},
  more: { spec?: object; labels?: object; heartbeat?: string } = {},
): Node =>
  ({
    metadata: { name: "n", uid: "u", creationTimestamp: CREATED, labels: more.labels },
    spec: more.spec ?? {},
    status: {
      conditions: Object.entries(conditions).map(([type, status]) => ({
        type,
        status,
        reason: "R",
        message: "m",
        lastHeartbeatTime: more.heartbeat ?? CREATED,
        lastTransitionTime: CREATED,
      })),
    },
  }) as unknown as Node;

describe("when a node was last heard of", () => {
  const at = (monotonicMs: number) => ({ nowMs: Date.parse(CREATED) + 30_000 + monotonicMs, monotonicMs });
  const lease = (renewTime: string): Lease => ({ metadata: {}, spec: { renewTime } }) as unknown as Lease;
  const before: NodeHealth = { uid: "u", heardMs: 100, heartbeat: CREATED, renewal: "2030-01-01T00:00:10.000000Z" };
  const cases: [string, NodeHealth | undefined, Node, Lease | undefined, heardMs: number][] = [
    ["a node that is looked at for the first time: now", undefined, node({ Ready: "True" }), undefined, 500],
    ["one that has never reported: when it was made", undefined, node(), undefined, -30_000],
    ["one that has never reported but renews: now", undefined, node(), lease("2030-01-01T00:00:10.000000Z"), 500],
    ["nothing new: as before", before, node({ Ready: "True" }), lease("2030-01-01T00:00:10.000000Z"), 100],
    ["a new heartbeat: now", before, node({ Ready: "True" }, { heartbeat: "2030-01-01T00:00:20Z" }), undefined, 500],
    ["a renewal: now", before, node({ Ready: "True" }), lease("2030-01-01T00:00:20.000000Z"), 500],
    ["a lease that went back: as before", before, node({ Ready: "True" }), lease("2030-01-01T00:00:05.000000Z"), 100],
    ["another node of the name: now", { ...before, uid: "old" }, node({ Ready: "True" }), undefined, 500],
  ];
  it.each(cases)("%s", (_what, known, given, renewal, heardMs) => {
    expect(observeNode(known, given, renewal, at(500)).heardMs).toBe(heardMs);
  });
});

describe("a silent node", () => {
  it("is unknown in all that it reports itself, and keeps the time of its last heartbeat", () => {
    const changed = silentConditions(
      node({ Ready: "True", DiskPressure: "False", NetworkUnavailable: "False" }),
      "now",
      names,
    );
    expect(
      changed.map(({ type, status, reason, lastTransitionTime }) => [type, status, reason, lastTransitionTime]),
    ).toEqual([
      ["Ready", "Unknown", "NodeStatusUnknown", "now"],
      ["MemoryPressure", "Unknown", "NodeStatusNeverUpdated", "now"],
      ["DiskPressure", "Unknown", "NodeStatusUnknown", "now"],
      ["PIDPressure", "Unknown", "NodeStatusNeverUpdated", "now"],
    ]);
    expect(changed[0]).toMatchObject({
      lastHeartbeatTime: CREATED,
      message: "Node agent stopped posting node status.",
    });
  });

  it("is not written again", () => {
    const all = { Ready: "Unknown", MemoryPressure: "Unknown", DiskPressure: "Unknown", PIDPressure: "Unknown" };
    expect(silentConditions(node(all), "now", names)).toEqual([]);
  });
});

describe("the taints of a node", () => {
  const words = (taints: readonly Taint[] | undefined) =>
    taints?.map(({ key, effect }) => `${key.split("/")[1]}:${effect}`);
  const cases: [string, Node, string[] | undefined][] = [
    ["none when it is well", node({ Ready: "True", MemoryPressure: "False" }), undefined],
    ["not ready", node({ Ready: "False" }), ["not-ready:NoSchedule"]],
    ["not to be reached", node({ Ready: "Unknown" }), ["unreachable:NoSchedule"]],
    [
      "every pressure",
      node({
        Ready: "True",
        MemoryPressure: "True",
        DiskPressure: "True",
        PIDPressure: "True",
        NetworkUnavailable: "True",
      }),
      [
        "memory-pressure:NoSchedule",
        "disk-pressure:NoSchedule",
        "pid-pressure:NoSchedule",
        "network-unavailable:NoSchedule",
      ],
    ],
    ["not known is no pressure", node({ Ready: "True", MemoryPressure: "Unknown" }), undefined],
    ["closed", node({ Ready: "True" }, { spec: { unschedulable: true } }), ["unschedulable:NoSchedule"]],
  ];
  it.each(cases)("%s", (_what, given, expected) => {
    expect(words(applyRule([], scheduleRule(given, names), "now"))).toEqual(expected);
  });

  it("of others stay, also of the same key with another effect", () => {
    const held: Taint[] = [
      { key: "acme.io/gpu", effect: "NoSchedule" },
      { key: names.notReadyTaint, effect: "NoExecute" },
      { key: names.notReadyTaint, effect: "NoSchedule" },
    ];
    const after = applyRule(held, scheduleRule(node({ Ready: "True" }), names), "now");
    expect(after).toEqual(held.slice(0, 2));
  });

  it("that drive pods away follow the state, one at a time, and say since when", () => {
    const first = applyRule([], executeRule(node({ Ready: "False" }), true, names), "t1");
    expect(first).toEqual([{ key: names.notReadyTaint, effect: "NoExecute", timeAdded: "t1" }]);
    expect(applyRule(first, executeRule(node({ Ready: "False" }), true, names), "t2")).toBeUndefined();
    const second = applyRule(first, executeRule(node({ Ready: "Unknown" }), true, names), "t2");
    expect(words(second)).toEqual(["unreachable:NoExecute"]);
    expect(applyRule(second, executeRule(node({ Ready: "True" }), false, names), "t3")).toEqual([]);
  });
});

describe("old labels", () => {
  it.each([
    ["are made from the new ones", { [names.osLabel]: "linux" }, { [names.betaOsLabel]: "linux" }],
    ["follow them", { [names.archLabel]: "arm64", [names.betaArchLabel]: "amd64" }, { [names.betaArchLabel]: "arm64" }],
    ["stay when they are right", { [names.osLabel]: "linux", [names.betaOsLabel]: "linux" }, {}],
    ["are left alone without the new ones", { [names.betaOsLabel]: "linux" }, {}],
  ])("%s", (_what, labels, expected) => {
    expect(labelsToCopy(node({}, { labels }), names)).toEqual(expected);
  });
});

describe("zones", () => {
  const limits = {
    nodeEvictionRate: 0.1,
    secondaryNodeEvictionRate: 0.01,
    unhealthyZoneThreshold: 0.55,
    largeClusterSizeThreshold: 50,
  };
  const cases: [string, Record<string, [ready: number, notReady: number]>, Record<string, number>][] = [
    ["evict at the full rate while they are well", { a: [5, 2] }, { a: 0.1 }],
    ["one or two nodes may always fail", { a: [0, 2], b: [1, 2] }, { a: 0.1, b: 0.1 }],
    ["small ones stop when much is silent", { a: [4, 6], b: [1, 0] }, { a: 0, b: 0.1 }],
    ["large ones slow down", { a: [30, 40] }, { a: 0.01 }],
    ["one that is all silent evicts while another is not", { a: [0, 9], b: [9, 0] }, { a: 0.1, b: 0.1 }],
    ["zones in which nobody is counted say nothing", { a: [0, 0], b: [0, 3] }, { a: 0, b: 0 }],
    ["nothing is evicted when everything is silent", { a: [0, 9], b: [0, 1] }, { a: 0, b: 0 }],
  ];
  it.each(cases)("%s", (_what, given, expected) => {
    const zones = new Map<string, ZoneCount>(
      Object.entries(given).map(([zone, [ready, notReady]]) => [zone, { ready, notReady }]),
    );
    expect(Object.fromEntries(evictionRates(zones, limits).rates)).toEqual(expected);
  });

  it("are named by region and zone, old labels first", () => {
    expect(zoneOf(node(), names)).toBe("");
    expect(zoneOf(node({}, { labels: { [names.zoneLabel]: "z", [names.regionLabel]: "r" } }), names)).toBe("r/z");
    expect(zoneOf(node({}, { labels: { [names.zoneLabel]: "z", [names.betaZoneLabel]: "old" } }), names)).toBe("/old");
  });
});

describe("nodes that wait for their taint", () => {
  it("come one by one, zone by zone, at the rate of the zone", () => {
    const evictions = new ZoneEvictions();
    evictions.setRates(
      new Map([
        ["a", 0.5],
        ["b", 0],
      ]),
      0,
    );
    for (const name of ["a1", "a2", "a3"]) evictions.add(name, "a", 0);
    evictions.add("b1", "b", 0);
    expect(evictions.take(0)).toEqual(["a1"]);
    expect(evictions.take(1_000)).toEqual([]);
    expect(evictions.nextMs(1_000)).toBe(1_000);
    expect(evictions.take(2_000)).toEqual(["a2"]);
    evictions.remove("a3");
    expect(evictions.nextMs(2_000), "a zone that stands still").toBeUndefined();
    evictions.setRates(
      new Map([
        ["a", 0.5],
        ["b", 1],
      ]),
      2_000,
    );
    expect(evictions.take(3_000)).toEqual(["b1"]);
  });
});
