import { describe, expect, it } from "vitest";
import type { PodDisruptionBudget } from "../../kinds/policy/pod-disruption-budget.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type TestPod, testPod } from "../pods-of-owner/pods.testing.ts";
import { failedStatus, healthyCounts, judgeBudget, needsScale } from "./budget.ts";
import { msUntilStale } from "./stale-disruption.ts";

const NOW = 1_000_000;

describe("how many pods must be healthy", () => {
  type Row = [spec: PodDisruptionBudget["spec"], pods: number, scale: number, expected: number, desired: number];
  const cases: Row[] = [
    [{ minAvailable: 3 }, 5, 0, 5, 3],
    [{ minAvailable: 0 }, 5, 0, 5, 0],
    [{ minAvailable: "28%" }, 3, 7, 7, 2],
    [{ minAvailable: "30%" }, 3, 10, 10, 3],
    [{ minAvailable: "31%" }, 3, 10, 10, 4],
    [{ minAvailable: "100%" }, 3, 3, 3, 3],
    [{ maxUnavailable: 1 }, 3, 4, 4, 3],
    [{ maxUnavailable: 9 }, 3, 4, 4, 0],
    [{ maxUnavailable: "30%" }, 3, 7, 7, 4],
    [{ maxUnavailable: "0%" }, 3, 7, 7, 7],
    [{}, 3, 7, 0, 0],
  ];
  it.each(cases)(
    "by %j of %d pods, of which controllers want %d",
    (spec, pods, scale, expectedPods, desiredHealthy) => {
      expect(healthyCounts(spec, pods, scale)).toEqual({ expectedPods, desiredHealthy });
    },
  );

  it.each([
    [{ minAvailable: 3 }, false],
    [{ minAvailable: "3%" }, true],
    [{ maxUnavailable: 3 }, true],
    [{}, false],
  ])("%j asks controllers: %s", (spec, asks) => {
    expect(needsScale(spec)).toBe(asks);
  });
});

function budgetWith(status: Partial<PodDisruptionBudget["status"]> = {}): PodDisruptionBudget {
  return {
    metadata: { name: "b", generation: 3 },
    spec: {},
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...status },
  };
}

describe("how many pods may go", () => {
  const healthy: TestPod = { readySinceMs: 0 };
  const cases: [what: string, pods: TestPod[], expected: number, desired: number, healthy: number, allowed: number][] =
    [
      ["those beyond what must stay", [healthy, healthy, healthy], 3, 2, 3, 1],
      ["none when too few are healthy", [healthy, {}, {}], 3, 2, 1, 0],
      ["none when just enough are", [healthy, healthy], 2, 2, 2, 0],
      ["none without pods", [], 0, 0, 0, 0],
      ["none when none are expected", [healthy], 0, 0, 1, 0],
      ["none that ends counts as healthy", [healthy, { ...healthy, ending: true }], 2, 0, 1, 1],
    ];
  it.each(cases)("%s", (_what, pods, expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed) => {
    const named = pods.map((parts, at) => testPod({ name: `p${at}`, ...parts }));
    const { status } = judgeBudget(budgetWith(), named, { expectedPods, desiredHealthy }, NOW);
    expect(status).toMatchObject({ currentHealthy, disruptionsAllowed, observedGeneration: 3 });
    expect(status.conditions).toEqual([
      {
        type: "DisruptionAllowed",
        status: disruptionsAllowed > 0 ? "True" : "False",
        reason: disruptionsAllowed > 0 ? "SufficientPods" : "InsufficientPods",
        message: "",
        observedGeneration: 3,
        lastTransitionTime: timeOfMs(NOW),
      },
    ]);
  });

  it("counts pods whose eviction was granted as gone, until they are late", () => {
    const granted = { a: timeOfMs(NOW - 20_000), b: timeOfMs(NOW - 130_000), c: timeOfMs(NOW), gone: timeOfMs(NOW) };
    const pods = [
      testPod({ name: "a", ...healthy }),
      testPod({ name: "b", ...healthy }),
      testPod({ name: "c", ...healthy, ending: true }),
      testPod({ name: "d", ...healthy }),
    ];
    const counts = { expectedPods: 4, desiredHealthy: 1 };
    const { status, notDeleted, recheckAfterMs } = judgeBudget(
      budgetWith({ disruptedPods: granted }),
      pods,
      counts,
      NOW,
    );
    expect(status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1, disruptedPods: { a: granted.a } });
    expect(notDeleted.map(({ metadata }) => metadata.name)).toEqual(["b"]);
    expect(recheckAfterMs).toBe(100_000);
  });

  it("keeps the time since when it may, and allows nothing once nobody can say", () => {
    const counts = { expectedPods: 1, desiredHealthy: 0 };
    const first = judgeBudget(budgetWith(), [testPod(healthy)], counts, 0).status;
    const second = judgeBudget(budgetWith(first), [testPod(healthy)], counts, NOW).status;
    expect(second).toEqual(first);
    expect(failedStatus(budgetWith(first), "no", NOW)).toEqual({
      ...first,
      disruptionsAllowed: 0,
      conditions: [
        {
          ...first.conditions![0],
          status: "False",
          reason: "SyncFailed",
          message: "no",
          lastTransitionTime: timeOfMs(NOW),
        },
      ],
    });
  });
});

describe("the word that a pod is about to go", () => {
  const marked = (parts: TestPod, condition: { status?: string; reason?: string; atMs?: number } = {}) => {
    const pod = testPod(parts);
    const { status = "True", reason = "EvictionByEvictionAPI", atMs = NOW - 30_000 } = condition;
    pod.status.conditions = [
      { type: "DisruptionTarget", status, reason, lastProbeTime: null, lastTransitionTime: timeOfMs(atMs) },
    ];
    return pod;
  };
  const cases: [what: string, pod: ReturnType<typeof marked>, leftMs: number | undefined][] = [
    ["holds for a time", marked({}), 90_000],
    ["is stale then", marked({}, { atMs: NOW - 120_000 }), 0],
    ["is not stale for pods that end", marked({ ending: true }), undefined],
    ["is not stale for pods that have ended", marked({ phase: "Failed" }), undefined],
    ["is the node's own", marked({}, { reason: "TerminationByKubelet" }), undefined],
    ["was taken back", marked({}, { status: "False" }), undefined],
    ["was never said", testPod(), undefined],
  ];
  it.each(cases)("%s", (_what, pod, leftMs) => {
    expect(msUntilStale(pod, NOW)).toBe(leftMs);
  });
});
