// Requirements: document 3, "Swap behaviour".

import { describe, expect, it } from "vitest";
import { loadConfiguration } from "./config/load-configuration.ts";
import { KERNEL_DEFAULTS, type MachineState, startProblem } from "./start-checks.ts";

const problem = (flags: object, machine: Partial<MachineState> = {}) =>
  startProblem(loadConfiguration({ dialect: "platform", flags: flags as never }).configuration, {
    swapBytes: 0,
    cgroupVersion: 2,
    kernelParameters: new Map([["vm/overcommit_memory", 0]]),
    ...machine,
  });

describe("an agent", () => {
  it.each([
    ["starts without swap", {}, {}, undefined],
    ["does not start with swap by default", {}, { swapBytes: 1 }, /^failSwapOn: /],
    ["starts with swap when told so", { failSwapOn: false }, { swapBytes: 1 }, undefined],
    [
      "may let pods use swap",
      { failSwapOn: false, memorySwap: { swapBehavior: "LimitedSwap" } },
      { swapBytes: 1 },
      undefined,
    ],
    [
      "may keep pods from it",
      { failSwapOn: false, memorySwap: { swapBehavior: "NoSwap" } },
      { swapBytes: 1, cgroupVersion: 1 as const },
      undefined,
    ],
    [
      "cannot limit swap with the old cgroups",
      { failSwapOn: false, memorySwap: { swapBehavior: "LimitedSwap" } },
      { cgroupVersion: 1 as const },
      /cgroup v1/,
    ],
    [
      "may refuse a kernel that is set otherwise than containers need",
      { protectKernelDefaults: true },
      {},
      /^protectKernelDefaults: invalid kernel flag: vm\/overcommit_memory, expected value: 1, actual value: 0$/,
    ],
    [
      "starts with one that is set so",
      { protectKernelDefaults: true },
      { kernelParameters: KERNEL_DEFAULTS },
      undefined,
    ],
    ["may refuse the old cgroups", { failCgroupV1: true }, { cgroupVersion: 1 as const }, /^failCgroupV1: /],
  ])("%s", (_title, flags, machine, expected) => {
    const found = problem(flags, machine);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(expected);
  });
});
