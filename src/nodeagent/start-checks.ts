// What must hold of the machine before the agent starts. Requirements: document 3, "Swap behaviour". Pure.

import type { NodeAgentConfiguration } from "./config/configuration.ts";

interface MachineState {
  readonly swapBytes: number;
  readonly cgroupVersion: 1 | 2;
}

/** Why the agent must not start; undefined when it may. */
export function startProblem(
  { failSwapOn, memorySwap, failCgroupV1 }: Pick<NodeAgentConfiguration, "failSwapOn" | "memorySwap" | "failCgroupV1">,
  { swapBytes, cgroupVersion }: MachineState,
): string | undefined {
  if (failSwapOn && swapBytes > 0)
    return "failSwapOn: running with swap on is not supported: disable swap, or set failSwapOn to false";
  if (memorySwap.swapBehavior === "LimitedSwap" && cgroupVersion === 1)
    return "memorySwap.swapBehavior: LimitedSwap needs cgroup v2, this machine has cgroup v1";
  if (failCgroupV1 && cgroupVersion === 1) return "failCgroupV1: this machine has cgroup v1, which is in maintenance";
  return undefined;
}
