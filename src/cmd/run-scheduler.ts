// The scheduler of a process, from options and a client: what `plinth up` and `plinth scheduler` share.

import { systemClock } from "../base/clock.ts";
import type { FeatureGates } from "../base/feature-gates.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Client } from "../client/client.ts";
import type { ElectionOptions } from "../client/election-flags.ts";
import type { GateName } from "../options/feature-gate-table.ts";
import { Scheduler, type SchedulerParts } from "../scheduler/scheduler.ts";
import { SCHEDULER_GATES, schedulerGates } from "../scheduler/scheduler-gates.ts";
import { schedulerMetrics } from "../scheduler/scheduler-metrics.ts";
import type { SchedulerOptions } from "../scheduler/scheduler-options.ts";
import { type RunningWork, runElected } from "./run-elected.ts";

export const SCHEDULER_COMPONENT = "kube-scheduler";

interface SchedulerRequest {
  readonly options: SchedulerOptions & ElectionOptions;
  readonly gates: FeatureGates<GateName>;
  /** Of a configuration file. */
  readonly placing?: Pick<SchedulerParts, "profiles" | "backoff">;
  readonly log: Log;
  readonly client: Client;
  /** Not measured when not given. */
  readonly metrics?: Metrics;
}

export function runScheduler({ options, gates, placing, log, client, metrics }: SchedulerRequest): RunningWork {
  const measured = metrics === undefined ? undefined : schedulerMetrics(metrics);
  return runElected({
    options,
    log,
    client,
    build(fenced) {
      log.info({}, "the scheduler begins");
      return new Scheduler({
        client: fenced(client),
        clock: systemClock,
        random: Math.random,
        log,
        options,
        gates: schedulerGates((gate) => gates.enabled(gate)),
        metrics: measured,
        ...placing,
      });
    },
  });
}

/** Those that were set to something else than their default, and that the scheduler does not look at. */
export function gatesOfOthers({ changed }: Pick<FeatureGates<GateName>, "changed">): readonly GateName[] {
  return changed.filter((name) => !Object.hasOwn(SCHEDULER_GATES, name));
}
