import { describe, expect, it } from "vitest";
import { machineFacts } from "../node/machine.testing.ts";
import { type EvictionConfig, metThresholds, observationsOf, thresholdsOf } from "./signals.ts";

const GI = 2 ** 30;
const disk = { totalBytes: 100 * GI, availableBytes: 9 * GI, inodes: 1_000, inodesFree: 40 };

const config = (more: Partial<EvictionConfig>): EvictionConfig => ({
  evictionHard: {},
  evictionSoft: {},
  evictionSoftGracePeriod: {},
  evictionMinimumReclaim: {},
  enforceNodeAllocatable: ["none"],
  ...more,
});

const hard = (evictionHard: Record<string, string>) => config({ evictionHard });

describe("a threshold is met by", () => {
  it.each([
    [
      "memory below an amount",
      machineFacts({ memoryBytes: 8 * GI, memoryAvailableBytes: GI - 1 }),
      hard({ "memory.available": "1Gi" }),
      ["memory.available"],
    ],
    [
      "nothing at the amount",
      machineFacts({ memoryBytes: 8 * GI, memoryAvailableBytes: GI }),
      hard({ "memory.available": "1Gi" }),
      [],
    ],
    [
      "disk below a share",
      machineFacts({ rootFilesystem: disk }),
      hard({ "nodefs.available": "10%" }),
      ["nodefs.available"],
    ],
    [
      "inodes below a share",
      machineFacts({ rootFilesystem: disk }),
      hard({ "nodefs.inodesFree": "5%" }),
      ["nodefs.inodesFree"],
    ],
    [
      "room for images, on a disk of their own",
      machineFacts({ imageFilesystem: disk }),
      hard({ "imagefs.available": "15%", "nodefs.available": "15%" }),
      ["imagefs.available"],
    ],
    [
      "room for images, on the same disk",
      machineFacts({ rootFilesystem: disk }),
      hard({ "imagefs.available": "15%" }),
      ["imagefs.available"],
    ],
    [
      "processes",
      machineFacts({ maxProcesses: 1_000, processes: 950 }),
      hard({ "pid.available": "10%" }),
      ["pid.available"],
    ],
    [
      "memory below a soft threshold too",
      machineFacts({ memoryBytes: 8 * GI, memoryAvailableBytes: 1 }),
      config({ evictionSoft: { "memory.available": "1Gi" } }),
      ["memory.available"],
    ],
    [
      "nothing that cannot be measured",
      machineFacts({ memoryBytes: 0, memoryAvailableBytes: 0 }),
      hard({ "memory.available": "1Gi" }),
      [],
    ],
    ["nothing when the share is 0%", machineFacts({ memoryAvailableBytes: 0 }), hard({ "memory.available": "0%" }), []],
    [
      "nothing when the share is 100%",
      machineFacts({ memoryAvailableBytes: 0 }),
      hard({ "memory.available": "100%" }),
      [],
    ],
  ])("%s", (_title, machine, thresholds, signals) => {
    const met = metThresholds(thresholdsOf(thresholds), observationsOf(machine));
    expect(met.map(({ signal }) => signal)).toEqual(signals);
  });

  it("what is left of the memory of pods together, where that is enforced", () => {
    const enforced = config({ evictionHard: { "memory.available": "100Mi" }, enforceNodeAllocatable: ["pods"] });
    const observed = observationsOf(machineFacts(), { available: 50 * 2 ** 20, capacity: 4 * GI });
    const met = metThresholds(thresholdsOf(enforced), observed);
    expect(met.map(({ signal }) => signal)).toEqual(["allocatableMemory.available"]);
  });

  it("less than it and the minimum to reclaim, once it was met", () => {
    const thresholds = thresholdsOf(
      config({ evictionHard: { "memory.available": "1Gi" }, evictionMinimumReclaim: { "memory.available": "1Gi" } }),
    );
    const observed = observationsOf(machineFacts({ memoryAvailableBytes: 1.5 * GI }));
    expect(metThresholds(thresholds, observed)).toEqual([]);
    expect(metThresholds(thresholds, observed, { reclaiming: true })).toHaveLength(1);
  });
});
