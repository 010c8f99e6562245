// What the kernel has for containers: memory, swap, and whether swap can be limited.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { totalmem } from "node:os";
import type { NodeAgentConfiguration } from "../config/configuration.ts";
import { bytesOf, type NodeResources } from "../containers/linux-resources.ts";
import { cgroupVersion } from "../kernel/measure-kernel.ts";
import { pageSizeName } from "../node/page-size.ts";

type Settings = Pick<
  NodeAgentConfiguration,
  "memorySwap" | "cpuCFSQuota" | "cpuCFSQuotaPeriodMs" | "memoryThrottlingFactor" | "singleProcessOOMKill"
>;

/** Where the kernel shows itself. */
const KERNEL = { cgroups: "/sys/fs/cgroup", proc: "/proc" };

/** `keepsMemory` is the gate MemoryQoS; `allocatable` the memory that pods may use together. */
export function measureNode(
  config: Settings,
  { keepsMemory, allocatable }: { readonly keepsMemory: boolean; readonly allocatable: string | undefined },
  kernel = KERNEL,
): NodeResources {
  const { memorySwap, cpuCFSQuota, cpuCFSQuotaPeriodMs, memoryThrottlingFactor: throttlingFactor } = config;
  const version = cgroupVersion(kernel.cgroups);
  const memoryQos =
    keepsMemory && version === 2 ? { throttlingFactor, allocatableBytes: bytesOf(allocatable) } : undefined;
  return {
    memoryBytes: totalmem(),
    swapBytes: swapTotalBytes(kernel.proc),
    cgroupVersion: version,
    swapController:
      version === 2 ? canLimitSwap(kernel) : existsSync(`${kernel.cgroups}/memory/memory.memsw.limit_in_bytes`),
    swapBehavior: memorySwap.swapBehavior === "LimitedSwap" ? "LimitedSwap" : "NoSwap",
    limitsCpu: cpuCFSQuota,
    cpuPeriodUs: cpuCFSQuotaPeriodMs * 1000,
    endsTogether: version === 2 && !config.singleProcessOOMKill,
    hugePageSizes: hugePageSizes(version),
    memoryQos,
  };
}

function swapTotalBytes(proc: string): number {
  const kibibytes = /^SwapTotal:\s+(\d+) kB$/m.exec(textOf(`${proc}/meminfo`))?.[1] ?? "0";
  return Number(kibibytes) * 1024;
}

/** The root has no such file: the agent's own group shows whether there is one. */
function canLimitSwap({ cgroups, proc }: typeof KERNEL): boolean {
  const own = /^0::(.*)$/m.exec(textOf(`${proc}/self/cgroup`))?.[1] ?? "/";
  // A container sees its own group as the root.
  const groups = own === "/" ? ["", ...GROUPS_OF_THE_SYSTEM] : [own];
  return groups.some((group) => existsSync(`${cgroups}${group}/memory.swap.max`));
}

/** An agent in the root group sees it in any other: these are on every machine that has an init system. */
const GROUPS_OF_THE_SYSTEM = ["/system.slice", "/init.scope"];

/** None where control groups cannot count them. */
export function hugePageSizes(version: 1 | 2): string[] {
  const canLimit =
    version === 1
      ? existsSync("/sys/fs/cgroup/hugetlb/cgroup.procs")
      : textOf("/sys/fs/cgroup/cgroup.controllers").split(/\s+/).includes("hugetlb");
  if (!canLimit) return [];
  const names = existsSync(HUGE_PAGES) ? readdirSync(HUGE_PAGES).sort() : [];
  return names.flatMap((name) => {
    const kibibytes = Number(/^hugepages-(\d{1,9})kB$/.exec(name)?.[1] ?? 0);
    return kibibytes === 0 ? [] : [pageSizeName(kibibytes * 1024)];
  });
}

const HUGE_PAGES = "/sys/kernel/mm/hugepages";

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
