// Autoscalers are stored as version v2. What version v1 has no fields for it carries in annotations, as upstream does.

import { isObject } from "../../../base/json.ts";
import type { Names } from "../../../meta/names.ts";
import type { ApiObject, ObjectMeta } from "../../../meta/object.ts";
import type { Struct } from "../../../schema/builder.ts";
import { conform } from "../../../schema/conform.ts";
import { behaviorFromText, behaviorText } from "./behavior-annotation.ts";
import { metricFromV1, metricStatusFromV1, metricStatusToV1, metricToV1 } from "./metric-conversion.ts";
import { type MetricSpec, metricSpec } from "./metric-source-schema.ts";
import type { HorizontalPodAutoscaler as V1 } from "./v1-schema.ts";
import type { HorizontalPodAutoscaler as V2 } from "./v2-schema.ts";
import { horizontalPodAutoscalerCondition, type MetricStatus, metricStatus } from "./v2-status.ts";

export function toAutoscalerV2(autoscaler: V1, names: Names): ApiObject {
  const { spec, status, metadata } = autoscaler;
  const annotations = new EditedAnnotations(metadata);
  const cpu = spec.targetCPUUtilizationPercentage;
  const metrics: MetricSpec[] = take(annotations, names.autoscalerMetricsAnnotation, metricSpec, metricFromV1) ?? [];
  if (cpu !== undefined) metrics.push(cpuMetric(cpu));
  const currentMetrics =
    take(annotations, names.autoscalerCurrentMetricsAnnotation, metricStatus, metricStatusFromV1) ?? currentCpu(status);
  const conditions = take(
    annotations,
    names.autoscalerConditionsAnnotation,
    horizontalPodAutoscalerCondition,
    (condition) => condition,
  );
  const behavior = behaviorFromText(annotations.take(names.autoscalerBehaviorAnnotation));

  const { targetCPUUtilizationPercentage: _target, ...specRest } = spec;
  const { currentCPUUtilizationPercentage: _current, currentReplicas, ...statusRest } = status;
  return {
    ...autoscaler,
    metadata: annotations.edited,
    spec: { ...specRest, ...(metrics.length > 0 && { metrics }), ...(behavior && { behavior }) },
    status: {
      ...statusRest,
      ...(currentReplicas !== 0 && { currentReplicas }),
      currentMetrics: currentMetrics ?? null,
      ...(conditions && { conditions }),
    },
  } as unknown as ApiObject;
}

/** By the spec that was made of them. */
const metricsRead = new WeakMap<V1["spec"], readonly MetricSpec[]>();

/** The metrics of an autoscaler that was read, in their order; version v1 has the use of CPU apart from the others. */
export const metricsAsStored = ({ spec }: V1): readonly MetricSpec[] | undefined => metricsRead.get(spec);

export function fromAutoscalerV2(stored: ApiObject, names: Names): V1 {
  const { spec, status, metadata, ...rest } = stored as unknown as V2;
  const annotations = new EditedAnnotations(metadata);
  const isCpu = (metric: MetricSpec) =>
    metric.type === "Resource" &&
    metric.resource?.name === "cpu" &&
    metric.resource.target.averageUtilization !== undefined;
  const cpu = spec.metrics?.find(isCpu)?.resource?.target.averageUtilization;
  put(annotations, names.autoscalerMetricsAnnotation, spec.metrics?.filter((metric) => !isCpu(metric)).map(metricToV1));
  put(annotations, names.autoscalerCurrentMetricsAnnotation, status.currentMetrics?.map(metricStatusToV1));
  put(annotations, names.autoscalerConditionsAnnotation, status.conditions);
  if (spec.behavior) annotations.put(names.autoscalerBehaviorAnnotation, behaviorText(spec.behavior));

  const currentCpuPercent = status.currentMetrics?.find(
    (metric) => metric.type === "Resource" && metric.resource?.name === "cpu",
  )?.resource?.current.averageUtilization;
  const { metrics, behavior: _behavior, ...specRest } = spec;
  const { currentMetrics: _current, conditions: _conditions, ...statusRest } = status;
  const specV1 = { ...specRest, ...(cpu !== undefined && { targetCPUUtilizationPercentage: cpu }) };
  if (metrics) metricsRead.set(specV1, metrics);
  return {
    ...rest,
    metadata: annotations.edited,
    spec: specV1,
    status: {
      ...statusRest,
      currentReplicas: status.currentReplicas ?? 0,
      ...(currentCpuPercent !== undefined && { currentCPUUtilizationPercentage: currentCpuPercent }),
    },
  };
}

const cpuMetric = (percent: number): MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: percent } },
});

function currentCpu({ currentCPUUtilizationPercentage: percent }: V1["status"]): MetricStatus[] | undefined {
  if (percent === undefined) return undefined;
  return [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: percent } } }];
}

/** Annotations of which some come or go. They are copied when the first does: they may be very many, and mostly none does. */
class EditedAnnotations {
  readonly #metadata: ObjectMeta;
  #own: Record<string, string> | undefined;

  constructor(metadata: ObjectMeta) {
    this.#metadata = metadata;
  }

  take(key: string): string | undefined {
    const annotations = this.#own ?? this.#metadata.annotations ?? {};
    if (!Object.hasOwn(annotations, key)) return undefined;
    const text = annotations[key];
    delete this.#copy()[key];
    return text;
  }

  put(key: string, text: string): void {
    this.#copy()[key] = text;
  }

  get edited(): ObjectMeta {
    const { annotations = {}, ...rest } = this.#metadata;
    const now = this.#own ?? annotations;
    for (const _key in now) return { ...rest, annotations: now };
    return rest;
  }

  #copy(): Record<string, string> {
    this.#own ??= { ...this.#metadata.annotations };
    return this.#own;
  }
}

/** The elements that an annotation holds, and the annotation is gone. Text that cannot be read holds none. */
function take<T extends object>(
  annotations: EditedAnnotations,
  key: string,
  struct: Struct<T>,
  convert: (element: never) => object,
): T[] | undefined {
  const text = annotations.take(key);
  if (text === undefined) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list) || !list.every(isObject)) return undefined;
    return list.map((element) => conform(convert(element as never), struct, { unknownFields: "drop" }).value as T);
  } catch {
    return undefined;
  }
}

function put(annotations: EditedAnnotations, key: string, list: readonly unknown[] | null | undefined): void {
  if (list && list.length > 0) annotations.put(key, JSON.stringify(list));
}
