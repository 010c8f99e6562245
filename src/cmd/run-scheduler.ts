// The scheduler of a process, from options and a client: what `plinth up` and `plinth scheduler` share.

import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Client } from "../client/client.ts";
import type { ElectionOptions } from "../client/election-flags.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import { schedulerMetrics } from "../scheduler/scheduler-metrics.ts";
import type { SchedulerOptions } from "../scheduler/scheduler-options.ts";
import { type RunningWork, runElected } from "./run-elected.ts";

export const SCHEDULER_COMPONENT = "kube-scheduler";

interface SchedulerRequest {
  readonly options: SchedulerOptions & ElectionOptions;
  readonly log: Log;
  readonly client: Client;
  /** Not measured when not given. */
  readonly metrics?: Metrics;
}

export function runScheduler({ options, log, client, metrics }: SchedulerRequest): RunningWork {
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
        metrics: measured,
      });
    },
  });
}
