// What the table of autoscalers says about the metrics of one: current and wanted values. Pure.

import type { MetricSpec, MetricTarget } from "../autoscaling/horizontal-pod-autoscaler/metric-source-schema.ts";
import type { HorizontalPodAutoscaler } from "../autoscaling/horizontal-pod-autoscaler/v2-schema.ts";
import type { MetricStatus, MetricValueStatus } from "../autoscaling/horizontal-pod-autoscaler/v2-status.ts";

const SHOWN_METRICS = 2;

/** `cpu: 40%/80%, 1k/2k (avg) + 1 more...`. */
export function metricsCell({ spec, status }: HorizontalPodAutoscaler): string {
  const metrics = spec.metrics ?? [];
  if (metrics.length === 0) return "<none>";
  const current = status.currentMetrics ?? [];
  const words = metrics.map((metric, index) => metricText(metric, current[index]));
  const shown = words.slice(0, SHOWN_METRICS).join(", ");
  return words.length > SHOWN_METRICS ? `${shown} + ${words.length - SHOWN_METRICS} more...` : shown;
}

function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  switch (metric.type) {
    case "External":
      return metric.external ? valueOrAverage(metric.external.target, status?.external?.current) : "<unknown type>";
    case "Pods":
      return `${status?.pods?.current.averageValue ?? "<unknown>"}/${metric.pods?.target.averageValue ?? "0"}`;
    case "Object":
      return metric.object ? valueOrAverage(metric.object.target, status?.object?.current) : "<unknown type>";
    case "Resource":
      return `${metric.resource?.name}: ${resourceText(metric.resource?.target, status?.resource?.current)}`;
    case "ContainerResource":
      return `${metric.containerResource?.name}: ${resourceText(
        metric.containerResource?.target,
        status?.containerResource?.current,
      )}`;
    default:
      return "<unknown type>";
  }
}

function valueOrAverage(target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined) return `${current?.averageValue ?? "<unknown>"}/${target.averageValue} (avg)`;
  return `${current?.value ?? "<unknown>"}/${target.value ?? "0"}`;
}

function resourceText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? "<unknown>"}/${target.averageValue}`;
  const now = current?.averageUtilization === undefined ? "<unknown>" : `${current.averageUtilization}%`;
  return `${now}/${target?.averageUtilization === undefined ? "<auto>" : `${target.averageUtilization}%`}`;
}
