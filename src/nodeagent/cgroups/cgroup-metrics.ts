// How long the kernel takes for control groups, and whether the runtime says which driver of them it has.

import type { Metrics } from "../../base/metrics.ts";

export type CgroupOperation = "create" | "update" | "destroy";

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From which release on upstream's agent asks for what such a runtime does not tell. */
const LAST_RELEASE = "1.36.0";

export function cgroupMetrics(metrics: Metrics) {
  const operations = metrics.histogram({
    name: "kubelet_cgroup_manager_duration_seconds",
    help: "Duration in seconds for cgroup manager operations. Broken down by method.",
    labels: ["operation_type"],
    buckets: SECONDS,
    stability: "ALPHA",
  });
  const losing = metrics.gauge({
    name: "kubelet_cri_losing_support",
    help: "The release from which on the container runtime that runs is supported only if it is upgraded.",
    labels: ["version"],
    stability: "ALPHA",
  });
  return {
    onOperation: (operation: CgroupOperation, seconds: number) => operations.with(operation).observe(seconds),
    /** The runtime has no answer to what its configuration is. */
    onSilentRuntime: () => losing.with(LAST_RELEASE).set(1),
  };
}
