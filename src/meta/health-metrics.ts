// Outcomes of health checks, for /metrics/slis of every component: a registry of its own, scraped more often than the other.

import { Metrics } from "../base/metrics.ts";
import type { Names } from "./names.ts";
import { RELEASE } from "./version.ts";

export interface HealthMetrics {
  readonly metrics: Metrics;
  /** `endpoint` is healthz, livez or readyz. */
  readonly onResult: (check: string, endpoint: string, passed: boolean) => void;
}

export function healthMetrics(names: Names): HealthMetrics {
  const metrics = new Metrics({ release: RELEASE });
  const last = metrics.gauge({
    name: `${names.metricPrefix}_healthcheck`,
    help: "The last outcome of a health check: 1 is passed.",
    stability: "STABLE",
    labels: ["name", "type"],
  });
  const total = metrics.counter({
    name: `${names.metricPrefix}_healthchecks_total`,
    help: "Outcomes of health checks.",
    stability: "STABLE",
    labels: ["name", "status", "type"],
  });
  return {
    metrics,
    onResult(check, endpoint, passed) {
      last.with(check, endpoint).set(passed ? 1 : 0);
      total.with(check, passed ? "success" : "error", endpoint).inc();
    },
  };
}
