// One pod on every node, and the old ones replaced: upstream's cases.

import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { DaemonSet } from "../../kinds/apps/daemon-set.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { daemonPod, NOW_MS, testSet } from "./daemon-set.testing.ts";
import { nextStatus } from "./daemon-set-status.ts";
import { FailedPods } from "./failed-pods.ts";
import { type DaemonState, type NodeState, planDaemonSet } from "./plan-daemon-set.ts";

const node = (name: string, pods: readonly Stored<Pod>[] = [], more: Partial<NodeState> = {}): NodeState => ({
  name,
  pods,
  shouldRun: true,
  mayStay: true,
  ...more,
});
const state = (
  nodes: readonly NodeState[],
  spec: Partial<DaemonSet["spec"]> = {},
  more: Partial<DaemonState> = {},
): DaemonState => ({
  set: testSet(spec),
  nodes,
  strays: [],
  hash: "new",
  failedWaitMs: () => 0,
  nowMs: NOW_MS,
  ...more,
});
function plan(...args: Parameters<typeof state>) {
  const { create, delete: gone } = planDaemonSet(state(...args));
  return { create, delete: gone.map(({ metadata }) => metadata.name) };
}
const rolling = (rollingUpdate: NonNullable<DaemonSet["spec"]["updateStrategy"]["rollingUpdate"]>) => ({
  updateStrategy: { type: "RollingUpdate" as const, rollingUpdate },
});
const SURGE = rolling({ maxSurge: 1, maxUnavailable: 0 });
const old = (name: string, more = {}) => daemonPod(name, { hash: "old", ...more });
const NEITHER = { shouldRun: false, mayStay: false };
const STAYS = { shouldRun: false, mayStay: true };

describe("every node", () => {
  const cases: [what: string, nodes: NodeState[], create: string[], gone: string[]][] = [
    ["that fits gets a pod", [node("a"), node("b", [daemonPod("p")])], ["a"], []],
    ["that does not loses it", [node("a", [daemonPod("p")], NEITHER)], [], ["p"]],
    ["that keeps new ones away keeps the old", [node("a", [daemonPod("p")], STAYS), node("b", [], STAYS)], [], []],
    ["waits for a pod that ends", [node("a", [daemonPod("p", { ending: true })])], [], []],
    ["loses pods that failed", [node("a", [daemonPod("p", { phase: "Failed" })])], [], ["p"]],
    ["loses pods that ended well", [node("a", [daemonPod("p", { phase: "Succeeded" })])], [], ["p"]],
    [
      "keeps the oldest of several, one that is there before one that waits",
      [
        node("a", [
          daemonPod("young", { createdMs: 9_000 }),
          daemonPod("waits", { nodeName: "" }),
          daemonPod("first", { createdMs: 5_000 }),
        ]),
      ],
      [],
      ["young", "waits"],
    ],
  ];
  it.each(cases)("%s", (_what, nodes, create, gone) => {
    const made = plan(nodes);
    expect({ create: made.create, delete: made.delete.sort() }).toEqual({ create, delete: gone.sort() });
  });

  it("does not get a failed pod replaced without pause", () => {
    const nodes = [node("a", [daemonPod("p", { phase: "Failed" })])];
    expect(planDaemonSet(state(nodes, {}, { failedWaitMs: () => 4_000 }))).toMatchObject({ delete: [], waitMs: 4_000 });
  });

  it("that is gone has no pods that wait for it", () => {
    expect(plan([node("a", [daemonPod("p")])], {}, { strays: [daemonPod("q", { nodeName: "" })] }).delete).toEqual([
      "q",
    ]);
  });

  it("with a surge may have an old and a new one until the new one is available", () => {
    const pair = (newReady: boolean, oldReady = true) => [
      node("a", [old("o", { ready: oldReady }), daemonPod("n", { ready: newReady })]),
    ];
    expect(plan(pair(false), SURGE).delete).toEqual([]);
    expect(plan(pair(true), SURGE).delete).toEqual(["o"]);
    expect(plan(pair(false, false), SURGE).delete).toEqual(["o"]);
    expect(plan([node("a", [old("o"), old("o2", { createdMs: 5_000 })])], SURGE).delete).toEqual(["o2"]);
    expect(plan([node("a", [old("o", { ending: true })])], SURGE).create).toEqual(["a"]);
  });
});

