import { describe, expect, it } from "vitest";
import type { HPAScalingRules } from "../../kinds/autoscaling/horizontal-pod-autoscaler/v2-schema.ts";
import { limitScaling, type ScalingRequest } from "./limit-scaling.ts";
import { ScalingHistory } from "./scaling-history.ts";

const NOW = 10_000_000;

interface Past {
  /** What was recommended, and how many seconds ago. */
  readonly recommended?: [replicas: number, secondsAgo: number][];
  readonly scaled?: [added: number, secondsAgo: number][];
}

function limited(request: Partial<ScalingRequest>, { recommended = [], scaled = [] }: Past = {}) {
  const history = new ScalingHistory();
  for (const [replicas, ago] of recommended) history.recommend(replicas, NOW - ago * 1_000);
  for (const [added, ago] of scaled) history.scaled(added, NOW - ago * 1_000);
  const whole = {
    current: 10,
    desired: 10,
    min: 1,
    max: 1_000,
    behavior: undefined,
    downWindowSeconds: 300,
    ...request,
  };
  const { replicas, steadied, limit } = limitScaling(whole, history, NOW);
  return [replicas, steadied.reason, limit.reason];
}

describe("without a behavior", () => {
  const cases: [what: string, request: Partial<ScalingRequest>, past: Past, result: unknown[]][] = [
    ["what is asked for is done", { desired: 15 }, {}, [15, "ReadyForNewScale", "DesiredWithinRange"]],
    ["no more than twice as many in one step", { desired: 30 }, {}, [20, "ReadyForNewScale", "ScaleUpLimit"]],
    ["but up to four at once", { current: 1, desired: 30 }, {}, [4, "ReadyForNewScale", "ScaleUpLimit"]],
    ["no more than the most", { desired: 18, max: 15 }, {}, [15, "ReadyForNewScale", "TooManyReplicas"]],
    ["no fewer than the least", { desired: 1, min: 3 }, {}, [3, "ReadyForNewScale", "TooFewReplicas"]],
    [
      "down only to the highest wish of five minutes",
      { desired: 2 },
      {
        recommended: [
          [9, 400],
          [7, 200],
          [5, 100],
        ],
      },
      [7, "ScaleDownStabilized", "DesiredWithinRange"],
    ],
    [
      "or of the time that flags say",
      { desired: 2, downWindowSeconds: 150 },
      {
        recommended: [
          [7, 200],
          [5, 100],
        ],
      },
      [5, "ScaleDownStabilized", "DesiredWithinRange"],
    ],
    [
      "up whatever was wished before",
      { desired: 15 },
      { recommended: [[3, 100]] },
      [15, "ReadyForNewScale", "DesiredWithinRange"],
    ],
  ];
  it.each(cases)("%s", (_what, request, past, result) => {
    expect(limited(request, past)).toEqual(result);
  });
});

