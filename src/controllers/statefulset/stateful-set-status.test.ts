import { describe, expect, it } from "vitest";
import { NOW_MS, setPod, testSet } from "./stateful-set.testing.ts";
import { nextStatus } from "./stateful-set-status.ts";

const parts = { current: "old", update: "new", collisionCount: undefined, deleted: new Set<never>(), nowMs: NOW_MS };

describe("the status of a set", () => {
  it("counts pods by what they are", () => {
    const pods = [
      setPod(0, { revision: "old" }),
      setPod(1, { revision: "old", ending: true }),
      setPod(2, { readySinceMs: NOW_MS - 5_000 }),
      setPod(3, { ready: false }),
    ];
    expect(nextStatus(testSet({ replicas: 4, minReadySeconds: 10 }), pods, parts)).toEqual({
      replicas: 4,
      readyReplicas: 3,
      availableReplicas: 2,
      currentReplicas: 1,
      updatedReplicas: 2,
      currentRevision: "old",
      updateRevision: "new",
      collisionCount: 0,
      observedGeneration: 1,
    });
  });

  it("does not count as current what is deleted in this turn", () => {
    const pods = [setPod(0, { revision: "old" }), setPod(1, { revision: "old" })];
    expect(nextStatus(testSet(), pods, { ...parts, deleted: new Set([pods[1]!]) })).toMatchObject({
      currentReplicas: 1,
    });
  });

  it("takes the new revision for the current one once all are of it and ready", () => {
    const pods = [setPod(0), setPod(1)];
    const status = nextStatus(testSet({ replicas: 2 }), pods, parts);
    expect(status).toMatchObject({ currentRevision: "new", currentReplicas: 2, updatedReplicas: 2 });
    expect(nextStatus(testSet({ replicas: 3 }), pods, parts)).toMatchObject({ currentRevision: "old" });
    const onDelete = { replicas: 2, updateStrategy: { type: "OnDelete" as const } };
    expect(nextStatus(testSet(onDelete), pods, parts)).toMatchObject({ currentRevision: "old" });
  });

  it("is nothing new when it says the same, zeros or not", () => {
    const first = nextStatus(testSet({ replicas: 0 }), [], { ...parts, current: "new" })!;
    const { readyReplicas: _r, currentReplicas: _c, updatedReplicas: _u, ...stored } = first;
    expect(nextStatus(testSet({ replicas: 0 }, stored), [], { ...parts, current: "new" })).toBeUndefined();
  });
});
