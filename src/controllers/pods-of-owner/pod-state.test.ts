import { describe, expect, it } from "vitest";
import { isActive, isAvailable, isTerminating, msUntilAvailable, msUntilNextAvailable } from "./pod-state.ts";
import { type TestPod, testPod } from "./pods.testing.ts";

const NOW = 100_000;

describe("whether a pod counts", () => {
  const cases: [what: string, pod: TestPod, active: boolean, terminating: boolean][] = [
    ["one that waits", { phase: "Pending" }, true, false],
    ["one that runs", { phase: "Running" }, true, false],
    ["one on a silent node", { phase: "Unknown" }, true, false],
    ["one that succeeded", { phase: "Succeeded" }, false, false],
    ["one that failed", { phase: "Failed" }, false, false],
    ["one that was told to end", { phase: "Running", ending: true }, false, true],
    ["one that was told to end and has", { phase: "Failed", ending: true }, false, false],
  ];
  it.each(cases)("%s", (_what, parts, active, terminating) => {
    expect([isActive(testPod(parts)), isTerminating(testPod(parts))]).toEqual([active, terminating]);
  });
});

describe("when a pod is available", () => {
  const cases: [what: string, pod: TestPod, minReadySeconds: number, leftMs: number | undefined][] = [
    ["not ready", {}, 0, undefined],
    ["ready, and no time asked for", { readySinceMs: NOW }, 0, 0],
    ["ready for too short a time", { readySinceMs: NOW - 3_000 }, 10, 7_000],
    ["ready for exactly the time", { readySinceMs: NOW - 10_000 }, 10, 0],
    ["ready for longer", { readySinceMs: NOW - 50_000 }, 10, 0],
    ["ready in the future", { readySinceMs: NOW + 1_000 }, 10, 11_000],
    ["a negative time asked for", { readySinceMs: NOW }, -5, 0],
  ];
  it.each(cases)("%s", (_what, parts, minReadySeconds, leftMs) => {
    expect(msUntilAvailable(testPod(parts), minReadySeconds, NOW)).toBe(leftMs);
    expect(isAvailable(testPod(parts), minReadySeconds, NOW)).toBe(leftMs === 0);
  });

  it("a pod that is ready but does not say since when is available at once or never", () => {
    const pod = testPod({ readySinceMs: NOW });
    pod.status.conditions![0]!.lastTransitionTime = null;
    expect(isAvailable(pod, 0, NOW)).toBe(true);
    expect(msUntilAvailable(pod, 10, NOW)).toBeUndefined();
  });

  it("the next of several is the one that has waited longest", () => {
    const pods = [NOW - 9_000, NOW - 3_000, NOW - 20_000].map((readySinceMs) => testPod({ readySinceMs }));
    expect(msUntilNextAvailable([...pods, testPod()], 10, NOW)).toBe(1_000);
    expect(msUntilNextAvailable([pods[2]!, testPod()], 10, NOW)).toBeUndefined();
  });
});
