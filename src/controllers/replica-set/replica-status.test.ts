import { describe, expect, it } from "vitest";
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
    const status = replicaStatus(set, pods.map(testPod), undefined, NOW)!;
    const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas } = status;
    expect([replicas, fullyLabeledReplicas, readyReplicas, availableReplicas]).toEqual(counts);
    expect(status.observedGeneration).toBe(2);
  });

  it("are not written again when nothing is new", () => {
    const status = { replicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 2 };
    expect(replicaStatus(setWith(status), [testPod({ readySinceMs: NOW })], undefined, NOW)).toBeUndefined();
    expect(
      replicaStatus(setWith({ ...status, observedGeneration: 1 }), [testPod({ readySinceMs: NOW })], undefined, NOW),
    ).toBeDefined();
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
    expect(replicaStatus(setWith({ replicas: 0 }), pods, "no", NOW)?.conditions).toEqual([
      { ...held, lastTransitionTime: timeOfMs(NOW), reason, message: "no" },
    ]);
  });

  it("stays as it was first said, and goes when it is over; what others say stays", () => {
    const other = { ...held, type: "Other" };
    const set = setWith({ replicas: 0, observedGeneration: 2, conditions: [held, other] });
    expect(replicaStatus(set, [], "second", NOW)).toBeUndefined();
    expect(replicaStatus(set, [], undefined, NOW)?.conditions).toEqual([other]);
  });
});
