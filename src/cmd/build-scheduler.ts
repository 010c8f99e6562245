// The scheduler, and where it runs.

import { systemClock as clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Exposition } from "../base/metrics.ts";
import type { Client } from "../client/client.ts";
import { Scheduler, type SchedulerParts } from "../scheduler/scheduler.ts";
import type { SchedulerGates } from "../scheduler/scheduler-gates.ts";
import type { SchedulerOptions } from "../scheduler/scheduler-options.ts";
import { type Acting, GrowingScheduler } from "./scheduler-thread/growing-scheduler.ts";
import { SchedulerThread } from "./scheduler-thread/scheduler-thread.ts";

export interface SchedulerBuild {
  readonly client: Client;
  readonly options: SchedulerOptions;
  readonly gates: SchedulerGates;
  /** Of a configuration file. */
  readonly placing?: Pick<SchedulerParts, "profiles" | "extenders" | "backoff">;
  readonly log: Log;
  /** Of a scheduler in this thread. */
  readonly metrics: SchedulerParts["metrics"];
  /** A scheduler in a thread of its own measures there. */
  readonly onMeasuredElsewhere: (exposition: Exposition) => void;
  /** The program of a thread that takes over when there are many nodes. Without one the scheduler stays in this thread. */
  readonly threadProgram?: string | undefined;
}

/** Pods that cannot be placed would take the server's time at every change. */
const BESIDE_A_SERVER = { SchedulerPopFromBackoffQ: false } as const;

export function buildScheduler(build: SchedulerBuild): Acting {
  const { client, options, gates, placing, log, metrics, threadProgram } = build;
  const here = (own: SchedulerGates) =>
    new Scheduler({ client, clock, random: Math.random, log, options, gates: own, metrics, ...placing });
  // Profiles of a configuration file are code, which cannot be handed to a thread.
  if (threadProgram === undefined || placing !== undefined) return here(gates);
  const inThread = () => {
    const { percentageOfNodesToScore, podMaxInUnschedulablePodsDurationMs } = options;
    const setup = {
      dialect: client.names.dialect,
      options: { percentageOfNodesToScore, podMaxInUnschedulablePodsDurationMs },
      gates,
    };
    const thread = new SchedulerThread({ program: threadProgram, setup, transport: client.transport, clock, log });
    build.onMeasuredElsewhere(thread);
    return thread;
  };
  return new GrowingScheduler({ client, clock, log, here: () => here({ ...gates, ...BESIDE_A_SERVER }), inThread });
}
