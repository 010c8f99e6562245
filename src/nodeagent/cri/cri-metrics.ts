// How often the container runtime was asked for what, how long it took, and how often it failed.

import type { Metrics } from "../../base/metrics.ts";
import type { OnCall } from "./cri-client.ts";

const SECONDS = [0.005, 0.0125, 0.03125, 0.078125, 0.1953125, 0.48828125, 1.220703125, 3.0517578125, 7.62939453125];
const MORE_SECONDS = [19.073486328125, 47.6837158203125, 119.20928955078125, 298.0232238769531, 745.0580596923828];

/** As upstream counts them. */
export function criMetrics(metrics: Metrics): OnCall {
  const labels = ["operation_type"] as const;
  const stability = "ALPHA";
  const calls = metrics.counter({
    name: "kubelet_runtime_operations_total",
    help: "Cumulative number of runtime operations by operation type.",
    labels,
    stability,
  });
  const failures = metrics.counter({
    name: "kubelet_runtime_operations_errors_total",
    help: "Cumulative number of runtime operation errors by operation type.",
    labels,
    stability,
  });
  const durations = metrics.histogram({
    name: "kubelet_runtime_operations_duration_seconds",
    help: "Duration in seconds of runtime operations. Broken down by operation type.",
    labels,
    buckets: [...SECONDS, ...MORE_SECONDS],
    stability,
  });
  return (procedure, seconds, hasFailed) => {
    const operation = operationOf(procedure);
    calls.with(operation).add(1);
    durations.with(operation).observe(seconds);
    if (hasFailed) failures.with(operation).add(1);
  };
}

/** runPodSandbox is run_podsandbox. */
function operationOf(procedure: string): string {
  if (procedure === "updateContainerResources") return "update_container";
  return procedure.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace("pod_sandbox", "podsandbox");
}
