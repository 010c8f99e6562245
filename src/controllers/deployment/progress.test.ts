import { describe, expect, it } from "vitest";
import type { Deployment } from "../../kinds/apps/deployment.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type DeploymentCondition, newCondition, withDeploymentCondition } from "./conditions.ts";
import { availableConditions, countReplicas, failureConditions } from "./deployment-status.ts";
import { type Counts, msUntilDeadline, newSetConditions, pausedConditions, progressConditions } from "./progress.ts";
import { testDeployment, testSet } from "./replica-sets.testing.ts";

const NOW = 1_000_000;
const progressing = (status: "True" | "False" | "Unknown", reason: string, atMs = 0) =>
  newCondition("Progressing", status, reason, "before", atMs);
const counts = (replicas: number, updated: number, ready: number, available: number): Counts => ({
  replicas,
  updatedReplicas: updated,
  readyReplicas: ready,
  availableReplicas: available,
  observedGeneration: 2,
});
const spoken = (conditions: readonly DeploymentCondition[]) => {
  const [condition] = conditions;
  return condition === undefined ? undefined : `${condition.status} ${condition.reason}`;
};

describe("progress", () => {
  type Row = [
    what: string,
    was: DeploymentCondition | undefined,
    before: Counts,
    now: Counts,
    said: string | undefined,
    spec?: Partial<Deployment["spec"]>,
  ];
  const all = counts(10, 10, 10, 10);
  const cases: Row[] = [
    [
      "is made when new pods are made",
      undefined,
      counts(10, 0, 10, 10),
      counts(10, 1, 10, 10),
      "True ReplicaSetUpdated",
    ],
    ["is made when old pods go", undefined, counts(10, 2, 9, 9), counts(9, 2, 9, 9), "True ReplicaSetUpdated"],
    ["is made when pods become ready", undefined, counts(10, 5, 5, 5), counts(10, 5, 6, 5), "True ReplicaSetUpdated"],
    [
      "is made when pods become available",
      undefined,
      counts(10, 5, 6, 5),
      counts(10, 5, 6, 6),
      "True ReplicaSetUpdated",
    ],
    [
      "is none when nothing happens",
      progressing("True", "NewReplicaSetCreated", NOW),
      all,
      counts(10, 9, 10, 10),
      "True NewReplicaSetCreated",
    ],
    [
      "is complete",
      progressing("True", "ReplicaSetUpdated"),
      counts(11, 10, 10, 10),
      all,
      "True NewReplicaSetAvailable",
    ],
    [
      "is complete though it was too late",
      progressing("False", "ProgressDeadlineExceeded"),
      counts(10, 9, 9, 9),
      all,
      "True NewReplicaSetAvailable",
    ],
    [
      "stays complete when pods fail later",
      progressing("True", "NewReplicaSetAvailable"),
      all,
      counts(10, 10, 3, 3),
      "True NewReplicaSetAvailable",
    ],
    [
      "is not complete before the generation is seen",
      progressing("True", "ReplicaSetUpdated", NOW),
      all,
      { ...all, observedGeneration: 1 },
      "True ReplicaSetUpdated",
    ],
    [
      "is too late",
      progressing("True", "ReplicaSetUpdated", NOW - 601_000),
      counts(10, 5, 5, 5),
      counts(10, 5, 5, 5),
      "False ProgressDeadlineExceeded",
    ],
    [
      "is not too late yet",
      progressing("True", "ReplicaSetUpdated", NOW - 600_000),
      counts(10, 5, 5, 5),
      counts(10, 5, 5, 5),
      "True ReplicaSetUpdated",
    ],
    [
      "stays too late",
      progressing("False", "ProgressDeadlineExceeded", NOW),
      counts(10, 5, 5, 5),
      counts(10, 5, 5, 5),
      "False ProgressDeadlineExceeded",
    ],
    [
      "is made again after all",
      progressing("False", "ProgressDeadlineExceeded"),
      counts(10, 5, 5, 5),
      counts(10, 6, 5, 5),
      "True ReplicaSetUpdated",
    ],
    [
      "counts from when it goes on",
      progressing("Unknown", "DeploymentResumed", NOW - 601_000),
      counts(10, 5, 5, 5),
      counts(10, 5, 5, 5),
      "False ProgressDeadlineExceeded",
    ],
    [
      "is nobody's concern without a deadline",
      progressing("True", "ReplicaSetUpdated"),
      all,
      all,
      undefined,
      { progressDeadlineSeconds: 2 ** 31 - 1 },
    ],
  ];
  it.each(cases)("%s", (_what, was, before, now, said, spec = {}) => {
    const change = { before, now, subject: 'ReplicaSet "web-1"' };
    expect(spoken(progressConditions(testDeployment(spec), was === undefined ? [] : [was], change, NOW))).toBe(said);
  });

  it("moves the time of the last word with every step, and that of the transition only with the status", () => {
    const was = progressing("True", "ReplicaSetUpdated", 5_000);
    const change = { before: counts(10, 1, 0, 0), now: counts(10, 2, 0, 0), subject: "it" };
    expect(progressConditions(testDeployment(), [was], change, NOW)).toEqual([
      { ...was, lastUpdateTime: timeOfMs(NOW), message: "it is progressing." },
    ]);
  });
});