describe("with a behavior", () => {
  const rules = (
    policies: [type: "Pods" | "Percent", value: number, periodSeconds: number][],
    more: Omit<HPAScalingRules, "policies"> = {},
  ): HPAScalingRules => ({
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: policies.map(([type, value, periodSeconds]) => ({ type, value, periodSeconds })),
    ...more,
  });
  const free = rules([["Percent", 1_000, 15]]);
  const all = rules([["Percent", 100, 15]]);
  type Row = [
    what: string,
    request: Partial<ScalingRequest>,
    up: HPAScalingRules,
    down: HPAScalingRules,
    past: Past,
    result: unknown[],
  ];
  const ready = "ReadyForNewScale";
  const cases: Row[] = [
    ["pods per period", { desired: 30 }, rules([["Pods", 4, 60]]), all, {}, [14, ready, "ScaleUpLimit"]],
    [
      "percent per period, rounded up",
      { current: 3, desired: 30 },
      rules([["Percent", 10, 60]]),
      all,
      {},
      [4, ready, "ScaleUpLimit"],
    ],
    [
      "what was added in the period counts",
      { desired: 30 },
      rules([["Pods", 4, 60]]),
      all,
      { scaled: [[3, 30]] },
      [11, ready, "ScaleUpLimit"],
    ],
    [
      "what was added before does not",
      { desired: 30 },
      rules([["Pods", 4, 60]]),
      all,
      { scaled: [[3, 90]] },
      [14, ready, "ScaleUpLimit"],
    ],
    [
      "what was taken in the period counts too",
      { desired: 30 },
      rules([["Pods", 4, 60]]),
      all,
      { scaled: [[-5, 30]] },
      [19, ready, "ScaleUpLimit"],
    ],
    [
      "never below what there is",
      { desired: 30 },
      rules([["Pods", 4, 60]]),
      all,
      { scaled: [[9, 30]] },
      [10, ready, "ScaleUpLimit"],
    ],
    [
      "the largest of several",
      { desired: 90 },
      rules([
        ["Pods", 4, 60],
        ["Percent", 100, 60],
      ]),
      all,
      {},
      [20, ready, "ScaleUpLimit"],
    ],
    [
      "the smallest when asked",
      { desired: 90 },
      rules(
        [
          ["Pods", 4, 60],
          ["Percent", 100, 60],
        ],
        { selectPolicy: "Min" },
      ),
      all,
      {},
      [14, ready, "ScaleUpLimit"],
    ],
    ["never up", { desired: 30 }, rules([], { selectPolicy: "Disabled" }), all, {}, [10, ready, "ScaleUpLimit"]],
    ["no more than the most", { desired: 30, max: 12 }, free, all, {}, [12, ready, "TooManyReplicas"]],
    ["down by pods", { desired: 1 }, free, rules([["Pods", 2, 60]]), {}, [8, ready, "ScaleDownLimit"]],
    [
      "down by percent, rounded down",
      { desired: 1 },
      free,
      rules([["Percent", 25, 60]]),
      {},
      [7, ready, "ScaleDownLimit"],
    ],
    [
      "down by the largest of several",
      { desired: 1 },
      free,
      rules([
        ["Pods", 2, 60],
        ["Percent", 50, 60],
      ]),
      {},
      [5, ready, "ScaleDownLimit"],
    ],
    [
      "down by the smallest when asked",
      { desired: 1 },
      free,
      rules(
        [
          ["Pods", 2, 60],
          ["Percent", 50, 60],
        ],
        { selectPolicy: "Min" },
      ),
      {},
      [8, ready, "ScaleDownLimit"],
    ],
    ["never down", { desired: 1 }, free, rules([], { selectPolicy: "Disabled" }), {}, [10, ready, "ScaleDownLimit"]],
    ["no fewer than the least", { desired: 1, min: 4 }, free, all, {}, [4, ready, "TooFewReplicas"]],
    [
      "up only to the lowest wish of the window",
      { desired: 20 },
      { ...free, stabilizationWindowSeconds: 120 },
      all,
      {
        recommended: [
          [12, 60],
          [5, 150],
        ],
      },
      [12, "ScaleUpStabilized", "DesiredWithinRange"],
    ],
    [
      "down only to the highest wish of the window",
      { desired: 2 },
      free,
      { ...all, stabilizationWindowSeconds: 120 },
      {
        recommended: [
          [8, 60],
          [9, 150],
        ],
      },
      [8, "ScaleDownStabilized", "DesiredWithinRange"],
    ],
    [
      "down after five minutes where no window is given",
      { desired: 2 },
      free,
      { selectPolicy: "Max", policies: all.policies ?? [] },
      { recommended: [[8, 200]] },
      [8, "ScaleDownStabilized", "DesiredWithinRange"],
    ],
    [
      "between both windows it stays",
      { desired: 10 },
      { ...free, stabilizationWindowSeconds: 120 },
      { ...all, stabilizationWindowSeconds: 120 },
      {
        recommended: [
          [5, 60],
          [15, 30],
        ],
      },
      [10, ready, "DesiredWithinRange"],
    ],
  ];
  it.each(cases)("%s", (_what, request, scaleUp, scaleDown, past, result) => {
    expect(limited({ ...request, behavior: { scaleUp, scaleDown } }, past)).toEqual(result);
  });
});

it("what lies more than an hour back is forgotten", () => {
  const history = new ScalingHistory();
  history.recommend(9, 0);
  history.recommend(3, 3_600_001);
  expect(history.recommendations).toEqual([{ replicas: 3, atMs: 3_600_001 }]);
});
