// How long pods stay. Requirements: document 3, "States and transitions".

import { describe, expect, it } from "vitest";
import { Evictions } from "./evictions.ts";
import { type Taint, toleratedMs } from "./tolerated-time.ts";

const gone: Taint = { key: "gone", value: "x", effect: "NoExecute" };
type Tolerations = Parameters<typeof toleratedMs>[0];

describe("a taint is tolerated", () => {
  const cases: [string, Tolerations, ms: number][] = [
    ["not at all without tolerations", undefined, 0],
    ["not by one for another key", [{ key: "other", operator: "Exists" }], 0],
    ["not by one for another effect", [{ key: "gone", operator: "Exists", effect: "NoSchedule" }], 0],
    ["not by one for another value", [{ key: "gone", value: "y" }], 0],
    ["for ever by key and value", [{ key: "gone", operator: "Equal", value: "x" }], Number.POSITIVE_INFINITY],
    ["for ever by the key alone", [{ key: "gone", operator: "Exists" }], Number.POSITIVE_INFINITY],
    ["for ever by one for everything", [{ operator: "Exists" }], Number.POSITIVE_INFINITY],
    ["for a time", [{ key: "gone", operator: "Exists", tolerationSeconds: 30 }], 30_000],
    ["not for less than no time", [{ key: "gone", operator: "Exists", tolerationSeconds: -5 }], 0],
    [
      "as the first that fits says",
      [{ key: "gone", operator: "Exists", tolerationSeconds: 9 }, { operator: "Exists" }],
      9_000,
    ],
  ];
  it.each(cases)("%s", (_what, tolerations, ms) => {
    expect(toleratedMs(tolerations, gone)).toBe(ms);
  });
});

describe("a pod under taints", () => {
  const pod = (taints: Taint[], tolerations: Tolerations) => ({ key: "n/p", uid: "u", taints, tolerations });
  const soon: Tolerations = [
    { key: "gone", operator: "Exists", tolerationSeconds: 30 },
    { key: "sick", operator: "Exists", tolerationSeconds: 5 },
  ];
  const sick: Taint = { key: "sick", effect: "NoExecute" };

  it("goes when the first of them is no longer tolerated, each counted from when it came", () => {
    const evictions = new Evictions();
    expect(evictions.judge(pod([gone], soon), () => 0)).toEqual({ type: "go", atMs: 30_000 });
    expect(evictions.judge(pod([gone, sick], soon), () => 10_000)).toEqual({ type: "go", atMs: 15_000 });
    expect(
      evictions.judge(pod([gone], soon), () => 20_000),
      "not anew",
    ).toEqual({ type: "go", atMs: 30_000 });
    expect(evictions.judge(pod([], soon), () => 0)).toEqual({ type: "stay", cancelled: true });
    expect(evictions.judge(pod([], soon), () => 0)).toEqual({ type: "stay", cancelled: false });
  });

  it("that is another one of the same name starts anew", () => {
    const evictions = new Evictions();
    evictions.judge(pod([gone], soon), () => 0);
    expect(evictions.judge({ ...pod([gone], soon), uid: "v" }, () => 9_000)).toEqual({ type: "go", atMs: 39_000 });
  });
});