describe("a rolling update", () => {
  const cases: [
    what: string,
    nodes: NodeState[],
    spec: Partial<DaemonSet["spec"]>,
    create: string[],
    gone: string[],
  ][] = [
    [
      "takes as many as may be missing",
      [node("a", [old("a")]), node("b", [old("b")]), node("c", [old("c")])],
      rolling({ maxUnavailable: 2 }),
      [],
      ["a", "b"],
    ],
    [
      "waits while a new one is not ready",
      [node("a", [daemonPod("a", { ready: false })]), node("b", [old("b")])],
      {},
      [],
      [],
    ],
    ["goes on when it is", [node("a", [daemonPod("a")]), node("b", [old("b")])], {}, [], ["b"]],
    [
      "takes what is of no use in any case",
      [node("a", [old("a", { ready: false })]), node("b", [old("b")])],
      {},
      [],
      ["a"],
    ],
    [
      "counts a share of the nodes, and one more",
      [node("a", [old("a")]), node("b", [old("b")]), node("c", [old("c")])],
      rolling({ maxUnavailable: "34%" }),
      [],
      ["a", "b"],
    ],
    [
      "of none missing and none more takes one",
      [node("a", [old("a")]), node("b", [old("b")])],
      rolling({ maxUnavailable: 0, maxSurge: 0 }),
      [],
      ["a"],
    ],
    [
      "waits until a new one has been ready for long enough",
      [node("a", [daemonPod("a", { readySinceMs: NOW_MS - 5_000 })]), node("b", [old("b")])],
      { minReadySeconds: 10 },
      [],
      [],
    ],
    [
      "does not begin where pods have to be deleted by hand",
      [node("a", [old("a")])],
      { updateStrategy: { type: "OnDelete" } },
      [],
      [],
    ],
    ["with a surge makes new ones beside the old", [node("a", [old("a")]), node("b", [old("b")])], SURGE, ["a"], []],
    [
      "with a surge waits for those",
      [node("a", [old("a"), daemonPod("a2", { ready: false })]), node("b", [old("b")])],
      SURGE,
      [],
      [],
    ],
    [
      "with a surge replaces what is of no use beside that",
      [node("a", [old("a", { ready: false })]), node("b", [old("b")])],
      SURGE,
      ["a", "b"],
      [],
    ],
    [
      "with a surge keeps what is misplaced until enough run elsewhere",
      [node("a", [old("a")], STAYS), node("b", [daemonPod("b", { ready: false })])],
      SURGE,
      [],
      [],
    ],
    ["with a surge lets it go then", [node("a", [old("a")], STAYS), node("b", [daemonPod("b")])], SURGE, [], ["a"]],
  ];
  it.each(cases)("%s", (_what, nodes, spec, create, gone) => {
    expect(plan(nodes, spec)).toEqual({ create, delete: gone });
  });

  it("waits until every node has what it needs", () => {
    expect(plan([node("a"), node("b", [old("b")])])).toEqual({ create: ["a"], delete: [] });
  });
});

describe("the status of a daemon set", () => {
  it("counts nodes", () => {
    const nodes = [
      node("a", [daemonPod("a")]),
      node("b", [old("b")]),
      node("c", [daemonPod("c", { ready: false })]),
      node("d"),
      node("e", [daemonPod("e")], STAYS),
      node("f", [], NEITHER),
      node("g", [old("g2", { ready: false, createdMs: 9_000 }), daemonPod("g", { readySinceMs: NOW_MS - 1_000 })]),
    ];
    expect(nextStatus(state(nodes, { minReadySeconds: 5 }), undefined, true)).toEqual({
      desiredNumberScheduled: 5,
      currentNumberScheduled: 4,
      numberMisscheduled: 1,
      numberReady: 3,
      numberAvailable: 2,
      numberUnavailable: 3,
      updatedNumberScheduled: 3,
      observedGeneration: 1,
    });
  });

  it("is nothing new when all is as it was; and names a generation only when that was acted on", () => {
    const set = testSet();
    const first = nextStatus({ ...state([]), set }, undefined, true)!;
    expect(nextStatus({ ...state([]), set: { ...set, status: first } }, undefined, true)).toBeUndefined();
    expect(nextStatus({ ...state([node("a")]), set }, undefined, false)).not.toHaveProperty("observedGeneration");
  });
});

describe("pods that failed on a node", () => {
  it("make the next one wait longer and longer, until another generation or a long time without", () => {
    const failed = new FailedPods();
    const at = (seconds: number) => NOW_MS + seconds * 1_000;
    expect(failed.waitMs("u", 1, "n", at(0))).toBe(0);
    failed.replaced("u", 1, "n", at(0));
    expect(failed.waitMs("u", 1, "n", at(0))).toBe(1_000);
    expect(failed.waitMs("u", 1, "other", at(0))).toBe(0);
    for (const seconds of [1, 3]) failed.replaced("u", 1, "n", at(seconds));
    expect(failed.waitMs("u", 1, "n", at(3))).toBe(4_000);
    for (let i = 0; i < 40; i += 1) failed.replaced("u", 1, "n", at(3));
    expect(failed.waitMs("u", 1, "n", at(3))).toBe(900_000);
    failed.replaced("u", 1, "n", at(10_000));
    expect(failed.waitMs("u", 1, "n", at(10_000))).toBe(1_000);
    expect(failed.waitMs("u", 2, "n", at(10_000))).toBe(0);
  });

  it("are forgotten with their nodes", () => {
    const failed = new FailedPods();
    for (const set of ["u", "v"]) for (const node of ["n", "other"]) failed.replaced(set, 1, node, NOW_MS);
    failed.forgetNode("n");
    for (const set of ["u", "v"]) {
      expect(failed.waitMs(set, 1, "n", NOW_MS)).toBe(0);
      expect(failed.waitMs(set, 1, "other", NOW_MS)).toBe(1_000);
    }
  });
});
