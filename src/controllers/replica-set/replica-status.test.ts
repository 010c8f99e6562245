import { describe, expect, it } from "vitest";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type TestPod, testPod } from "../pods-of-owner/pods.testing.ts";
import { replicaStatus } from "./replica-status.ts";
import type { ReplicaStatus, Replicated } from "./replicated.ts";

const NOW = 1_000_000;

function setWith(status: ReplicaStatus, spec: Partial<Replicated["spec"]> = {}): Replicated {
  return {
    metadata: { name: "web", generation: 2 },
    spec: {
      replicas: 2,
      template: { metadata: { labels: { app: "web", tier: "front" } }, spec: { containers: [] } },
      ...spec,
    },
    status,
  };
}

const seen = (activePods: readonly Pod[], failure?: string, terminating?: number) => ({
  activePods,
  failure,
  terminating,
  nowMs: NOW,
});

const all = { app: "web", tier: "front" };

describe("the counts", () => {
  const cases: [what: string, pods: TestPod[], minReadySeconds: number, counts: number[]][] = [
    ["of nothing", [], 0, [0, 0, 0, 0]],
    ["of pods that lack labels of the template", [{ labels: { app: "web" } }, { labels: all }], 0, [2, 1, 0, 0]],
    ["of pods with more labels", [{ labels: { ...all, more: "x" } }], 0, [1, 1, 0, 0]],
    ["of ready pods", [{ readySinceMs: NOW }, {}], 0, [2, 0, 1, 1]],
    [
      "of pods that are ready for some time",
      [{ readySinceMs: NOW - 9_000 }, { readySinceMs: NOW - 10_000 }],
      10,
      [2, 0, 2, 1],
    ],
  ];
  it.each(cases)("%s", (_what, pods, minReadySeconds, counts) => {
    const set = setWith({ replicas: 7 }, { minReadySeconds });
    const status = replicaStatus(set, seen(pods.map(testPod)))!;
    const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas } = status;
    expect([replicas, fullyLabeledReplicas, readyReplicas, availableReplicas]).toEqual(counts);
    expect(status.observedGeneration).toBe(2);
  });

  it("are not written again when nothing is new", () => {
    const status = { replicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 2 };
    expect(replicaStatus(setWith(status), seen([testPod({ readySinceMs: NOW })]))).toBeUndefined();
    expect(
      replicaStatus(setWith({ ...status, observedGeneration: 1 }), seen([testPod({ readySinceMs: NOW })])),
    ).toBeDefined();
  });
});

describe("while pods are on their way", () => {
  it("the generation alone is not told: it will be, with their number", () => {
    const set = setWith({ replicas: 0, observedGeneration: 1 });
    expect(replicaStatus(set, { ...seen([]), moving: true })).toBeUndefined();
    expect(replicaStatus(set, { ...seen([testPod({})]), moving: true })).toMatchObject({
      replicas: 1,
      observedGeneration: 2,
    });
    expect(replicaStatus(set, { ...seen([], "no room"), moving: true })).toMatchObject({ observedGeneration: 2 });
  });
});

describe("pods that end", () => {
  const status = { replicas: 0, observedGeneration: 2 };
  it.each<[string, number | undefined, number | undefined, number | undefined]>([
    ["are told of", undefined, 3, 3],
    ["are told of, also that there are none", undefined, 0, 0],
    ["are told of when their number changes", 3, 1, 1],
    ["are no news when it does not", 3, 3, undefined],
    ["stay as they were said where nobody counts them", 3, undefined, undefined],
  ])("%s", (_, before, counted, said) => {
    const known = before === undefined ? status : { ...status, terminatingReplicas: before };
    expect(replicaStatus(setWith(known), seen([], undefined, counted))?.terminatingReplicas).toBe(said);
  });
});

describe("a failure", () => {
  const held = {
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: timeOfMs(0),
    reason: "FailedCreate",
    message: "first",
  };
  it.each([
    ["too few", 1, "FailedCreate"],
    ["too many", 3, "FailedDelete"],
  ])("with %s pods", (_what, count, reason) => {
    const pods = Array.from({ length: count }, () => testPod());
    expect(replicaStatus(setWith({ replicas: 0 }), seen(pods, "no"))?.conditions).toEqual([
      { ...held, lastTransitionTime: timeOfMs(NOW), reason, message: "no" },
    ]);
  });

  it("stays as it was first said, and goes when it is over; what others say stays", () => {
    const other = { ...held, type: "Other" };
    const set = setWith({ replicas: 0, observedGeneration: 2, conditions: [held, other] });
    expect(replicaStatus(set, seen([], "second"))).toBeUndefined();
    expect(replicaStatus(set, seen([]))?.conditions).toEqual([other]);
  });
});
