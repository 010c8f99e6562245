// What must hold of the machine before the agent starts. Requirements: document 3, "Swap behaviour". Pure.

import type { NodeAgentConfiguration } from "./config/configuration.ts";

export interface MachineState {
  readonly swapBytes: number;
  readonly cgroupVersion: 1 | 2;
  /** By path below /proc/sys; those that could not be read are missing. */
  readonly kernelParameters: ReadonlyMap<string, number>;
}

/** What containers need of the kernel. */
export const KERNEL_DEFAULTS: ReadonlyMap<string, number> = new Map([
  ["vm/overcommit_memory", 1],
  ["vm/panic_on_oom", 0],
  ["kernel/panic", 10],
  ["kernel/panic_on_oops", 1],
  ["kernel/keys/root_maxkeys", 1_000_000],
  ["kernel/keys/root_maxbytes", 25_000_000],
]);

/** Why the agent must not start; undefined when it may. */
export function startProblem(
  config: Pick<NodeAgentConfiguration, "failSwapOn" | "memorySwap" | "failCgroupV1" | "protectKernelDefaults">,
  { swapBytes, cgroupVersion, kernelParameters }: MachineState,
): string | undefined {
  const { failSwapOn, memorySwap, failCgroupV1, protectKernelDefaults } = config;
  if (failSwapOn && swapBytes > 0)
    return "failSwapOn: running with swap on is not supported: disable swap, or set failSwapOn to false";
  if (memorySwap.swapBehavior === "LimitedSwap" && cgroupVersion === 1)
    return "memorySwap.swapBehavior: LimitedSwap needs cgroup v2, this machine has cgroup v1";
  if (failCgroupV1 && cgroupVersion === 1) return "failCgroupV1: this machine has cgroup v1, which is in maintenance";
  const wrong = protectKernelDefaults ? wrongParameter(kernelParameters) : undefined;
  return wrong === undefined ? undefined : `protectKernelDefaults: ${wrong}`;
}

function wrongParameter(actual: ReadonlyMap<string, number>): string | undefined {
  for (const [path, expected] of KERNEL_DEFAULTS) {
    const value = actual.get(path);
    if (value !== undefined && value !== expected)
      return `invalid kernel flag: ${path}, expected value: ${expected}, actual value: ${value}`;
  }
  return undefined;
}
