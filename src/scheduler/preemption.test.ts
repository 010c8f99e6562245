import { describe, expect, it } from "vitest";
import { selectorFromObject } from "../meta/label-selector.ts";
import { NodeChooser } from "./choose-node.ts";
import type { Surroundings } from "./filters/filter.ts";
import { fitMessage } from "./fit-message.ts";
import { type disruptionBudget, findVictims } from "./preemption.ts";
import { type LoosePod, profileOf, testCluster, testPod } from "./scheduler.testing.ts";

type DisruptionBudget = ReturnType<typeof disruptionBudget>;

const NOW = Date.parse("2030-01-01T00:00:00Z");
const started = (secondsAgo: number) => ({ startTime: new Date(NOW - secondsAgo * 1000).toISOString() });

function preempt(pod: LoosePod, surroundings: Surroundings, budgets: readonly DisruptionBudget[] = []) {
  const info = testPod({ name: "preemptor", priority: 100, ...pod });
  const choice = new NodeChooser({ surroundings, profileOf: profileOf(), random: () => 0 }).choose(info);
  if (choice.type === "node") throw new Error("the pod has a node already");
  const found = findVictims(info, choice.refusals, {
    surroundings,
    budgets: () => budgets,
    nowMs: NOW,
    ofDevices: "no new claims to deallocate",
    random: () => 0,
  });
  if (found.type === "none") return fitMessage(choice.refusals, found.why);
  const { node, pods, violations } = found.victims;
  return { node: node.name, pods: pods.map(({ name }) => name), violations };
}

const cpu = (amount: string, name: string, priority: number, more: LoosePod = {}): LoosePod => ({
  name,
  priority,
  requests: { cpu: amount },
  ...more,
});
const nodes = [{ name: "a" }, { name: "b" }];
const budget = (allowed: number, disrupted: string[] = []): DisruptionBudget => ({
  namespace: "default",
  selector: selectorFromObject({ matchLabels: { app: "kept" } }),
  allowed,
  disrupted: new Set(disrupted),
});
const KEPT = { labels: { app: "kept" } };

describe("preemption", () => {
  it("takes the fewest that are enough, the least important first", () => {
    const cluster = testCluster([{ name: "a" }], { a: [cpu("2", "low", 1), cpu("1", "mid", 5), cpu("1", "high", 50)] });
    expect(preempt({ requests: { cpu: "2" } }, cluster)).toEqual({ node: "a", pods: ["low"], violations: 0 });
    expect(cluster.state.node("a")?.requested.cpu).toBe(4000);
  });

  it("prefers the node whose most important victim is the least important", () => {
    const cluster = testCluster(nodes, { a: [cpu("4", "x", 10)], b: [cpu("4", "y", 5)] });
    expect(preempt({ requests: { cpu: "3" } }, cluster)).toMatchObject({ node: "b", pods: ["y"] });
  });

  it("then the node with the smaller sum, then fewer victims, then the younger ones", () => {
    const sums = testCluster(nodes, {
      a: [cpu("2", "a1", 5), cpu("2", "a2", 4)],
      b: [cpu("2", "b1", 5), cpu("2", "b2", 3)],
    });
    expect(preempt({ requests: { cpu: "4" } }, sums)).toMatchObject({ node: "b" });
    const young = testCluster(nodes, {
      a: [cpu("4", "old", 5, { status: started(100) })],
      b: [cpu("4", "young", 5, { status: started(10) })],
    });
    expect(preempt({ requests: { cpu: "4" } }, young)).toMatchObject({ node: "b", pods: ["young"] });
  });

  it("spares pods that a budget protects where it can, and breaks it where it must", () => {
    const cluster = testCluster(nodes, { a: [cpu("4", "kept", 1, KEPT)], b: [cpu("4", "other", 50)] });
    expect(preempt({ requests: { cpu: "3" } }, cluster, [budget(0)])).toMatchObject({ node: "b", violations: 0 });
    expect(preempt({ requests: { cpu: "3" } }, cluster, [budget(1)])).toMatchObject({ node: "a", violations: 0 });
    expect(preempt({ requests: { cpu: "3" } }, cluster, [budget(0, ["kept"])])).toMatchObject({ node: "a" });
    const alone = testCluster([{ name: "a" }], { a: [cpu("4", "kept", 1, KEPT)] });
    expect(preempt({ requests: { cpu: "3" } }, alone, [budget(0)])).toMatchObject({ node: "a", violations: 1 });
  });

  it("looks on beyond as many nodes as are enough where each of them breaks a budget", () => {
    const many = Array.from({ length: 150 }, (_, index) => ({ name: `n${index}` }));
    const placed = Object.fromEntries(
      many.map(({ name }, index) => [name, [cpu("4", `on-${name}`, 1, index === 140 ? {} : KEPT)]]),
    );
    const cluster = testCluster(many, placed);
    expect(preempt({ requests: { cpu: "3" } }, cluster, [budget(0)])).toMatchObject({ node: "n140", violations: 0 });
  });

  it("helps against anti-affinity and spread too", () => {
    const labels = { app: "web" };
    const term = { topologyKey: "hostname", labelSelector: { matchLabels: labels } };
    const apart = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
    const cluster = testCluster([{ name: "a" }], {
      a: [
        { name: "near", labels, priority: 1 },
        { name: "fine", priority: 1 },
      ],
    });
    expect(preempt({ spec: { ...apart, priority: 100 } }, cluster)).toMatchObject({ node: "a", pods: ["near"] });
  });

  it.each<[string, LoosePod, Record<string, readonly LoosePod[]>, string]>([
    [
      "where nobody is less important",
      { requests: { cpu: "3" } },
      { a: [cpu("4", "x", 100)], b: [cpu("4", "y", 200)] },
      "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
    ],
    [
      "where the node is too small",
      { requests: { cpu: "5" } },
      { a: [cpu("4", "x", 1)] },
      "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
    ],
    [
      "where the pod does not want it",
      { requests: { cpu: "3" }, spec: { preemptionPolicy: "Never" } },
      { a: [cpu("4", "x", 1)], b: [cpu("4", "y", 1)] },
      "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
    ],
    [
      "where the node is not allowed",
      { spec: { nodeSelector: { hostname: "c" } } },
      { a: [cpu("4", "x", 1)] },
      "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
    ],
  ])("does not happen %s", (_what, pod, placed, message) => {
    expect(preempt(pod, testCluster(nodes, placed))).toBe(message);
  });

  it("waits for victims that are leaving", () => {
    const leaving = {
      metadata: { deletionTimestamp: "2030-01-01T00:00:10Z" },
      status: { conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }] },
    };
    const cluster = testCluster([{ name: "a" }], { a: [cpu("4", "x", 1, leaving)] });
    cluster.state.nominate(testPod({ name: "preemptor", priority: 100 }), "a");
    expect(preempt({ requests: { cpu: "3" } }, cluster)).toMatch(/terminating pod on the nominated node\.$/);
    // Nowhere will do any more, whoever leaves: the room there is not kept.
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "gone" } }];
    expect(preempt({ requests: { cpu: "3" }, spec: { volumes, priority: 100 } }, cluster)).toMatch(
      /0\/1 nodes are available: 1 Preemption is not helpful for scheduling\.$/,
    );
  });
});
