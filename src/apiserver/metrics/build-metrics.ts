// The metrics of the API server put together.

import type { Metrics } from "../../base/metrics.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { addServerMetrics, type ServerMetricsParts } from "./server-metrics.ts";

export function buildRequestMetrics(metrics: Metrics, parts: ServerMetricsParts): RequestMetrics {
  addServerMetrics(metrics, parts);
  return new RequestMetrics(metrics, parts.catalog);
}
