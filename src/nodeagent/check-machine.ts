// Looks at the machine before the agent starts: what must not be, and what its kernel lacks.
// Requirements: document 3, "Kernel version requirements" and "Swap behaviour".

import type { Log } from "../base/log.ts";
import { StartError } from "../base/start-error.ts";
import type { LoadedConfiguration } from "./config/load-configuration.ts";
import { measureKernel, readKernelParameters } from "./kernel/measure-kernel.ts";
import { kernelReport } from "./kernel/requirements.ts";
import { measureMachine } from "./node/machine.ts";
import type { AgentPaths } from "./paths.ts";
import { KERNEL_DEFAULTS, startProblem } from "./start-checks.ts";

interface MachineCheck {
  readonly loaded: LoadedConfiguration;
  readonly log: Log;
  readonly paths: AgentPaths;
}

/** Fails with StartError where the agent must not start; what is lacking otherwise is said in the log. */
export async function checkMachine({ loaded, log, paths }: MachineCheck): Promise<void> {
  const [kernel, machine] = await Promise.all([measureKernel(), measureMachine(paths.rootDir, undefined)]);
  const kernelParameters = await readKernelParameters(KERNEL_DEFAULTS.keys());
  const problem = startProblem(loaded.configuration, { ...machine, ...kernel, kernelParameters });
  if (problem !== undefined) throw new StartError(problem);
  for (const { feature, requirement, verdict, found } of kernelReport(kernel)) {
    const fields = { feature, requirement, found };
    if (verdict === "ok") log.info(fields, "the kernel has what the feature needs");
    else
      log.warn(
        fields,
        verdict === "missing" ? "the kernel lacks what the feature needs" : "the feature is discouraged here",
      );
  }
}
