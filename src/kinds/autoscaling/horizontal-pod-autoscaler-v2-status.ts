// What an autoscaler has seen and decided.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { crossVersionObjectReference, metricIdentifier } from "./metric-source-schema.ts";

export type HorizontalPodAutoscalerStatus = ObjectOf<typeof horizontalPodAutoscalerStatus>;

export const horizontalPodAutoscalerStatus = s.struct(
  "autoscaling.v2.HorizontalPodAutoscalerStatus",
  { doc: "What the autoscaler sees and wants now." },
  () => ({
    observedGeneration: s.int64({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The generation of the spec that this status describes.",
    }),
    lastScaleTime: s.time({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "When the number of replicas was last changed by the autoscaler.",
    }),
    currentReplicas: s.int32({ proto: 3, optional: true, doc: "The replicas that the autoscaler last saw." }),
    desiredReplicas: s.int32({ proto: 4, doc: "The replicas that the autoscaler last worked out." }),
    currentMetrics: s.list(metricStatus, {
      proto: 5,
      required: false,
      listType: "atomic",
      doc: "The metrics as they were last read.",
    }),
    conditions: s.list(horizontalPodAutoscalerCondition, {
      proto: 6,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
      doc: "Whether the autoscaler can scale and does: AbleToScale, ScalingActive, ScalingLimited.",
    }),
  }),
);

export type MetricStatus = ObjectOf<typeof metricStatus>;

export const metricStatus = s.struct(
  "autoscaling.v2.MetricStatus",
  { doc: "One metric as it was last read; the member that the type names is set." },
  () => ({
    type: s.string({
      alias: "MetricSourceType",
      proto: 1,
      doc: "Where the metric comes from: Resource, ContainerResource, Pods, Object or External.",
    }),
    object: s.of(objectMetricStatus, { proto: 2, optional: true, pointer: true, doc: "The metric of one object." }),
    pods: s.of(podsMetricStatus, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "The metric that every pod reports.",
    }),
    resource: s.of(resourceMetricStatus, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "The use of a resource by the pods.",
    }),
    containerResource: s.of(containerResourceMetricStatus, {
      proto: 7,
      optional: true,
      pointer: true,
      doc: "The use of a resource by one container of each pod.",
    }),
    external: s.of(externalMetricStatus, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "The metric from outside of the cluster.",
    }),
  }),
);

export type ObjectMetricStatus = ObjectOf<typeof objectMetricStatus>;

export const objectMetricStatus = s.struct(
  "autoscaling.v2.ObjectMetricStatus",
  { doc: "A metric of one object, as it was last read." },
  () => ({
    metric: s.of(metricIdentifier, { proto: 1, doc: "Which metric of the object." }),
    current: s.of(metricValueStatus, { proto: 2, doc: "Its present value." }),
    describedObject: s.of(crossVersionObjectReference, { proto: 3, doc: "The object that the metric is about." }),
  }),
);

export type MetricValueStatus = ObjectOf<typeof metricValueStatus>;

export const metricValueStatus = s.struct(
  "autoscaling.v2.MetricValueStatus",
  { doc: "The present value of a metric, in the form that the target asks for." },
  () => ({
    value: s.quantity({ proto: 1, optional: true, pointer: true, doc: "The value of the metric." }),
    averageValue: s.quantity({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The value divided by the number of pods.",
    }),
    averageUtilization: s.int32({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "The average use, in percent of what the pods request.",
    }),
  }),
);

export type PodsMetricStatus = ObjectOf<typeof podsMetricStatus>;

export const podsMetricStatus = s.struct(
  "autoscaling.v2.PodsMetricStatus",
  { doc: "A metric that every pod reports, as it was last read." },
  () => ({
    metric: s.of(metricIdentifier, { proto: 1, doc: "Which metric of the pods." }),
    current: s.of(metricValueStatus, { proto: 2, doc: "Its present average over the pods." }),
  }),
);

export type ResourceMetricStatus = ObjectOf<typeof resourceMetricStatus>;

export const resourceMetricStatus = s.struct(
  "autoscaling.v2.ResourceMetricStatus",
  { doc: "The use of a resource by the pods, as it was last read." },
  () => ({
    name: s.string({ alias: "v1.ResourceName", proto: 1, doc: "The resource, such as cpu or memory." }),
    current: s.of(metricValueStatus, { proto: 2, doc: "Its present use." }),
  }),
);

export type ContainerResourceMetricStatus = ObjectOf<typeof containerResourceMetricStatus>;

export const containerResourceMetricStatus = s.struct(
  "autoscaling.v2.ContainerResourceMetricStatus",
  { doc: "The use of a resource by one container of each pod, as it was last read." },
  () => ({
    name: s.string({ alias: "v1.ResourceName", proto: 1, doc: "The resource, such as cpu or memory." }),
    current: s.of(metricValueStatus, { proto: 2, doc: "Its present use." }),
    container: s.string({ proto: 3, doc: "The container of the pods that is looked at." }),
  }),
);

export type ExternalMetricStatus = ObjectOf<typeof externalMetricStatus>;

export const externalMetricStatus = s.struct(
  "autoscaling.v2.ExternalMetricStatus",
  { doc: "A metric from outside of the cluster, as it was last read." },
  () => ({
    metric: s.of(metricIdentifier, { proto: 1, doc: "Which metric." }),
    current: s.of(metricValueStatus, { proto: 2, doc: "Its present value." }),
  }),
);

export type HorizontalPodAutoscalerCondition = ObjectOf<typeof horizontalPodAutoscalerCondition>;

export const horizontalPodAutoscalerCondition = s.struct(
  "autoscaling.v2.HorizontalPodAutoscalerCondition",
  { doc: "One aspect of the state of an autoscaler." },
  () => ({
    type: s.string({
      alias: "HorizontalPodAutoscalerConditionType",
      proto: 1,
      doc: "AbleToScale, ScalingActive or ScalingLimited.",
    }),
    status: s.string({
      alias: "v1.ConditionStatus",
      proto: 2,
      doc: "Whether the condition holds: True, False or Unknown.",
    }),
    lastTransitionTime: s.time({ proto: 3, required: false, doc: "When the status last became what it is." }),
    reason: s.string({ proto: 4, optional: true, doc: "One word for programs: why it became so." }),
    message: s.string({ proto: 5, optional: true, doc: "Details for people." }),
  }),
);
