// How much memory a volume in memory may hold: not more than the pod may use, nor than it says itself. Pure.

import type { Pod } from "../../kinds/core/pod.ts";
import { podSettings } from "../cgroups/cgroup-settings.ts";
import { bytesOf } from "../containers/linux-resources.ts";

/** `allocatable` is what the node has for pods. Undefined where nothing is known: half of the machine's memory then. */
export function memoryVolumeBytes(
  pod: Pod,
  sizeLimit: string | undefined,
  allocatable: string | undefined,
): number | undefined {
  const most = [bytesOf(allocatable), podLimit(pod), bytesOf(sizeLimit)].filter((bytes) => bytes > 0);
  return most.length === 0 ? undefined : most.reduce((least, bytes) => Math.min(least, bytes));
}

/** As its control group has it. */
function podLimit(pod: Pod): number {
  const rules = { limitsCpu: false, cpuPeriodUs: 0, podPidsLimit: 0, keepsMemory: false, hugePageSizes: [] };
  return podSettings(pod, rules).memoryBytes ?? 0;
}
