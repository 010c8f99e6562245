// Requirements: document 3, "Swap behaviour".

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Pod } from "../../kinds/core/pod.ts";
import { linuxResources } from "../containers/linux-resources.ts";
import { measureNode } from "./measure-node.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-kernel-"));
  file("proc/meminfo", "MemTotal:       8388608 kB\nSwapTotal:       2097152 kB\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(path: string, text = ""): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const SETTINGS = {
  cpuCFSQuota: true,
  cpuCFSQuotaPeriodMs: 100,
  memoryThrottlingFactor: 0.9,
  singleProcessOOMKill: false,
};
const measured = (swapBehavior: "" | "NoSwap" | "LimitedSwap" = "LimitedSwap") =>
  measureNode(
    { ...SETTINGS, memorySwap: { swapBehavior } },
    { keepsMemory: false, allocatable: undefined },
    { cgroups: join(folder, "cgroup"), proc: join(folder, "proc") },
  );
const unified = () => file("cgroup/cgroup.controllers", "cpu memory pids\n");

describe("a node with swap", () => {
  it("has as much as the kernel says", () => {
    expect(measured().swapBytes).toBe(2 * 2 ** 30);
  });

  it.each<[string, string | undefined, string, boolean]>([
    ["in its own group", "0::/agent.slice\n", "cgroup/agent.slice/memory.swap.max", true],
    ["not in another", "0::/agent.slice\n", "cgroup/other.slice/memory.swap.max", false],
    ["in a container, where its own is the root", "0::/\n", "cgroup/memory.swap.max", true],
    ["in the root, by the groups of the system", "0::/\n", "cgroup/system.slice/memory.swap.max", true],
    ["in the root of a small system", "0::/\n", "cgroup/init.scope/memory.swap.max", true],
    ["not in the root without any", "0::/\n", "cgroup/cgroup.procs", false],
    ["not where nobody says which group is its own", undefined, "cgroup/agent.slice/memory.swap.max", false],
  ])("sees %s whether it can be limited", (_, own, path, canLimit) => {
    unified();
    if (own !== undefined) file("proc/self/cgroup", own);
    file(path);
    expect(measured()).toMatchObject({ cgroupVersion: 2, swapController: canLimit });
  });

  it("asks another file in the old groups", () => {
    expect(measured("NoSwap")).toMatchObject({ cgroupVersion: 1, swapController: false });
    file("cgroup/memory/memory.memsw.limit_in_bytes");
    expect(measured("NoSwap")).toMatchObject({ cgroupVersion: 1, swapController: true });
  });

  it.each([
    ["" as const, "0"],
    ["NoSwap" as const, "0"],
    ["LimitedSwap" as const, String(Math.floor((2 ** 30 / totalmem()) * 2 * 2 ** 30))],
  ])("gives a container with %j its part of it", (behavior, max) => {
    unified();
    file("proc/self/cgroup", "0::/\n");
    file("cgroup/system.slice/memory.swap.max");
    const container = { name: "c", resources: { requests: { memory: "1Gi" } } };
    const pod = { metadata: {}, spec: { containers: [container] } } as unknown as Pod;
    expect(linuxResources(pod, container, measured(behavior)).unified?.["memory.swap.max"]).toBe(max);
  });
});
