import { describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { machineFacts } from "../node/machine.testing.ts";
import { PressureWatch } from "./pressure-watch.ts";
import { type EvictionConfig, thresholdsOf } from "./signals.ts";

const GI = 2 ** 30;

function watched(more: Partial<EvictionConfig>, transitionMs = 0) {
  const clock = new FakeClock(0);
  let memoryAvailableBytes = 6 * GI;
  let changes = 0;
  const watch = new PressureWatch({
    clock,
    thresholds: thresholdsOf({
      evictionHard: {},
      evictionSoft: {},
      evictionSoftGracePeriod: {},
      evictionMinimumReclaim: {},
      enforceNodeAllocatable: [],
      ...more,
    }),
    transitionMs,
    measure: async () => machineFacts({ memoryAvailableBytes }),
    podsMemory: async () => undefined,
    onChange: () => {
      changes += 1;
    },
  });
  return {
    watch,
    changes: () => changes,
    /** After some time, with so much memory left: what is acted on, and what is reported. */
    async later(ms: number, available: number) {
      await clock.advance(ms);
      memoryAvailableBytes = available;
      const { due } = await watch.look();
      return { due: due.length, reported: [...watch.reported()] };
    },
  };
}

describe("a node that runs short", () => {
  it("acts on a hard threshold at once", async () => {
    const { later } = watched({ evictionHard: { "memory.available": "1Gi" } });
    expect(await later(0, 2 * GI)).toEqual({ due: 0, reported: [] });
    expect(await later(10_000, GI / 2)).toEqual({ due: 1, reported: ["memory"] });
    expect(await later(10_000, 2 * GI)).toEqual({ due: 0, reported: [] });
  });

  it("reports a soft threshold at once and acts on it when it was met for its grace period without a break", async () => {
    const { later } = watched({
      evictionSoft: { "memory.available": "1Gi" },
      evictionSoftGracePeriod: { "memory.available": "30s" },
    });
    expect(await later(0, GI / 2)).toEqual({ due: 0, reported: ["memory"] });
    expect(await later(20_000, GI / 2)).toEqual({ due: 0, reported: ["memory"] });
    expect(await later(5_000, 2 * GI)).toEqual({ due: 0, reported: [] });
    expect(await later(5_000, GI / 2)).toEqual({ due: 0, reported: ["memory"] });
    expect(await later(30_000, GI / 2)).toEqual({ due: 1, reported: ["memory"] });
  });

  it("goes on until the minimum is reclaimed", async () => {
    const { later } = watched({
      evictionHard: { "memory.available": "1Gi" },
      evictionMinimumReclaim: { "memory.available": "1Gi" },
    });
    expect(await later(0, 1.5 * GI)).toEqual({ due: 0, reported: [] });
    expect(await later(0, 0.5 * GI)).toEqual({ due: 1, reported: ["memory"] });
    expect(await later(0, 1.5 * GI)).toEqual({ due: 1, reported: ["memory"] });
    expect(await later(0, 2 * GI)).toEqual({ due: 0, reported: [] });
    expect(await later(0, 1.5 * GI)).toEqual({ due: 0, reported: [] });
  });

  it("is over only when the minimum is reclaimed, also by what the node itself gave back", async () => {
    const { watch, later } = watched({
      evictionHard: { "memory.available": "1Gi" },
      evictionMinimumReclaim: { "memory.available": "1Gi" },
    });
    await later(0, 1.5 * GI);
    expect(await watch.isOver()).toBe(false);
    await later(0, 2 * GI);
    expect(await watch.isOver()).toBe(true);
  });

  it("reports a pressure until the transition period is over, and tells of the first report only", async () => {
    const { later, changes } = watched({ evictionHard: { "memory.available": "1Gi" } }, 300_000);
    expect((await later(0, GI / 2)).reported).toEqual(["memory"]);
    expect((await later(299_999, 2 * GI)).reported).toEqual(["memory"]);
    expect(changes()).toBe(1);
    expect((await later(1, 2 * GI)).reported).toEqual([]);
    expect(changes()).toBe(2);
  });
});
