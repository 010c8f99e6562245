// What a set does next: the orders that upstream's tests hold it to.

import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { StatefulSet } from "../../kinds/apps/stateful-set.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { namesFor } from "../../meta/names.ts";
import { planStatefulSet } from "./plan-stateful-set.ts";
import { NOW_MS, setPod, testSet } from "./stateful-set.testing.ts";

const PARALLEL = { podManagementPolicy: "Parallel" as const };

function plan(
  spec: Partial<StatefulSet["spec"]>,
  pods: readonly Stored<Pod>[],
  more: { stale?: number[]; set?: Partial<StatefulSet["status"]> } = {},
) {
  const set = testSet(spec, more.set);
  const { template } = set.spec;
  const made = planStatefulSet({
    set,
    pods,
    current: { name: "old", template },
    update: { name: "new", template },
    hasStaleClaim: (ordinal) => more.stale?.includes(ordinal) === true,
    names: namesFor("kubernetes"),
    nowMs: NOW_MS,
  });
  return {
    create: made.create.map(({ ordinal, revision }) => `${ordinal}:${revision}`),
    delete: made.delete.map(({ metadata }) => metadata.name),
  };
}

describe("a set in order", () => {
  const cases: [
    what: string,
    spec: Partial<StatefulSet["spec"]>,
    pods: Stored<Pod>[],
    create: string[],
    gone: string[],
  ][] = [
    ["begins with the first", {}, [], ["0:new"], []],
    ["begins nothing where a count below zero slipped in", { replicas: -3 }, [], [], []],
    ["goes on when that is ready", {}, [setPod(0)], ["1:new"], []],
    ["waits while it is not", {}, [setPod(0, { ready: false })], [], []],
    ["waits while it ends", {}, [setPod(0, { ending: true })], [], []],
    [
      "waits until it has been ready for long enough",
      { minReadySeconds: 60 },
      [setPod(0, { readySinceMs: NOW_MS - 30_000 })],
      [],
      [],
    ],
    ["then goes on", { minReadySeconds: 60 }, [setPod(0, { readySinceMs: NOW_MS - 60_000 })], ["1:new"], []],
    ["fills a gap before it goes on", {}, [setPod(0), setPod(2)], ["1:new"], []],
    [
      "deletes what has failed, to make it again",
      {},
      [setPod(0), setPod(1, { phase: "Failed" }), setPod(2)],
      [],
      ["web-1"],
    ],
    ["deletes what has ended well too", {}, [setPod(0, { phase: "Succeeded" })], [], ["web-0"]],
    ["waits for what has failed to go", {}, [setPod(0, { phase: "Failed", ending: true })], [], []],
    ["removes the highest number first", { replicas: 1 }, [setPod(0), setPod(1), setPod(2)], [], ["web-2"]],
    ["waits for that to go", { replicas: 1 }, [setPod(0), setPod(1), setPod(2, { ending: true })], [], []],
    [
      "removes nothing while one that stays is not ready",
      { replicas: 1 },
      [setPod(0, { ready: false }), setPod(1)],
      [],
      [],
    ],
    [
      "removes nothing in trouble while a lower one is too",
      { replicas: 1 },
      [setPod(0), setPod(1, { ready: false }), setPod(2, { ready: false })],
      [],
      [],
    ],
    [
      "removes the only one in trouble",
      { replicas: 1 },
      [setPod(0), setPod(1), setPod(2, { ready: false })],
      [],
      ["web-2"],
    ],
    ["numbers from the start that it is given", { ordinals: { start: 5 } }, [setPod(5)], ["6:new"], []],
    ["removes numbers below it", { ordinals: { start: 5 }, replicas: 1 }, [setPod(0), setPod(5)], [], ["web-0"]],
    ["without pods wants none", { replicas: 0 }, [], [], []],
    ["creates one at a time, however many it wants", { replicas: 2_000_000_000 }, [], ["0:new"], []],
  ];
  it.each(cases)("%s", (_what, spec, pods, create, gone) => {
    expect(plan(spec, pods)).toEqual({ create, delete: gone });
  });

  it("waits for claims that are about to go", () => {
    expect(plan({}, [setPod(0)], { stale: [1] })).toEqual({ create: [], delete: [] });
  });

  it("mends pods that do not say who they are, and looks after the claims of those that wait", () => {
    const set = testSet();
    const { template } = set.spec;
    const revision = { name: "new", template };
    const pods = [
      setPod(0, { labels: { "statefulset.kubernetes.io/pod-name": "other" } }),
      setPod(1, { phase: "Pending", ready: false }),
    ];
    const made = planStatefulSet({
      set,
      pods,
      current: revision,
      update: revision,
      hasStaleClaim: () => false,
      names: namesFor("kubernetes"),
      nowMs: NOW_MS,
    });
    expect(made.relabel).toEqual([pods[0]]);
    expect(made.needClaims).toEqual([pods[1]]);
  });
});

