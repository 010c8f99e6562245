// What is measured of queues of work: of controllers, of the agent. Under upstream's names.

import type { Clock } from "./clock.ts";
import type { Metrics } from "./metrics.ts";

/** Of one queue. Times in seconds. */
export interface QueueMetrics {
  added(depth: number): void;
  /** Work on a key begins; what it returns is to be called when that has ended. */
  taken(depth: number, waitedSeconds: number): () => void;
  retried(): void;
}

const SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];
const ALPHA = { stability: "ALPHA", labels: ["name"] } as const;

interface Work {
  readonly startMs: number;
}

/** A maker of metrics for queues by name; without a registry nothing is measured. */
export function queueMetrics(metrics: Metrics | undefined, clock: Clock): (name: string) => QueueMetrics {
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
  const unfinished = metrics.gauge({
    ...ALPHA,
    name: "workqueue_unfinished_work_seconds",
    help: "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
  });
  const longest = metrics.gauge({
    ...ALPHA,
    name: "workqueue_longest_running_processor_seconds",
    help: "How many seconds has the longest running processor for workqueue been running.",
  });
  const working = new Map<string, Set<Work>>();
  const secondsSince = ({ startMs }: Work): number => (clock.monotonicMs() - startMs) / 1000;
  unfinished.onCollect(() => {
    for (const [name, works] of working) {
      const seconds = [...works].map(secondsSince);
      unfinished.with(name).set(seconds.reduce((sum, each) => sum + each, 0));
    }
  });
  longest.onCollect(() => {
    for (const [name, works] of working) longest.with(name).set(Math.max(0, ...[...works].map(secondsSince)));
  });
  return (name) => {
    const works = new Set<Work>();
    working.set(name, works);
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
        const work = { startMs: clock.monotonicMs() };
        works.add(work);
        return () => {
          works.delete(work);
          series.worked.observe(secondsSince(work));
        };
      },
      retried: () => series.retries.inc(),
    };
  };
}

const UNMEASURED: QueueMetrics = {
  added: () => undefined,
  taken: () => () => undefined,
  retried: () => undefined,
};
