import { describe, expect, it } from "vitest";
import { type TestPod, testPod } from "./pods.testing.ts";
import { rankForDeletion } from "./rank-pods.ts";

const COST = "example.com/cost";
const NOW = 1_000_000_000;
const HOUR = 3_600_000;

const ranked = (pods: TestPod[], related: TestPod[] = []) =>
  rankForDeletion(
    pods.map((parts, at) => testPod({ name: `p${at}`, ...parts })),
    { nowMs: NOW, deletionCostAnnotation: COST, related: related.map((parts) => testPod(parts)) },
  ).map(({ metadata }) => metadata.name);

const running = { nodeName: "n", phase: "Running", readySinceMs: NOW - HOUR } as const;
const cost = (text: string) => ({ ...running, annotations: { [COST]: text } });

describe("of two pods, the second one goes first", () => {
  const cases: [why: string, first: TestPod, second: TestPod][] = [
    ["it has no node", { ...running, readySinceMs: NOW }, { phase: "Running", readySinceMs: NOW - HOUR }],
    ["it waits", { nodeName: "n", phase: "Running" }, { nodeName: "n", phase: "Pending" }],
    ["its node is silent", { nodeName: "n", phase: "Running" }, { nodeName: "n", phase: "Unknown" }],
    [
      "it waits and the other's node is silent",
      { nodeName: "n", phase: "Unknown" },
      { nodeName: "n", phase: "Pending" },
    ],
    ["it is not ready", running, { nodeName: "n", phase: "Running" }],
    ["it costs less", cost("10"), cost("9")],
    ["it costs nothing", cost("1"), running],
    ["it costs less than nothing", running, cost("-1")],
    ["what it costs cannot be read", cost("1"), cost("01")],
    ["what it costs is too much to say", cost("1"), cost("2147483648")],
    ["it became ready later", running, { ...running, readySinceMs: NOW - 1_000 }],
    ["it restarts more", running, { ...running, restarts: 3 }],
    ["its sidecars restart more", { ...running, sidecarRestarts: 1 }, { ...running, sidecarRestarts: 3 }],
    ["it is younger", running, { ...running, createdMs: NOW - 1_000 }],
  ];
  it.each(cases)("because %s", (_why, first, second) => {
    expect(ranked([first, second])).toEqual(["p1", "p0"]);
    expect(ranked([second, first])).toEqual(["p0", "p1"]);
  });
});

it("earlier reasons outweigh later ones", () => {
  expect(ranked([{ ...cost("-5"), restarts: 9 }, { nodeName: "n", phase: "Pending" }, { phase: "Pending" }])).toEqual([
    "p2",
    "p1",
    "p0",
  ]);
});

it("pods that stand together go before one that stands alone", () => {
  const on = (nodeName: string): TestPod => ({ ...running, nodeName });
  const related = [on("a"), on("b"), on("b"), { ...on("a"), phase: "Failed" } as const, { ...on("a"), ending: true }];
  expect(ranked([on("a"), on("b")], related)).toEqual(["p1", "p0"]);
});

it("ages in the same power of two are equal, and the uid decides", () => {
  const aged = (uid: string, ageMs: number): TestPod => ({ ...running, uid, readySinceMs: NOW - ageMs });
  // 2^41 ns are 2199 s, 2^42 ns 4398 s.
  expect(ranked([aged("b", 2_300_000), aged("a", 4_300_000)])).toEqual(["p1", "p0"]);
  expect(ranked([aged("b", 2_100_000), aged("a", 4_300_000)])).toEqual(["p0", "p1"]);
});
