// Metrics of aggregation, with upstream's names.

import type { Metrics } from "../../../base/metrics.ts";

export interface AggregationMetrics {
  /** After each check. */
  available(apiService: string, available: boolean): void;
  /** One that was available is not any more. */
  becameUnavailable(apiService: string, reason: string): void;
  forget(apiService: string): void;
  /** A document of discovery over all servers has been made. */
  aggregated(): void;
}

export function aggregationMetrics(metrics: Metrics): AggregationMetrics {
  const states = new Map<string, boolean>();
  const unavailable = metrics.gauge({
    name: "aggregator_unavailable_apiservice",
    help: "Gauge of APIServices which are marked as unavailable broken down by APIService name.",
    stability: "ALPHA",
    labels: ["name"],
  });
  unavailable.onCollect(() => {
    unavailable.clear();
    for (const [name, available] of states) unavailable.with(name).set(available ? 0 : 1);
  });
  const total = metrics.counter({
    name: "aggregator_unavailable_apiservice_total",
    help: "Counter of APIServices which are marked as unavailable broken down by APIService name and reason.",
    stability: "ALPHA",
    labels: ["name", "reason"],
  });
  const discovery = metrics.counter({
    name: "aggregator_discovery_aggregation_count_total",
    help: "Counter of number of times discovery was aggregated",
    stability: "ALPHA",
  });
  return {
    available: (apiService, available) => void states.set(apiService, available),
    becameUnavailable: (apiService, reason) => total.with(apiService, reason).inc(),
    forget: (apiService) => void states.delete(apiService),
    aggregated: () => discovery.with().inc(),
  };
}
