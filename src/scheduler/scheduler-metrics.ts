// What is measured of the scheduler, under upstream's names.

import type { Metrics } from "../base/metrics.ts";
import type { QueueSizes } from "./queue/scheduling-queue.ts";
import { SCHEDULER_NAME } from "./reports.ts";

export interface SchedulerMetrics {
  /** A pod was looked at, and bound or not. */
  attempted(result: "scheduled" | "unschedulable" | "error", seconds: number): void;
  /** So many pods have to leave for one. */
  preempted(victims: number): void;
  waiting(sizes: QueueSizes): void;
}

export const UNMEASURED: SchedulerMetrics = {
  attempted: () => undefined,
  preempted: () => undefined,
  waiting: () => undefined,
};

const STABLE = { stability: "STABLE" } as const;
/** From a millisecond, doubled. */
const SECONDS = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

/** Only one scheduler of a process is measured. */
export function schedulerMetrics(metrics: Metrics): SchedulerMetrics {
  const attempts = metrics.counter({
    ...STABLE,
    name: "scheduler_schedule_attempts_total",
    help: "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, while 'error' means an internal scheduler problem.",
    labels: ["profile", "result"],
  });
  const durations = metrics.histogram({
    ...STABLE,
    name: "scheduler_scheduling_attempt_duration_seconds",
    help: "Scheduling attempt latency in seconds (scheduling algorithm + binding)",
    labels: ["profile", "result"],
    buckets: SECONDS,
  });
  const pending = metrics.gauge({
    ...STABLE,
    name: "scheduler_pending_pods",
    help: "Number of pending pods, by the queue type.",
    labels: ["queue"],
  });
  const preemptions = metrics.counter({
    ...STABLE,
    name: "scheduler_preemption_attempts_total",
    help: "Total preemption attempts in the cluster till now",
  });
  const victims = metrics.histogram({
    ...STABLE,
    name: "scheduler_preemption_victims",
    help: "Number of selected preemption victims",
    buckets: [1, 2, 4, 8, 16, 32, 64],
  });
  return {
    attempted(result, seconds) {
      attempts.with(SCHEDULER_NAME, result).inc();
      durations.with(SCHEDULER_NAME, result).observe(seconds);
    },
    preempted(count) {
      preemptions.with().inc();
      victims.with().observe(count);
    },
    waiting({ active, backingOff, unschedulable, gated }) {
      pending.with("active").set(active);
      pending.with("backoff").set(backingOff);
      pending.with("unschedulable").set(unschedulable);
      pending.with("gated").set(gated);
    },
  };
}
