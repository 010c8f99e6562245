// How often pods were to be put near what they take for themselves, and could not be.

import type { Metrics } from "../../base/metrics.ts";
import type { OnPinning } from "./pinning.ts";

const ADMISSION_MS = Array.from({ length: 15 }, (_, power) => 0.05 * 2 ** power);

/** As upstream counts them. */
export function topologyMetrics(metrics: Metrics): (isAdmitted: boolean, tookMs: number) => void {
  const stability = "ALPHA";
  const requests = metrics.counter({
    name: "kubelet_topology_manager_admission_requests_total",
    help: "The number of admission requests where resources have to be aligned.",
    stability,
  });
  const errors = metrics.counter({
    name: "kubelet_topology_manager_admission_errors_total",
    help: "The number of admission request failures where resources could not be aligned.",
    stability,
  });
  const durations = metrics.histogram({
    name: "kubelet_topology_manager_admission_duration_ms",
    help: "Duration in milliseconds to serve a pod admission request.",
    buckets: ADMISSION_MS,
    stability,
  });
  return (isAdmitted, tookMs) => {
    requests.with().add(1);
    durations.with().observe(tookMs);
    if (!isAdmitted) errors.with().add(1);
  };
}

/** Of one manager, "cpu" or "memory". */
export function pinningMetrics(metrics: Metrics, manager: "cpu" | "memory"): OnPinning {
  const what = manager === "cpu" ? "cpu core" : "memory pages";
  const [requests, errors] = [
    metrics.counter({
      name: `kubelet_${manager}_manager_pinning_requests_total`,
      help: `The number of ${what} allocations which required pinning.`,
      stability: "ALPHA",
    }),
    metrics.counter({
      name: `kubelet_${manager}_manager_pinning_errors_total`,
      help: `The number of ${what} allocations which required pinning that failed.`,
      stability: "ALPHA",
    }),
  ].map((counter) => counter.with());
  return (isDone) => {
    requests?.inc();
    if (!isDone) errors?.inc();
  };
}

/** How many processors are whose. */
export function processorGauges(
  metrics: Metrics,
  counts: () => { readonly exclusive: number; readonly shared: number },
): void {
  const gauge = (name: string, help: string, read: () => number) => {
    const metric = metrics.gauge({ name: `kubelet_cpu_manager_${name}`, help, stability: "ALPHA" });
    metric.onCollect(() => metric.with().set(read()));
  };
  gauge(
    "exclusive_cpu_allocation_count",
    "The total number of CPUs exclusively allocated to containers running on this node",
    () => counts().exclusive,
  );
  gauge(
    "shared_pool_size_millicores",
    "The size of the shared CPU pool for non-guaranteed QoS pods, in millicores.",
    () => counts().shared * 1000,
  );
}
