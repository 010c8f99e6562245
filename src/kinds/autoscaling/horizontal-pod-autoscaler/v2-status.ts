// What an autoscaler has seen and decided.

import { type ObjectOf, opt, ptr, s, shown } from "../../../schema/builder.ts";
import { NOT_NEGATIVE } from "../../../schema/check-fields.ts";
import { crossVersionObjectReference, metricIdentifier } from "./metric-source-schema.ts";

export const horizontalPodAutoscalerStatus = s.struct(
  "autoscaling.v2.HorizontalPodAutoscalerStatus",
  "What the autoscaler sees and wants now.",
  () => ({
    observedGeneration: ptr.int64(1, "The generation of the spec that this status describes."),
    lastScaleTime: ptr.time(2, "When the number of replicas was last changed by the autoscaler."),
    currentReplicas: opt.int32(3, "The replicas that the autoscaler last saw.", { must: NOT_NEGATIVE }),
    desiredReplicas: s.int32(4, "The replicas that the autoscaler last worked out.", { must: NOT_NEGATIVE }),
    currentMetrics: shown.atomic(metricStatus, 5, "The metrics as they were last read."),
    conditions: opt.listBy(
      "type",
      horizontalPodAutoscalerCondition,
      6,
      "Whether the autoscaler can scale and does: AbleToScale, ScalingActive, ScalingLimited.",
    ),
  }),
);

export type MetricStatus = ObjectOf<typeof metricStatus>;

export const metricStatus = s.struct(
  "autoscaling.v2.MetricStatus",
  "One metric as it was last read; the member that the type names is set.",
  () => ({
    type: s.named(
      "MetricSourceType",
      1,
      "Where the metric comes from: Resource, ContainerResource, Pods, Object or External.",
    ),
    object: ptr.of(objectMetricStatus, 2, "The metric of one object."),
    pods: ptr.of(podsMetricStatus, 3, "The metric that every pod reports."),
    resource: ptr.of(resourceMetricStatus, 4, "The use of a resource by the pods."),
    containerResource: ptr.of(containerResourceMetricStatus, 7, "The use of a resource by one container of each pod."),
    external: ptr.of(externalMetricStatus, 5, "The metric from outside of the cluster."),
  }),
);

const objectMetricStatus = s.struct(
  "autoscaling.v2.ObjectMetricStatus",
  "A metric of one object, as it was last read.",
  () => ({
    metric: s.of(metricIdentifier, 1, "Which metric of the object."),
    current: s.of(metricValueStatus, 2, "Its present value."),
    describedObject: s.of(crossVersionObjectReference, 3, "The object that the metric is about."),
  }),
);

export type MetricValueStatus = ObjectOf<typeof metricValueStatus>;

const metricValueStatus = s.struct(
  "autoscaling.v2.MetricValueStatus",
  "The present value of a metric, in the form that the target asks for.",
  () => ({
    value: ptr.quantity(1, "The value of the metric."),
    averageValue: ptr.quantity(2, "The value divided by the number of pods."),
    averageUtilization: ptr.int32(3, "The average use, in percent of what the pods request."),
  }),
);

const podsMetricStatus = s.struct(
  "autoscaling.v2.PodsMetricStatus",
  "A metric that every pod reports, as it was last read.",
  () => ({
    metric: s.of(metricIdentifier, 1, "Which metric of the pods."),
    current: s.of(metricValueStatus, 2, "Its present average over the pods."),
  }),
);

const resourceMetricStatus = s.struct(
  "autoscaling.v2.ResourceMetricStatus",
  "The use of a resource by the pods, as it was last read.",
  () => ({
    name: s.named("v1.ResourceName", 1, "The resource, such as cpu or memory."),
    current: s.of(metricValueStatus, 2, "Its present use."),
  }),
);

const containerResourceMetricStatus = s.struct(
  "autoscaling.v2.ContainerResourceMetricStatus",
  "The use of a resource by one container of each pod, as it was last read.",
  () => ({
    name: s.named("v1.ResourceName", 1, "The resource, such as cpu or memory."),
    current: s.of(metricValueStatus, 2, "Its present use."),
    container: s.string(3, "The container of the pods that is looked at."),
  }),
);

const externalMetricStatus = s.struct(
  "autoscaling.v2.ExternalMetricStatus",
  "A metric from outside of the cluster, as it was last read.",
  () => ({
    metric: s.of(metricIdentifier, 1, "Which metric."),
    current: s.of(metricValueStatus, 2, "Its present value."),
  }),
);

export const horizontalPodAutoscalerCondition = s.struct(
  "autoscaling.v2.HorizontalPodAutoscalerCondition",
  "One aspect of the state of an autoscaler.",
  () => ({
    type: s.named("HorizontalPodAutoscalerConditionType", 1, "AbleToScale, ScalingActive or ScalingLimited."),
    status: s.named("v1.ConditionStatus", 2, "Whether the condition holds: True, False or Unknown."),
    lastTransitionTime: shown.time(3, "When the status last became what it is."),
    reason: opt.string(4, "One word for programs: why it became so."),
    message: opt.string(5, "Details for people."),
  }),
);
