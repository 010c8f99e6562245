import { describe, expect, it } from "vitest";
import { timeOfMs } from "../../meta/time.ts";
import { type TestPod, testPod } from "../pods-of-owner/pods.testing.ts";
import { milliQuantity, milliValue } from "./milli-value.ts";
import { groupPods, type PodMetric, type StartTimes } from "./pod-groups.ts";
import { podRequests } from "./pod-requests.ts";
import { averageRule, proposeByPods, proposeByRatio, proposeByShare, utilizationRule } from "./propose-replicas.ts";

const TOLERANCES = { up: 0.1, down: 0.1 };

describe("quantities in thousandths", () => {
  it.each([
    ["100m", 100],
    ["2", 2_000],
    ["1Ki", 1_024_000],
    ["1500u", 2],
    [3, 3_000],
    ["x", undefined],
    [undefined, undefined],
    [{}, undefined],
  ])("%s", (quantity, milli) => {
    expect(milliValue(quantity)).toBe(milli);
  });

  it("are written as metrics write them", () => {
    expect([milliQuantity(1_500), milliQuantity(2_000), milliQuantity(1_048_576_000, "BinarySI")]).toEqual([
      "1500m",
      "2",
      "1Mi",
    ]);
  });
});

describe("the replicas that a percentage of requests asks for", () => {
  type Row = [
    what: string,
    current: number,
    target: number,
    /** In percent of the request; undefined: nothing was measured; "unready": not at work yet. */
    pods: (number | undefined | "unready")[],
    replicas: number,
    utilization: number,
  ];
  // Upstream's table, in percent of a request of 1000.
  const cases: Row[] = [
    ["more", 3, 30, [30, 50, 70], 5, 50],
    ["more, without pods that are not at work yet", 3, 30, ["unready", 50, 70], 4, 60],
    ["more, but not while most are not at work yet", 3, 30, [40, "unready", "unready"], 3, 40],
    ["fewer", 5, 50, [10, 30, 50, 25, 25], 3, 28],
    ["fewer, without pods that are not at work yet", 5, 50, [10, 30, 50, "unready", "unready"], 2, 30],
    ["as many within the tolerance", 3, 100, [105, 101, 105], 3, 103],
    ["as many just at its end", 10, 100, Array(10).fill(110), 10, 110],
    ["more just beyond it", 10, 100, Array(10).fill(111), 12, 111],
    ["more, those without a value taken to do nothing", 4, 50, [100, 100, 100, undefined], 6, 100],
    ["fewer, those without a value taken to do all", 4, 100, [20, 20, undefined, undefined], 3, 20],
    ["as many when what is not known turns the direction", 4, 50, [60, undefined, undefined, undefined], 4, 60],
    ["none", 3, 100, [0, 0, 0], 0, 0],
  ];
  it.each(cases)("%s", (_what, current, target, pods, replicas, utilization) => {
    const names = pods.map((_, at) => `p${at}`);
    const measured = new Map(
      pods.flatMap((value, at) => (typeof value === "number" ? [[names[at]!, value * 10]] : [])),
    );
    const groups = {
      ready: measured.size,
      unready: names.filter((_, at) => pods[at] === "unready"),
      missing: names.filter((_, at) => pods[at] === undefined),
      measured,
    };
    const rule = utilizationRule(new Map(names.map((name) => [name, 1_000])), target);
    const proposal = proposeByPods(groups, rule, current, TOLERANCES);
    expect([proposal.replicas, proposal.usage.utilization]).toEqual([replicas, utilization]);
  });

  it("cannot be told without values, and not by values of unknown pods", () => {
    const groups = { ready: 0, unready: [], missing: ["p"], measured: new Map<string, number>() };
    const rule = utilizationRule(new Map([["p", 1_000]]), 50);
    expect(() => proposeByPods(groups, rule, 1, TOLERANCES)).toThrow(/did not receive metrics/);
    const strange = { ...groups, measured: new Map([["other", 5]]) };
    expect(() => proposeByPods(strange, rule, 1, TOLERANCES)).toThrow(/matched known pods/);
  });
});

describe("the replicas that a value asks for", () => {
  it.each([
    ["more", [20_000, 10_000, 30_000], 15_000, 3, 4],
    ["fewer", [12_000, 12_000, 12_000, 12_000, 12_000], 20_000, 5, 3],
    ["as many", [20_000, 21_000, 21_000], 20_000, 3, 3],
  ])("per pod: %s", (_what, values, target, current, replicas) => {
    const measured = new Map(values.map((value, at) => [`p${at}`, value]));
    const groups = { ready: values.length, unready: [], missing: [], measured };
    expect(proposeByPods(groups, averageRule(target), current, TOLERANCES).replicas).toBe(replicas);
  });

  it.each([
    [2, 3, 3, 6],
    [1.05, 3, 3, 3],
    [0.5, 4, 4, 2],
    [2.1, 0, 0, 3],
    [0, 0, 0, 0],
  ])("of the whole: %d of the target with %d replicas, %d ready", (ratio, current, ready, replicas) => {
    expect(proposeByRatio(ratio, current, () => ready, TOLERANCES)).toBe(replicas);
  });

  it.each([
    [8_600, 2_150, 3, 4],
    [6_500, 2_150, 3, 3],
    [5_000, 2_500, 4, 2],
    [5_000, 2_500, 0, 2],
  ])("shared: %d with %d for each of %d", (value, target, replicas, proposed) => {
    expect(proposeByShare(value, target, replicas, TOLERANCES)).toBe(proposed);
  });
});

