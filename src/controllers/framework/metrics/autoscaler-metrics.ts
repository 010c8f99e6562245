// What is measured of autoscalers, under upstream's names.

import { ALPHA, doubled } from "../../../base/metric-words.ts";
import type { Metrics } from "../../../base/metrics.ts";

export type ScalingAction = "scale_up" | "scale_down" | "none";
/** Whose failure it was: that of what the autoscaler says, or of anything else. */
export type ScalingError = "spec" | "internal" | "none";

export interface AutoscalerMetrics {
  autoscalerLooked(action: ScalingAction, error: ScalingError, seconds: number): void;
  autoscalerMetricRead(action: ScalingAction, error: ScalingError, metricType: string, seconds: number): void;
}

export function autoscalerMetrics(metrics: Metrics): AutoscalerMetrics {
  const PREFIX = "horizontal_pod_autoscaler_controller_";
  const words =
    "The label 'action' should be either 'scale_down', 'scale_up', or 'none'. Also, the label 'error' should be either 'spec', 'internal', or 'none'.";
  const ofLooks = ["action", "error"];
  const ofReads = [...ofLooks, "metric_type"];
  const buckets = doubled(0.001, 15);
  const looks = metrics.counter({
    ...ALPHA,
    name: `${PREFIX}reconciliations_total`,
    help: `Number of reconciliations of HPA controller. ${words}`,
    labels: ofLooks,
  });
  const lookTimes = metrics.histogram({
    ...ALPHA,
    name: `${PREFIX}reconciliation_duration_seconds`,
    help: `The time(seconds) that the HPA controller takes to reconcile once. ${words}`,
    labels: ofLooks,
    buckets,
  });
  const reads = metrics.counter({
    ...ALPHA,
    name: `${PREFIX}metric_computation_total`,
    help: `Number of metric computations. ${words} The label 'metric_type' corresponds to HPA.spec.metrics[*].type`,
    labels: ofReads,
  });
  const readTimes = metrics.histogram({
    ...ALPHA,
    name: `${PREFIX}metric_computation_duration_seconds`,
    help: `The time(seconds) that the HPA controller takes to calculate one metric. ${words} The label 'metric_type' corresponds to HPA.spec.metrics[*].type`,
    labels: ofReads,
    buckets,
  });
  return {
    autoscalerLooked(action, error, seconds) {
      looks.with(action, error).inc();
      lookTimes.with(action, error).observe(seconds);
    },
    autoscalerMetricRead(action, error, metricType, seconds) {
      reads.with(action, error, metricType).inc();
      readTimes.with(action, error, metricType).observe(seconds);
    },
  };
}
