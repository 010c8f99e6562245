import { describe, expect, it } from "vitest";
import type { Pod } from "../../kinds/core/pod.ts";
import { givesTime, shutdownGroups, shutdownSeconds } from "./shutdown-order.ts";

const pods = [0, 5, 1_000, 2_000_000_000, -3].map((priority) => ({ pod: { spec: { priority } } as Pod }));
const priorities = (settings: Parameters<typeof shutdownGroups>[1]) =>
  shutdownGroups(pods, settings).map((group) => [
    group.graceSeconds,
    ...group.pods.map(({ pod }) => pod.spec.priority),
  ]);

describe("when the machine shuts down", () => {
  it("critical pods end last, with the time that is theirs", () => {
    const settings = { totalSeconds: 30, criticalSeconds: 10, byPriority: [] };
    expect(priorities(settings)).toEqual([
      [20, 0, 5, 1_000, -3],
      [10, 2_000_000_000],
    ]);
    expect(shutdownSeconds(settings)).toBe(30);
  });

  it("pods end by their priority, where there is a time for each", () => {
    const byPriority = [
      { priority: 100, shutdownGracePeriodSeconds: 5 },
      { priority: 0, shutdownGracePeriodSeconds: 60 },
    ];
    expect(priorities({ totalSeconds: 0, criticalSeconds: 0, byPriority })).toEqual([
      [60, 0, 5, -3],
      [5, 1_000, 2_000_000_000],
    ]);
  });

  it("pods get no time where there is none", () => {
    expect(givesTime({ totalSeconds: 0, criticalSeconds: 0, byPriority: [] })).toBe(false);
  });
});
