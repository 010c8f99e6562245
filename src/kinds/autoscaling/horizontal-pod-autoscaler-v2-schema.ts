// The schema of HorizontalPodAutoscaler.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type HorizontalPodAutoscaler = ObjectOf<typeof horizontalPodAutoscalerSchema>;

export const horizontalPodAutoscalerSchema = objectSchema(
  "autoscaling.v2.HorizontalPodAutoscaler",
  { doc: "Scales a workload by metrics." },
  () => ({
    spec: s.of(horizontalPodAutoscalerSpec, { proto: 2, optional: true }),
    status: s.of(horizontalPodAutoscalerStatus, { proto: 3, optional: true }),
  }),
);

export type HorizontalPodAutoscalerSpec = ObjectOf<typeof horizontalPodAutoscalerSpec>;

export const horizontalPodAutoscalerSpec = s.struct("autoscaling.v2.HorizontalPodAutoscalerSpec", () => ({
  scaleTargetRef: s.of(crossVersionObjectReference, { proto: 1 }),
  minReplicas: s.int32({ proto: 2, optional: true, pointer: true }),
  maxReplicas: s.int32({ proto: 3 }),
  metrics: s.list(metricSpec, { proto: 4, optional: true, listType: "atomic" }),
  behavior: s.of(horizontalPodAutoscalerBehavior, { proto: 5, optional: true, pointer: true }),
}));

export type CrossVersionObjectReference = ObjectOf<typeof crossVersionObjectReference>;

export const crossVersionObjectReference = s.struct("autoscaling.v2.CrossVersionObjectReference", () => ({
  kind: s.string({ proto: 1 }),
  name: s.string({ proto: 2 }),
  apiVersion: s.string({ proto: 3, optional: true }),
}));

export type MetricSpec = ObjectOf<typeof metricSpec>;

export const metricSpec = s.struct("autoscaling.v2.MetricSpec", () => ({
  type: s.string({ alias: "MetricSourceType", proto: 1 }),
  object: s.of(objectMetricSource, { proto: 2, optional: true, pointer: true }),
  pods: s.of(podsMetricSource, { proto: 3, optional: true, pointer: true }),
  resource: s.of(resourceMetricSource, { proto: 4, optional: true, pointer: true }),
  containerResource: s.of(containerResourceMetricSource, { proto: 7, optional: true, pointer: true }),
  external: s.of(externalMetricSource, { proto: 5, optional: true, pointer: true }),
}));

export type ObjectMetricSource = ObjectOf<typeof objectMetricSource>;

export const objectMetricSource = s.struct("autoscaling.v2.ObjectMetricSource", () => ({
  describedObject: s.of(crossVersionObjectReference, { proto: 1 }),
  target: s.of(metricTarget, { proto: 2 }),
  metric: s.of(metricIdentifier, { proto: 3 }),
}));

export type MetricTarget = ObjectOf<typeof metricTarget>;

export const metricTarget = s.struct("autoscaling.v2.MetricTarget", () => ({
  type: s.string({ alias: "MetricTargetType", proto: 1 }),
  value: s.quantity({ proto: 2, optional: true, pointer: true }),
  averageValue: s.quantity({ proto: 3, optional: true, pointer: true }),
  averageUtilization: s.int32({ proto: 4, optional: true, pointer: true }),
}));

export type MetricIdentifier = ObjectOf<typeof metricIdentifier>;

export const metricIdentifier = s.struct("autoscaling.v2.MetricIdentifier", () => ({
  name: s.string({ proto: 1 }),
  selector: s.of(labelSelector, { proto: 2, optional: true, pointer: true }),
}));

export type PodsMetricSource = ObjectOf<typeof podsMetricSource>;

export const podsMetricSource = s.struct("autoscaling.v2.PodsMetricSource", () => ({
  metric: s.of(metricIdentifier, { proto: 1 }),
  target: s.of(metricTarget, { proto: 2 }),
}));

export type ResourceMetricSource = ObjectOf<typeof resourceMetricSource>;

export const resourceMetricSource = s.struct("autoscaling.v2.ResourceMetricSource", () => ({
  name: s.string({ alias: "v1.ResourceName", proto: 1 }),
  target: s.of(metricTarget, { proto: 2 }),
}));

export type ContainerResourceMetricSource = ObjectOf<typeof containerResourceMetricSource>;

export const containerResourceMetricSource = s.struct("autoscaling.v2.ContainerResourceMetricSource", () => ({
  name: s.string({ alias: "v1.ResourceName", proto: 1 }),
  target: s.of(metricTarget, { proto: 2 }),
  container: s.string({ proto: 3 }),
}));

export type ExternalMetricSource = ObjectOf<typeof externalMetricSource>;

export const externalMetricSource = s.struct("autoscaling.v2.ExternalMetricSource", () => ({
  metric: s.of(metricIdentifier, { proto: 1 }),
  target: s.of(metricTarget, { proto: 2 }),
}));

export type HorizontalPodAutoscalerBehavior = ObjectOf<typeof horizontalPodAutoscalerBehavior>;

export const horizontalPodAutoscalerBehavior = s.struct("autoscaling.v2.HorizontalPodAutoscalerBehavior", () => ({
  scaleUp: s.of(hpaScalingRules, { proto: 1, optional: true, pointer: true }),
  scaleDown: s.of(hpaScalingRules, { proto: 2, optional: true, pointer: true }),
}));

