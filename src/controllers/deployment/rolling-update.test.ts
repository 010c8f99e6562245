import { describe, expect, it } from "vitest";
import { type TestSet, testDeployment, testSet } from "./replica-sets.testing.ts";
import { currentSize, planRollingUpdate } from "./rolling-update.ts";
import { rolloutLimits } from "./rollout-limits.ts";

type Amount = number | string;

describe("the limits of a rollout", () => {
  const cases: [replicas: number, maxSurge: Amount, maxUnavailable: Amount, surge: number, unavailable: number][] = [
    [10, "25%", "25%", 3, 2],
    [1, "25%", "25%", 1, 0],
    [3, "25%", "25%", 1, 0],
    [4, "25%", "25%", 1, 1],
    [10, 0, 0, 0, 1],
    [10, "0%", "0%", 0, 1],
    [10, 0, "1%", 0, 1],
    [10, "1%", 0, 1, 0],
    [10, 5, "100%", 5, 10],
    [2, 0, 5, 0, 2],
    [0, "25%", "25%", 0, 0],
    [5, "nonsense", "1%%", 0, 1],
    [5_000, "25%", "25%", 1_250, 1_250],
  ];
  it.each(cases)("of %d with surge %s and unavailable %s", (replicas, maxSurge, maxUnavailable, surge, unavailable) => {
    const deployment = testDeployment({
      replicas,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
    });
    expect(rolloutLimits(deployment)).toEqual({ replicas, maxSurge: surge, maxUnavailable: unavailable });
  });

  it("are none where all is recreated, nor is anything below nothing", () => {
    expect(rolloutLimits(testDeployment({ replicas: -4, strategy: { type: "Recreate" } }))).toEqual({
      replicas: 0,
      maxSurge: 0,
      maxUnavailable: 0,
    });
  });
});

describe("the size of the current set", () => {
  const cases: [replicas: number, maxSurge: number, own: number, all: number, size: number][] = [
    [10, 0, 0, 10, 0],
    [10, 5, 0, 10, 5],
    [10, 2, 0, 10, 2],
    [10, 5, 5, 10, 10],
    [10, 5, 10, 10, 10],
    [10, 2, 12, 12, 10],
    [10, 2, 0, 14, 0],
    [10, 0, 0, 0, 10],
  ];
  it.each(cases)("%d wanted, surge %d, %d there of %d", (replicas, maxSurge, own, all, size) => {
    expect(currentSize({ replicas, maxSurge, maxUnavailable: 0 }, own, all)).toBe(size);
  });
});

describe("a step of a rolling update", () => {
  type Row = [
    what: string,
    limits: [replicas: number, maxSurge: number, maxUnavailable: number],
    current: TestSet,
    old: TestSet[],
    plan: Record<string, number>,
  ];
  const has = (replicas: number, available = replicas): TestSet => ({ replicas, available });
  const cases: Row[] = [
    ["fills the surge first", [10, 3, 2], has(0), [has(10)], { current: 3 }],
    ["takes old ones only when the surge is full", [10, 3, 2], has(3, 0), [has(10)], { old0: 8 }],
    ["waits when too few are available", [10, 3, 2], has(5, 0), [has(8)], {}],
    ["goes on when new ones are available", [10, 3, 2], has(5, 5), [has(8)], { old0: 3 }],
    ["ends with the last old ones", [10, 0, 5], has(10), [has(1)], { old0: 0 }],
    ["is over", [10, 3, 2], has(10), [has(0), has(0)], {}],
    ["without surge begins with old ones", [10, 0, 2], has(0), [has(10)], { old0: 8 }],
    ["without anything unavailable needs new ones first", [10, 1, 0], has(1, 0), [has(10)], {}],
    ["takes the oldest first", [10, 0, 2], has(0), [has(5), has(5)], { old0: 3 }],
    ["takes what is not available first", [10, 0, 2], has(0), [has(8), has(2, 0)], { old1: 0 }],
    ["takes of what is not available no more than there is room", [10, 0, 2], has(0), [has(10, 0)], { old0: 8 }],
    ["takes both in one step", [10, 3, 2], has(3, 3), [has(6), has(4, 2)], { old0: 3, old1: 2 }],
    ["does not count what is unavailable of the current as room", [10, 2, 0], has(2, 0), [has(10, 8)], {}],
    ["does not count what is going as available", [10, 2, 1], has(3), [has(9, 10)], { old0: 6 }],
    ["makes a current set smaller that is too large", [5, 2, 2], has(9), [], { current: 5 }],
    ["of nothing takes all", [0, 0, 0], has(0), [has(3, 3), has(2, 0)], { old0: 0, old1: 0 }],
  ];
  it.each(cases)("%s", (_what, [replicas, maxSurge, maxUnavailable], current, old, plan) => {
    const sets = {
      current: testSet("current", current),
      old: old.map((parts, at) => testSet(`old${at}`, { createdMs: at * 1_000, ...parts })),
    };
    const scalings = planRollingUpdate({ replicas, maxSurge, maxUnavailable }, sets);
    expect(Object.fromEntries(scalings.map(({ set, replicas }) => [set.metadata.name, replicas]))).toEqual(plan);
  });
});
