// How many cores this process can fill. A container often stands on a machine of many of which it is given the time of a few:
// as many processes as the machine has cores would take turns there, and each needs memory.

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

/** At least 1: the cores that it may run on, no more than its control group has time for. */
export function usableCores(cores = availableParallelism(), groups = "/sys/fs/cgroup"): number {
  return Math.max(1, Math.min(cores, Math.ceil(limitOf(groups))));
}

/** In cores; none where nothing says so. */
function limitOf(groups: string): number {
  const [quotaUs, periodUs] = contentOf(groups, "cpu.max")?.split(" ") ?? [
    contentOf(groups, "cpu/cpu.cfs_quota_us"),
    contentOf(groups, "cpu/cpu.cfs_period_us"),
  ];
  const cores = Number(quotaUs) / Number(periodUs);
  // "max" and -1 are no limit.
  return cores > 0 ? cores : Number.POSITIVE_INFINITY;
}

function contentOf(groups: string, file: string): string | undefined {
  try {
    return readFileSync(join(groups, file), "utf8").trim();
  } catch {
    return undefined;
  }
}