export type HPAScalingRules = ObjectOf<typeof hpaScalingRules>;

export const hpaScalingRules = s.struct("autoscaling.v2.HPAScalingRules", () => ({
  stabilizationWindowSeconds: s.int32({ proto: 3, optional: true, pointer: true }),
  selectPolicy: s.string({ alias: "ScalingPolicySelect", proto: 1, optional: true, pointer: true }),
  policies: s.list(hpaScalingPolicy, { proto: 2, optional: true, keepEmpty: true, listType: "atomic" }),
  tolerance: s.quantity({ proto: 4, optional: true, pointer: true, gate: "HPAConfigurableTolerance" }),
}));

export type HPAScalingPolicy = ObjectOf<typeof hpaScalingPolicy>;

export const hpaScalingPolicy = s.struct("autoscaling.v2.HPAScalingPolicy", () => ({
  type: s.string({ alias: "HPAScalingPolicyType", proto: 1 }),
  value: s.int32({ proto: 2 }),
  periodSeconds: s.int32({ proto: 3 }),
}));

export type HorizontalPodAutoscalerStatus = ObjectOf<typeof horizontalPodAutoscalerStatus>;

export const horizontalPodAutoscalerStatus = s.struct("autoscaling.v2.HorizontalPodAutoscalerStatus", () => ({
  observedGeneration: s.int64({ proto: 1, optional: true, pointer: true }),
  lastScaleTime: s.time({ proto: 2, optional: true, pointer: true }),
  currentReplicas: s.int32({ proto: 3, optional: true }),
  desiredReplicas: s.int32({ proto: 4 }),
  currentMetrics: s.list(metricStatus, { proto: 5, required: false, listType: "atomic" }),
  conditions: s.list(horizontalPodAutoscalerCondition, {
    proto: 6,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
}));

export type MetricStatus = ObjectOf<typeof metricStatus>;

export const metricStatus = s.struct("autoscaling.v2.MetricStatus", () => ({
  type: s.string({ alias: "MetricSourceType", proto: 1 }),
  object: s.of(objectMetricStatus, { proto: 2, optional: true, pointer: true }),
  pods: s.of(podsMetricStatus, { proto: 3, optional: true, pointer: true }),
  resource: s.of(resourceMetricStatus, { proto: 4, optional: true, pointer: true }),
  containerResource: s.of(containerResourceMetricStatus, { proto: 7, optional: true, pointer: true }),
  external: s.of(externalMetricStatus, { proto: 5, optional: true, pointer: true }),
}));

export type ObjectMetricStatus = ObjectOf<typeof objectMetricStatus>;

export const objectMetricStatus = s.struct("autoscaling.v2.ObjectMetricStatus", () => ({
  metric: s.of(metricIdentifier, { proto: 1 }),
  current: s.of(metricValueStatus, { proto: 2 }),
  describedObject: s.of(crossVersionObjectReference, { proto: 3 }),
}));

export type MetricValueStatus = ObjectOf<typeof metricValueStatus>;

export const metricValueStatus = s.struct("autoscaling.v2.MetricValueStatus", () => ({
  value: s.quantity({ proto: 1, optional: true, pointer: true }),
  averageValue: s.quantity({ proto: 2, optional: true, pointer: true }),
  averageUtilization: s.int32({ proto: 3, optional: true, pointer: true }),
}));

export type PodsMetricStatus = ObjectOf<typeof podsMetricStatus>;

export const podsMetricStatus = s.struct("autoscaling.v2.PodsMetricStatus", () => ({
  metric: s.of(metricIdentifier, { proto: 1 }),
  current: s.of(metricValueStatus, { proto: 2 }),
}));

export type ResourceMetricStatus = ObjectOf<typeof resourceMetricStatus>;

export const resourceMetricStatus = s.struct("autoscaling.v2.ResourceMetricStatus", () => ({
  name: s.string({ alias: "v1.ResourceName", proto: 1 }),
  current: s.of(metricValueStatus, { proto: 2 }),
}));

export type ContainerResourceMetricStatus = ObjectOf<typeof containerResourceMetricStatus>;

export const containerResourceMetricStatus = s.struct("autoscaling.v2.ContainerResourceMetricStatus", () => ({
  name: s.string({ alias: "v1.ResourceName", proto: 1 }),
  current: s.of(metricValueStatus, { proto: 2 }),
  container: s.string({ proto: 3 }),
}));

export type ExternalMetricStatus = ObjectOf<typeof externalMetricStatus>;

export const externalMetricStatus = s.struct("autoscaling.v2.ExternalMetricStatus", () => ({
  metric: s.of(metricIdentifier, { proto: 1 }),
  current: s.of(metricValueStatus, { proto: 2 }),
}));

export type HorizontalPodAutoscalerCondition = ObjectOf<typeof horizontalPodAutoscalerCondition>;

export const horizontalPodAutoscalerCondition = s.struct("autoscaling.v2.HorizontalPodAutoscalerCondition", () => ({
  type: s.string({ alias: "HorizontalPodAutoscalerConditionType", proto: 1 }),
  status: s.string({ alias: "v1.ConditionStatus", proto: 2 }),
  lastTransitionTime: s.time({ proto: 3, required: false }),
  reason: s.string({ proto: 4, optional: true }),
  message: s.string({ proto: 5, optional: true }),
}));
