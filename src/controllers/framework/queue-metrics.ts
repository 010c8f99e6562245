// What is measured of the queues of controllers, under upstream's names.

import type { Metrics } from "../../base/metrics.ts";

/** Of one queue. Times in seconds. */
export interface QueueMetrics {
  added(depth: number): void;
  taken(depth: number, waitedSeconds: number): void;
  ended(workedSeconds: number): void;
  retried(): void;
}

const SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];
const ALPHA = { stability: "ALPHA", labels: ["name"] } as const;

/** A maker of metrics for queues by name; without a registry nothing is measured. */
export function queueMetrics(metrics: Metrics | undefined): (name: string) => QueueMetrics {
  if (metrics === undefined) return () => UNMEASURED;
  const depth = metrics.gauge({ ...ALPHA, name: "workqueue_depth", help: "Current depth of workqueue" });
  const adds = metrics.counter({
    ...ALPHA,
    name: "workqueue_adds_total",
    help: "Total number of adds handled by workqueue",
  });
  const retries = metrics.counter({
    ...ALPHA,
    name: "workqueue_retries_total",
    help: "Total number of retries handled by workqueue",
  });
  const waited = metrics.histogram({
    ...ALPHA,
    name: "workqueue_queue_duration_seconds",
    help: "How long in seconds an item stays in workqueue before being requested.",
    buckets: SECONDS,
  });
  const worked = metrics.histogram({
    ...ALPHA,
    name: "workqueue_work_duration_seconds",
    help: "How long in seconds processing an item from workqueue takes.",
    buckets: SECONDS,
  });
  return (name) => {
    const series = {
      depth: depth.with(name),
      adds: adds.with(name),
      retries: retries.with(name),
      waited: waited.with(name),
      worked: worked.with(name),
    };
    return {
      added(now) {
        series.adds.inc();
        series.depth.set(now);
      },
      taken(now, seconds) {
        series.depth.set(now);
        series.waited.observe(seconds);
      },
      ended: (seconds) => series.worked.observe(seconds),
      retried: () => series.retries.inc(),
    };
  };
}

const UNMEASURED: QueueMetrics = {
  added: () => undefined,
  taken: () => undefined,
  ended: () => undefined,
  retried: () => undefined,
};