describe("what is made of a pod", () => {
  const NOW = 10_000_000;
  const MINUTE = 60_000;
  interface Life {
    readonly startedMs?: number;
    readonly ready?: "True" | "False";
    readonly changedMs?: number;
    readonly parts?: TestPod;
    readonly metric?: PodMetric | undefined;
  }
  const measuredNow = { value: 7, atMs: NOW, windowMs: MINUTE };
  const groupOf = (life: Life, resource: string | undefined, times?: StartTimes) => {
    const pod = testPod({ name: "p", ...life.parts });
    if (life.startedMs !== undefined) pod.status.startTime = timeOfMs(life.startedMs);
    if (life.ready !== undefined) {
      pod.status.conditions = [
        { type: "Ready", status: life.ready, lastProbeTime: null, lastTransitionTime: timeOfMs(life.changedMs ?? 0) },
      ];
    }
    const metric = "metric" in life ? life.metric : measuredNow;
    const groups = groupPods([pod], new Map(metric === undefined ? [] : [["p", metric]]), resource, NOW, times);
    if (groups.unready.length > 0) return "unready";
    if (groups.missing.length > 0) return "missing";
    return groups.ready > 0 && groups.measured.has("p") ? "ready" : "ignored";
  };
  const old = NOW - 20 * MINUTE;
  const young = NOW - 2 * MINUTE;
  const cases: [what: string, life: Life, resource: string | undefined, group: string][] = [
    ["one that ends is ignored", { parts: { ending: true } }, undefined, "ignored"],
    ["one that failed is ignored", { parts: { phase: "Failed" } }, undefined, "ignored"],
    ["one that waits is not ready", { parts: { phase: "Pending" } }, undefined, "unready"],
    ["one without a value is missing", { metric: undefined }, "cpu", "missing"],
    ["one that waits is not missing", { parts: { phase: "Pending" }, metric: undefined }, "cpu", "unready"],
    ["memory counts from the start", {}, "memory", "ready"],
    ["CPU not before it says that it is ready", { startedMs: old }, "cpu", "unready"],
    ["CPU not before it says when it started", { ready: "True" }, "cpu", "unready"],
    ["CPU not while it starts", { startedMs: young, ready: "False", changedMs: young }, "cpu", "unready"],
    [
      "CPU not before a window since it is ready",
      { startedMs: young, ready: "True", changedMs: NOW - 30_000 },
      "cpu",
      "unready",
    ],
    ["CPU after a window", { startedMs: young, ready: "True", changedMs: NOW - MINUTE }, "cpu", "ready"],
    [
      "CPU of one that was ready and is not now",
      { startedMs: old, ready: "False", changedMs: NOW - MINUTE },
      "cpu",
      "ready",
    ],
    ["CPU not of one that never was", { startedMs: old, ready: "False", changedMs: old + 10_000 }, "cpu", "unready"],
  ];
  it.each(cases)("%s", (_what, life, resource, group) => {
    expect(groupOf(life, resource)).toBe(group);
  });

  it("starts for as long as flags say", () => {
    const times = { cpuInitializationMs: MINUTE, initialReadinessMs: 5_000 };
    expect(groupOf({ startedMs: young, ready: "True", changedMs: NOW - 30_000 }, "cpu", times)).toBe("ready");
    expect(groupOf({ startedMs: old, ready: "False", changedMs: old + 10_000 }, "cpu", times)).toBe("ready");
  });
});

describe("what pods request", () => {
  const pod = testPod({ name: "p", sidecarRestarts: 0 });
  pod.spec.containers = [
    { name: "a", image: "i", resources: { requests: { cpu: "100m" } } },
    { name: "b", image: "i", resources: { requests: { cpu: "250m", memory: "1Mi" } } },
  ];
  pod.spec.initContainers![0]!.resources = { requests: { cpu: "50m" } };
  pod.spec.initContainers!.push({ name: "once", image: "i", resources: {} });

  it("is the sum over containers that stay, or that of one", () => {
    expect(podRequests([pod], "cpu", undefined).get("p")).toBe(400);
    expect(podRequests([pod], "cpu", "b").get("p")).toBe(250);
    expect(() => podRequests([pod], "memory", undefined)).toThrow("missing request for memory in container a of Pod p");
  });

  it("is what the whole pod requests where that is said", () => {
    const whole = { ...pod, spec: { ...pod.spec, resources: { requests: { cpu: "2" } } } };
    expect(podRequests([whole], "cpu", undefined).get("p")).toBe(2_000);
    expect(podRequests([whole], "cpu", "a").get("p")).toBe(100);
  });
});