describe("the wait for a deadline", () => {
  const cases: [
    what: string,
    condition: DeploymentCondition | undefined,
    spec: Partial<Deployment["spec"]>,
    waitMs: number | undefined,
  ][] = [
    ["is what is left and a second", progressing("True", "ReplicaSetUpdated", NOW - 100_000), {}, 501_000],
    ["is a second when it is over", progressing("True", "ReplicaSetUpdated", NOW - 900_000), {}, 1_000],
    ["is none when it was missed", progressing("False", "ProgressDeadlineExceeded"), {}, undefined],
    ["is none when all is done", progressing("True", "NewReplicaSetAvailable"), {}, undefined],
    ["is none while paused", progressing("Unknown", "DeploymentPaused"), { paused: true }, undefined],
    ["is none without a condition", undefined, {}, undefined],
  ];
  it.each(cases)("%s", (_what, condition, spec, waitMs) => {
    const conditions = condition === undefined ? [] : [condition];
    expect(msUntilDeadline(testDeployment(spec), conditions, counts(10, 5, 5, 5), NOW)).toBe(waitMs);
  });
});

describe("a pause", () => {
  const cases: [what: string, paused: boolean, was: DeploymentCondition | undefined, said: string | undefined][] = [
    ["is said", true, progressing("True", "ReplicaSetUpdated"), "Unknown DeploymentPaused"],
    ["is said of a new one", true, undefined, "Unknown DeploymentPaused"],
    ["is said once", true, progressing("Unknown", "DeploymentPaused"), "Unknown DeploymentPaused"],
    ["ends", false, progressing("Unknown", "DeploymentPaused"), "Unknown DeploymentResumed"],
    [
      "does not hide that it was too late",
      true,
      progressing("False", "ProgressDeadlineExceeded"),
      "False ProgressDeadlineExceeded",
    ],
    ["is nothing for those that are not paused", false, undefined, undefined],
  ];
  it.each(cases)("%s", (_what, paused, was, said) => {
    expect(spoken(pausedConditions(testDeployment({ paused }), was === undefined ? [] : [was], NOW))).toBe(said);
  });
});

describe("a new set", () => {
  it.each([
    ["created", "True NewReplicaSetCreated", "True NewReplicaSetCreated"],
    ["found", "True FoundNewReplicaSet", "True ReplicaSetUpdated"],
    ["refused", "False ReplicaSetCreateError", "False ReplicaSetCreateError"],
  ] as const)("that was %s is told", (type, first, later) => {
    const news = { type, message: "m" };
    expect(spoken(newSetConditions(testDeployment(), [], news, NOW))).toBe(first);
    expect(spoken(newSetConditions(testDeployment(), [progressing("True", "ReplicaSetUpdated")], news, NOW))).toBe(
      later,
    );
    expect(newSetConditions(testDeployment({ progressDeadlineSeconds: 2 ** 31 - 1 }), [], news, NOW)).toEqual([]);
  });
});

describe("the status", () => {
  it("counts what the sets say", () => {
    const sets = {
      current: testSet("new", { replicas: 6, statusReplicas: 5, available: 3 }),
      old: [testSet("old", { replicas: 4, available: 4 })],
    };
    expect(countReplicas(testDeployment({}, { collisionCount: 2 }), sets, false)).toEqual({
      observedGeneration: 2,
      replicas: 9,
      updatedReplicas: 5,
      readyReplicas: 0,
      availableReplicas: 7,
      unavailableReplicas: 3,
      collisionCount: 2,
    });
    expect(
      countReplicas(testDeployment(), { current: undefined, old: [testSet("x", { available: 3 })] }, false),
    ).toMatchObject({
      updatedReplicas: 0,
      unavailableReplicas: 0,
    });
  });

  it.each<[string, (number | undefined)[], boolean, number | undefined]>([
    ["counts pods that end", [2, 1], true, 3],
    ["does not count them while one set does not say", [2, undefined], true, undefined],
    ["leaves them as they were said where nobody asks", [2, 1], false, 7],
  ])("%s", (_, counts, withTerminating, said) => {
    const [first, second] = counts.map((terminatingReplicas, index) => {
      const set = testSet(String(index), {});
      return {
        ...set,
        status: { ...set.status, ...(terminatingReplicas === undefined ? {} : { terminatingReplicas }) },
      };
    });
    const deployment = testDeployment({}, { terminatingReplicas: 7 });
    const sets = { current: first, old: [second!] };
    expect(countReplicas(deployment, sets, withTerminating).terminatingReplicas).toBe(said);
  });

  it.each([
    [8, "True MinimumReplicasAvailable"],
    [7, "False MinimumReplicasUnavailable"],
  ])("with %d available of 10, of which 2 may be missing", (available, said) => {
    const limits = { replicas: 10, maxSurge: 3, maxUnavailable: 2 };
    expect(spoken(availableConditions([], limits, available, NOW))).toBe(said);
  });

  it("says what keeps pods from being created, the current set first, until it is over", () => {
    const failing = (name: string, reason: string) => {
      const set = testSet(name);
      set.status.conditions = [{ type: "ReplicaFailure", status: "True", lastTransitionTime: timeOfMs(0), reason }];
      return set;
    };
    const [old, current] = [failing("old", "Old"), failing("new", "New")];
    expect(spoken(failureConditions([], { current, old: [old] }))).toBe("True New");
    const said = failureConditions([], { current: testSet("new"), old: [old] });
    expect(said).toMatchObject([{ type: "ReplicaFailure", reason: "Old", lastUpdateTime: timeOfMs(0) }]);
    expect(failureConditions(said, { current: testSet("new"), old: [] })).toEqual([]);
  });

  it("keeps a condition whose status and reason are the same as it is", () => {
    const conditions = [progressing("True", "X", 1_000)];
    expect(withDeploymentCondition(conditions, progressing("True", "X", NOW))).toBe(conditions);
    expect(withDeploymentCondition(conditions, progressing("True", "Y", NOW))).toMatchObject([
      { reason: "Y", lastUpdateTime: timeOfMs(NOW), lastTransitionTime: timeOfMs(1_000) },
    ]);
  });
});
