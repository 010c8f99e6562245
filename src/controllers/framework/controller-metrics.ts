// What is measured of single controllers beside their queues, under upstream's names. Times in seconds.

import type { Metrics } from "../../base/metrics.ts";

export interface ControllerMetrics {
  /** A pod was deleted for a taint, so long after the taint counted for it. */
  evicted(seconds: number): void;
  /** The nodes of a zone, at every look. */
  zone(name: string, nodes: { readonly size: number; readonly unhealthy: number }): void;
  /** Pods of a node have to leave it. */
  nodeEvicted(zone: string): void;
  slicesSynced(result: "success" | "stale" | "error"): void;
  slicesChanged(operation: "create" | "update" | "delete", count: number): void;
  jobFinished(completionMode: string, result: "succeeded" | "failed", reason: string): void;
  /** Between the moment that a schedule names and the creation of the Job. */
  jobCreated(skewSeconds: number): void;
  /** Between the moment that its time was over and its deletion. */
  finishedJobDeleted(seconds: number): void;
}

export const UNMEASURED: ControllerMetrics = {
  evicted: () => undefined,
  zone: () => undefined,
  nodeEvicted: () => undefined,
  slicesSynced: () => undefined,
  slicesChanged: () => undefined,
  jobFinished: () => undefined,
  jobCreated: () => undefined,
  finishedJobDeleted: () => undefined,
};

const ALPHA = { stability: "ALPHA" } as const;
const STABLE = { stability: "STABLE" } as const;
const EVICTION_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240];
const doubled = (first: number, count: number): number[] => Array.from({ length: count }, (_, at) => first * 2 ** at);

/** Without a registry nothing is measured. */
export function controllerMetrics(metrics: Metrics | undefined): ControllerMetrics {
  if (metrics === undefined) return UNMEASURED;
  const evictions = metrics.counter({
    ...ALPHA,
    name: "taint_eviction_controller_pod_deletions_total",
    help: "Total number of Pods deleted by TaintEvictionController since its start.",
  });
  const evictionTimes = metrics.histogram({
    ...ALPHA,
    name: "taint_eviction_controller_pod_deletion_duration_seconds",
    help: "Latency, in seconds, between the time when a taint effect has been activated for the Pod and its deletion via TaintEvictionController.",
    buckets: EVICTION_SECONDS,
  });
  const ofZones = { ...ALPHA, labels: ["zone"] } as const;
  const zoneSize = metrics.gauge({
    ...ofZones,
    name: "node_collector_zone_size",
    help: "Gauge measuring number of registered Nodes per zones.",
  });
  const zoneHealth = metrics.gauge({
    ...ofZones,
    name: "node_collector_zone_health",
    help: "Gauge measuring percentage of healthy nodes per zone.",
  });
  const unhealthyNodes = metrics.gauge({
    ...ofZones,
    name: "node_collector_unhealthy_nodes_in_zone",
    help: "Gauge measuring number of not Ready Nodes per zones.",
  });
  const nodeEvictions = metrics.counter({
    ...STABLE,
    name: "node_collector_evictions_total",
    help: "Number of Node evictions that happened since current instance of NodeController started.",
    labels: ["zone"],
  });
  const sliceSyncs = metrics.counter({
    ...ALPHA,
    name: "endpoint_slice_controller_syncs",
    help: "Number of EndpointSlice syncs",
    labels: ["result"],
  });
  const sliceChanges = metrics.counter({
    ...ALPHA,
    name: "endpoint_slice_controller_changes",
    help: "Number of EndpointSlice changes",
    labels: ["operation"],
  });
  const finishedJobs = metrics.counter({
    ...STABLE,
    name: "job_controller_jobs_finished_total",
    help: "The number of finished jobs",
    labels: ["completion_mode", "result", "reason"],
  });
  const skews = metrics.histogram({
    ...STABLE,
    name: "cronjob_controller_job_creation_skew_duration_seconds",
    help: "Time between when a cronjob is scheduled to be run, and when the corresponding job is created",
    buckets: doubled(1, 10),
  });
  const jobDeletions = metrics.histogram({
    ...ALPHA,
    name: "ttl_after_finished_controller_job_deletion_duration_seconds",
    help: "The time it took to delete the job since it became eligible for deletion",
    buckets: doubled(0.1, 14),
  });
  return {
    evicted(seconds) {
      evictions.with().inc();
      evictionTimes.with().observe(seconds);
    },
    zone(name, { size, unhealthy }) {
      zoneSize.with(name).set(size);
      unhealthyNodes.with(name).set(unhealthy);
      zoneHealth.with(name).set(size === 0 ? 100 : (100 * (size - unhealthy)) / size);
    },
    nodeEvicted: (zone) => nodeEvictions.with(zone).inc(),
    slicesSynced: (result) => sliceSyncs.with(result).inc(),
    slicesChanged(operation, count) {
      if (count > 0) sliceChanges.with(operation).inc(count);
    },
    jobFinished: (mode, result, reason) => finishedJobs.with(mode, result, reason).inc(),
    jobCreated: (seconds) => skews.with().observe(seconds),
    finishedJobDeleted: (seconds) => jobDeletions.with().observe(seconds),
  };
}
