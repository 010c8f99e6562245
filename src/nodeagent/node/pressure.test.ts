import { describe, expect, it } from "vitest";
import { machineFacts } from "./machine.testing.ts";
import { notePressures, pressuresNow, reportedPressures } from "./pressure.ts";

const GI = 2 ** 30;
const config = (evictionHard: Record<string, string>, evictionSoft: Record<string, string> = {}) => ({
  evictionHard,
  evictionSoft,
  evictionPressureTransitionPeriodMs: 300_000,
});
const disk = { totalBytes: 100 * GI, availableBytes: 9 * GI, inodes: 1_000, inodesFree: 40 };

describe("a node is short of", () => {
  it.each([
    [
      "memory below an amount",
      machineFacts({ memoryBytes: 8 * GI, memoryAvailableBytes: GI - 1 }),
      config({ "memory.available": "1Gi" }),
      ["memory"],
    ],
    [
      "nothing at the amount",
      machineFacts({ memoryBytes: 8 * GI, memoryAvailableBytes: GI }),
      config({ "memory.available": "1Gi" }),
      [],
    ],
    ["disk below a share", machineFacts({ rootFilesystem: disk }), config({ "nodefs.available": "10%" }), ["disk"]],
    ["inodes below a share", machineFacts({ rootFilesystem: disk }), config({ "nodefs.inodesFree": "5%" }), ["disk"]],
    [
      "room for images, on a disk of their own",
      machineFacts({ imageFilesystem: disk }),
      config({ "imagefs.available": "15%" }),
      ["disk"],
    ],
    [
      "room for images, on the same disk",
      machineFacts({ rootFilesystem: disk }),
      config({ "imagefs.available": "15%" }),
      ["disk"],
    ],
    ["processes", machineFacts({ maxProcesses: 1_000, processes: 950 }), config({ "pid.available": "10%" }), ["pid"]],
    [
      "memory below a soft threshold too",
      machineFacts({ memoryBytes: 8 * GI, memoryAvailableBytes: 1 }),
      config({}, { "memory.available": "1Gi" }),
      ["memory"],
    ],
    [
      "nothing that cannot be measured",
      machineFacts({ memoryBytes: 0, memoryAvailableBytes: 0 }),
      config({ "memory.available": "1Gi" }),
      [],
    ],
  ])("%s", (_title, machine, thresholds, pressures) => {
    expect([...pressuresNow(machine, thresholds)]).toEqual(pressures);
  });

  it("what it was short of until the transition period is over", () => {
    const history = notePressures(new Map(), new Set(["memory"]), 1_000);
    expect([...reportedPressures(history, 1_000, 0)]).toEqual(["memory"]);
    expect([...reportedPressures(history, 300_999, 300_000)]).toEqual(["memory"]);
    expect([...reportedPressures(history, 301_000, 300_000)]).toEqual([]);
  });
});
