import { describe, expect, it } from "vitest";
import type { CgroupSettings } from "./cgroup-settings.ts";
import { SystemdSlices, sliceProperties } from "./systemd-slices.ts";

const POD = "/kubepods.slice/kubepods-pod1.slice";

function played() {
  const commands: string[] = [];
  const made = new Map<string, CgroupSettings>();
  const slices = new SystemdSlices({
    tree: {
      ensure: async (path, settings) => void made.set(path, settings),
      remove: async (path) => void made.delete(path),
      exists: async (path) => made.has(path),
      memory: async () => undefined,
      rootProcesses: async () => [],
      join: async () => undefined,
    },
    version: 2,
    systemctl: async (args) => void commands.push(args.join(" ")),
  });
  return { slices, commands, made };
}

describe("a slice of systemd", () => {
  it.each<[string, 1 | 2, CgroupSettings, string]>([
    ["a share of processors", 2, { cpuShares: 1024 }, "CPUWeight=39"],
    ["the same in version 1", 1, { cpuShares: 1024 }, "CPUShares=1024"],
    [
      "a limit of processors",
      2,
      { cpuQuotaUs: 150_000, cpuPeriodUs: 100_000 },
      "CPUQuota=150% CPUQuotaPeriodSec=100000us",
    ],
    [
      "a part of a percent, rounded up",
      2,
      { cpuQuotaUs: 10_001, cpuPeriodUs: 100_000 },
      "CPUQuota=10.01% CPUQuotaPeriodSec=100000us",
    ],
    ["no limit any more", 2, { cpuQuotaUs: 0, cpuPeriodUs: 100_000 }, "CPUQuota= CPUQuotaPeriodSec=100000us"],
    ["memory", 2, { memoryBytes: 1024, minMemoryBytes: 512 }, "MemoryMax=1024 MemoryMin=512"],
    ["memory in version 1, which keeps none", 1, { memoryBytes: 1024, minMemoryBytes: 512 }, "MemoryLimit=1024"],
    ["processes", 2, { maxProcesses: 10 }, "TasksMax=10"],
    ["nothing of huge pages", 2, { hugePages: { "2Mi": 0 } }, ""],
  ])("has properties for %s", (_, version, settings, properties) => {
    expect(sliceProperties(version, settings).join(" ")).toBe(properties);
  });

  it("is started, told once what it is held to, and again when that changes", async () => {
    const { slices, commands } = played();
    await slices.ensure(POD, { memoryBytes: 1 });
    await slices.ensure(POD, { memoryBytes: 1 });
    await slices.ensure(POD, { memoryBytes: 2 });
    expect(commands).toEqual([
      "start kubepods-pod1.slice",
      "set-property --runtime kubepods-pod1.slice MemoryMax=1",
      "start kubepods-pod1.slice",
      "set-property --runtime kubepods-pod1.slice MemoryMax=2",
    ]);
  });

  it("is stopped when its pod is gone, unless it was never there", async () => {
    const { slices, commands, made } = played();
    await slices.remove(POD);
    expect(commands).toEqual([]);
    await slices.ensure(POD, {});
    await slices.remove(POD);
    expect(commands).toEqual(["start kubepods-pod1.slice", "stop kubepods-pod1.slice"]);
    expect(made.size).toBe(0);
  });
});
