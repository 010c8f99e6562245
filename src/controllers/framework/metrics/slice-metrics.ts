// What is measured of EndpointSlices, under upstream's names.

import { ALPHA, doubled } from "../../../base/metric-words.ts";
import type { Metrics } from "../../../base/metrics.ts";

/** What one turn of a Service did. */
export interface SliceTurn {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly endpointsAdded: number;
  readonly endpointsRemoved: number;
  /** Whether endpoints are dealt out by zones. */
  readonly topologyAware: boolean;
  readonly trafficDistribution: string;
}

/** Of all Services together. */
export interface SliceSums {
  readonly endpoints: number;
  readonly slices: number;
  /** With no more slices than needed. */
  readonly neededSlices: number;
  readonly servicesByDistribution: ReadonlyMap<string, number>;
}

export interface SliceMetrics {
  slicesSynced(result: "success" | "stale" | "error"): void;
  slicesChanged(turn: SliceTurn): void;
  setSliceSums(sums: SliceSums): void;
  /** The slices of one Endpoints were looked at. */
  endpointsMirrored(seconds: number): void;
}

export function sliceMetrics(metrics: Metrics): SliceMetrics {
  const counter = (name: string, help: string, label: string) =>
    metrics.counter({ ...ALPHA, name: `endpoint_slice_controller_${name}`, help, labels: [label] });
  const gauge = (name: string, help: string, labels: readonly string[] = []) =>
    metrics.gauge({ ...ALPHA, name: `endpoint_slice_controller_${name}`, help, labels });
  const histogram = (name: string, help: string, buckets: readonly number[], labels: readonly string[] = []) =>
    metrics.histogram({ ...ALPHA, name: `endpoint_slice_controller_${name}`, help, buckets, labels });
  const syncs = counter("syncs", "Number of EndpointSlice syncs", "result");
  const changes = counter("changes", "Number of EndpointSlice changes", "operation");
  const counts = doubled(2, 15);
  const added = histogram("endpoints_added_per_sync", "Number of endpoints added on each Service sync", counts);
  const removed = histogram("endpoints_removed_per_sync", "Number of endpoints removed on each Service sync", counts);
  const changed = histogram(
    "endpointslices_changed_per_sync",
    "Number of EndpointSlices changed on each Service sync",
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ["topology", "traffic_distribution"],
  );
  const endpoints = gauge("endpoints_desired", "Number of endpoints desired");
  const slices = gauge("num_endpoint_slices", "Number of EndpointSlices");
  const needed = gauge(
    "desired_endpoint_slices",
    "Number of EndpointSlices that would exist with perfect endpoint allocation",
  );
  const services = gauge(
    "services_count_by_traffic_distribution",
    "Number of Services using some specific trafficDistribution",
    ["traffic_distribution"],
  );
  const mirrored = metrics.histogram({
    ...ALPHA,
    name: "endpoint_slice_mirroring_controller_endpoints_sync_duration",
    help: "Duration of syncEndpoints() in seconds",
    buckets: doubled(0.001, 15),
  });
  return {
    endpointsMirrored: (seconds) => mirrored.with().observe(seconds),
    slicesSynced: (result) => syncs.with(result).inc(),
    slicesChanged(turn) {
      const { created, updated, deleted } = turn;
      for (const [operation, count] of Object.entries({ create: created, update: updated, delete: deleted }))
        if (count > 0) changes.with(operation).inc(count);
      added.with().observe(turn.endpointsAdded);
      removed.with().observe(turn.endpointsRemoved);
      const topology = turn.topologyAware ? "Auto" : "Disabled";
      changed.with(topology, turn.trafficDistribution).observe(created + updated + deleted);
    },
    setSliceSums(sums) {
      endpoints.with().set(sums.endpoints);
      slices.with().set(sums.slices);
      needed.with().set(sums.neededSlices);
      for (const [distribution, count] of sums.servicesByDistribution) services.with(distribution).set(count);
    },
  };
}