describe("a parallel set", () => {
  it("creates all at once, some hundred in a turn", () => {
    expect(plan(PARALLEL, [setPod(1, { ready: false })])).toEqual({ create: ["0:new", "2:new"], delete: [] });
    expect(plan({ ...PARALLEL, replicas: 2_000_000_000 }, []).create).toHaveLength(500);
  });

  it("deletes all at once", () => {
    const pods = [setPod(0, { ready: false }), setPod(1), setPod(2, { ending: true }), setPod(3, { ready: false })];
    expect(plan({ ...PARALLEL, replicas: 1 }, pods).delete).toEqual(["web-3", "web-1"]);
  });

  it("creates what it can while some claims are about to go", () => {
    expect(plan(PARALLEL, [], { stale: [1] }).create).toEqual(["0:new", "2:new"]);
  });
});

describe("an update", () => {
  const old = (ordinal: number, more = {}) => setPod(ordinal, { revision: "old", ...more });
  const strategy = (rollingUpdate: NonNullable<StatefulSet["spec"]["updateStrategy"]["rollingUpdate"]>) => ({
    updateStrategy: { type: "RollingUpdate" as const, rollingUpdate },
  });
  const onDelete = { updateStrategy: { type: "OnDelete" as const } };
  const cases: [
    what: string,
    spec: Partial<StatefulSet["spec"]>,
    pods: Stored<Pod>[],
    create: string[],
    gone: string[],
  ][] = [
    ["begins with the highest number", {}, [old(0), old(1), old(2)], [], ["web-2"]],
    ["goes on when the new one is ready", {}, [old(0), old(1), setPod(2)], [], ["web-1"]],
    ["waits while it is not", {}, [old(0), old(1), setPod(2, { ready: false })], [], []],
    ["waits while the old one ends", {}, [old(0), old(1), old(2, { ending: true })], [], []],
    ["makes the new one in its place", {}, [old(0), old(1)], ["2:new"], []],
    ["is over when all are new", {}, [setPod(0), setPod(1), setPod(2)], [], []],
    ["leaves numbers below the partition", strategy({ partition: 2 }), [old(0), old(1), setPod(2)], [], []],
    ["makes those below it of the old revision", strategy({ partition: 2 }), [old(0)], ["1:old"], []],
    ["makes others of the new one", strategy({ partition: 2 }), [old(0), old(1)], ["2:new"], []],
    [
      "counts the partition from the first number",
      { ...strategy({ partition: 1 }), ordinals: { start: 4 } },
      [old(4), old(5), setPod(6)],
      [],
      ["web-5"],
    ],
    ["waits for somebody to delete pods where that is the strategy", onDelete, [old(0), old(1), old(2)], [], []],
    ["then makes the new one", onDelete, [old(0), old(2)], ["1:new"], []],
    ["goes one by one in a parallel set too", PARALLEL, [old(0), old(1), old(2)], [], ["web-2"]],
    [
      "takes as many as may be missing",
      strategy({ partition: 0, maxUnavailable: 2 }),
      [old(0), old(1), old(2)],
      [],
      ["web-2", "web-1"],
    ],
    [
      "counts those that are missing already",
      { ...PARALLEL, ...strategy({ partition: 0, maxUnavailable: 2 }) },
      [old(0), old(1), setPod(2, { ready: false })],
      [],
      ["web-1"],
    ],
    [
      "of a small share takes at least one",
      { ...strategy({ partition: 0, maxUnavailable: "10%" }) },
      [old(0), old(1), old(2)],
      [],
      ["web-2"],
    ],
    [
      "of a share stays above the partition",
      { ...strategy({ partition: 2, maxUnavailable: "100%" }) },
      [old(0), old(1), old(2)],
      [],
      ["web-2"],
    ],
  ];
  it.each(cases)("%s", (_what, spec, pods, create, gone) => {
    expect(plan(spec, pods)).toEqual({ create, delete: gone });
  });

  it("of a set that says nothing of partitions makes the first ones old, as many as there are", () => {
    const spec = { updateStrategy: { type: "RollingUpdate" as const } };
    expect(plan(spec, [], { set: { currentReplicas: 1 } }).create).toEqual(["0:old"]);
    expect(plan(spec, [old(0)], { set: { currentReplicas: 1 } }).create).toEqual(["1:new"]);
  });

  it("does not delete twice what has failed and is old", () => {
    expect(plan(PARALLEL, [old(0), old(1), old(2, { phase: "Failed" })]).delete).toEqual(["web-2"]);
  });
});
