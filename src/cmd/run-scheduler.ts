// The scheduler of a process, from options and a client: what `plinth up` and `plinth scheduler` share.

import type { FeatureGates } from "../base/feature-gates.ts";
import type { ElectionOptions } from "../client/election-flags.ts";
import type { GateName } from "../options/feature-gate-table.ts";
import { SCHEDULER_GATES, schedulerGates } from "../scheduler/scheduler-gates.ts";
import { buildScheduler, type SchedulerBuild } from "./build-scheduler.ts";
import { type RunningWork, runElected } from "./run-elected.ts";

export const SCHEDULER_COMPONENT = "kube-scheduler";

interface SchedulerRequest extends Omit<SchedulerBuild, "gates"> {
  readonly options: SchedulerBuild["options"] & ElectionOptions;
  readonly gates: FeatureGates<GateName>;
}

export function runScheduler(request: SchedulerRequest): RunningWork {
  const { options, log, client } = request;
  const gates = schedulerGates((gate) => request.gates.enabled(gate));
  return runElected({
    options,
    log,
    client,
    build(fenced) {
      log.info({}, "the scheduler begins");
      return buildScheduler({ ...request, gates, client: fenced(client) });
    },
  });
}

/** Those that were set to something else than their default, and that the scheduler does not look at. */
export function gatesOfOthers({ changed }: Pick<FeatureGates<GateName>, "changed">): readonly GateName[] {
  return changed.filter((name) => !Object.hasOwn(SCHEDULER_GATES, name));
}
