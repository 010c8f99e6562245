// The scheduler of a process, from options and a client: what `plinth up` and `plinth scheduler` share.

import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Client } from "../client/client.ts";
import type { ElectionOptions } from "../client/election-flags.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import type { SchedulerOptions } from "../scheduler/scheduler-options.ts";
import { type RunningWork, runElected } from "./run-elected.ts";

export const SCHEDULER_COMPONENT = "kube-scheduler";

export interface SchedulerRequest {
  readonly options: SchedulerOptions & ElectionOptions;
  readonly log: Log;
  readonly client: Client;
}

export function runScheduler({ options, log, client }: SchedulerRequest): RunningWork {
  return runElected({
    options,
    log,
    client,
    build(fenced) {
      log.info({}, "the scheduler begins");
      return new Scheduler({ client: fenced(client), clock: systemClock, random: Math.random, log, options });
    },
  });
}
