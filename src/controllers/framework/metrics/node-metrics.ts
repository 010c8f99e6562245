// What is measured of nodes, of pods that have to leave them, and of their volumes, under upstream's names.

import { ALPHA, multiplied, STABLE } from "../../../base/metric-words.ts";
import type { Metrics } from "../../../base/metrics.ts";

export interface NodeMetrics {
  /** A pod was deleted for a taint, so long after the taint counted for it. */
  evicted(seconds: number): void;
  /** The same for a taint of a device that it uses. */
  deviceEvicted(seconds: number): void;
  /** The nodes of a zone, at every look. */
  zone(name: string, nodes: { readonly size: number; readonly unhealthy: number }): void;
  /** Pods of a node have to leave it. */
  nodeEvicted(zone: string): void;
  nodeLookedAt(seconds: number): void;
  /** All of them, once. */
  nodesLookedAt(seconds: number): void;
  /** A volume was taken from a node that still uses it. */
  forciblyDetached(reason: "out-of-service" | "timeout"): void;
  /** By the name of the plug-in: volumes that are wanted on nodes, and those that are attached. Asked for when shown. */
  setVolumeCounts(count: () => VolumeCounts): void;
}

interface VolumeCounts {
  readonly desired: ReadonlyMap<string, number>;
  readonly actual: ReadonlyMap<string, number>;
}

const EVICTION_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240];

export function nodeMetrics(metrics: Metrics): NodeMetrics {
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
  const deviceEvictions = metrics.counter({
    ...ALPHA,
    name: "device_taint_eviction_controller_pod_deletions_total",
    help: "Total number of Pods deleted by DeviceTaintEvictionController since its start.",
  });
  const deviceEvictionTimes = metrics.histogram({
    ...ALPHA,
    name: "device_taint_eviction_controller_pod_deletion_duration_seconds",
    help: "Latency, in seconds, between the time when a device taint effect has been activated and a Pod's deletion via DeviceTaintEvictionController.",
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
  const looks = metrics.histogram({
    ...ALPHA,
    name: "node_collector_update_node_health_duration_seconds",
    help: "Duration in seconds for NodeController to update the health of a single node.",
    buckets: multiplied(0.001, 4, 8),
  });
  const passes = metrics.histogram({
    ...ALPHA,
    name: "node_collector_update_all_nodes_health_duration_seconds",
    help: "Duration in seconds for NodeController to update the health of all nodes.",
    buckets: multiplied(0.01, 4, 8),
  });
  const forcedDetaches = metrics.counter({
    ...ALPHA,
    // Upstream says it twice.
    name: "attach_detach_controller_attachdetach_controller_forced_detaches",
    help: "Number of times the A/D Controller performed a forced detach",
    labels: ["reason"],
  });
  const volumes = metrics.gauge({
    ...ALPHA,
    name: "attachdetach_controller_total_volumes",
    help: "Number of volumes in A/D Controller",
    labels: ["plugin_name", "state"],
  });
  return {
    evicted(seconds) {
      evictions.with().inc();
      evictionTimes.with().observe(seconds);
    },
    deviceEvicted(seconds) {
      deviceEvictions.with().inc();
      deviceEvictionTimes.with().observe(seconds);
    },
    zone(name, { size, unhealthy }) {
      zoneSize.with(name).set(size);
      unhealthyNodes.with(name).set(unhealthy);
      zoneHealth.with(name).set(size === 0 ? 100 : (100 * (size - unhealthy)) / size);
    },
    nodeEvicted: (zone) => nodeEvictions.with(zone).inc(),
    nodeLookedAt: (seconds) => looks.with().observe(seconds),
    nodesLookedAt: (seconds) => passes.with().observe(seconds),
    forciblyDetached: (reason) => forcedDetaches.with(reason).inc(),
    setVolumeCounts(count) {
      volumes.onCollect(() => {
        const { desired, actual } = count();
        volumes.clear();
        for (const [plugin, number] of desired) volumes.with(plugin, "desired_state_of_world").set(number);
        for (const [plugin, number] of actual) volumes.with(plugin, "actual_state_of_world").set(number);
      });
    },
  };
}
