// How often pods were to be put near what they take for themselves, and could not be.

import type { Metrics } from "../../base/metrics.ts";

/** As upstream counts them. */
export function topologyMetrics(metrics: Metrics): (isAdmitted: boolean) => void {
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
  return (isAdmitted) => {
    requests.with().add(1);
    if (!isAdmitted) errors.with().add(1);
  };
}
