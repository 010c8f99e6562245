// The schema of HorizontalPodAutoscaler.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type HorizontalPodAutoscaler = ObjectOf<typeof horizontalPodAutoscalerSchema>;

export const horizontalPodAutoscalerSchema = objectSchema(
  "autoscaling.v2.HorizontalPodAutoscaler",
  { doc: "Scales a workload by metrics." },
  () => ({
    spec: s.of(horizontalPodAutoscalerSpec, {
      proto: 2,
      optional: true,
      doc: "What to scale, by which metrics and within which limits.",
    }),
    status: s.of(horizontalPodAutoscalerStatus, {
      proto: 3,
      optional: true,
      doc: "What the autoscaler sees and wants now; written by the controller.",
    }),
  }),
);

export type HorizontalPodAutoscalerSpec = ObjectOf<typeof horizontalPodAutoscalerSpec>;

export const horizontalPodAutoscalerSpec = s.struct(
  "autoscaling.v2.HorizontalPodAutoscalerSpec",
  { doc: "What to scale, by which metrics and within which limits." },
  () => ({
    scaleTargetRef: s.of(crossVersionObjectReference, {
      proto: 1,
      doc: "The workload to scale; it must have a scale sub-resource.",
    }),
    minReplicas: s.int32({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The lower limit of replicas; 1 if not set. 0 only where the server allows it, with an Object or External metric.",
    }),
    maxReplicas: s.int32({ proto: 3, doc: "The upper limit of replicas; not below minReplicas." }),
    metrics: s.list(metricSpec, {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "The metrics to follow; the one that asks for the most replicas wins. Not set: 80% average use of CPU.",
    }),
    behavior: s.of(horizontalPodAutoscalerBehavior, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "How fast to scale up and down; not set, the usual rules apply.",
    }),
  }),
);

export type CrossVersionObjectReference = ObjectOf<typeof crossVersionObjectReference>;

export const crossVersionObjectReference = s.struct(
  "autoscaling.v2.CrossVersionObjectReference",
  { doc: "An object of the same namespace, by kind and name." },
  () => ({
    kind: s.string({ proto: 1, doc: "The kind of the object." }),
    name: s.string({ proto: 2, doc: "The name of the object." }),
    apiVersion: s.string({ proto: 3, optional: true, doc: "The group and version of the object." }),
  }),
);

export type MetricSpec = ObjectOf<typeof metricSpec>;

export const metricSpec = s.struct(
  "autoscaling.v2.MetricSpec",
  { doc: "One metric to follow; exactly the member that the type names is set." },
  () => ({
    type: s.string({
      alias: "MetricSourceType",
      proto: 1,
      doc: "Where the metric comes from: Resource, ContainerResource, Pods, Object or External.",
    }),
    object: s.of(objectMetricSource, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "A metric of one object, such as the requests per second of an ingress.",
    }),
    pods: s.of(podsMetricSource, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "A metric that every pod reports; its average over the pods is compared with the target.",
    }),
    resource: s.of(resourceMetricSource, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "The use of CPU, memory or another resource by the pods, compared with their requests or with a value.",
    }),
    containerResource: s.of(containerResourceMetricSource, {
      proto: 7,
      optional: true,
      pointer: true,
      doc: "The use of a resource by one container of each pod.",
    }),
    external: s.of(externalMetricSource, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "A metric from outside of the cluster, such as the length of a queue.",
    }),
  }),
);

export type ObjectMetricSource = ObjectOf<typeof objectMetricSource>;

export const objectMetricSource = s.struct(
  "autoscaling.v2.ObjectMetricSource",
  { doc: "A metric of one object." },
  () => ({
    describedObject: s.of(crossVersionObjectReference, {
      proto: 1,
      doc: "The object that the metric is about; in the same namespace.",
    }),
    target: s.of(metricTarget, { proto: 2, doc: "The value to aim at: Value, or AverageValue for a share per pod." }),
    metric: s.of(metricIdentifier, { proto: 3, doc: "Which metric of the object." }),
  }),
);

export type MetricTarget = ObjectOf<typeof metricTarget>;

export const metricTarget = s.struct(
  "autoscaling.v2.MetricTarget",
  { doc: "The value to aim at, in the member that the type names." },
  () => ({
    type: s.string({
      alias: "MetricTargetType",
      proto: 1,
      doc: "Utilization (in percent of requests), Value (as it is) or AverageValue (divided by the number of pods).",
    }),
    value: s.quantity({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The value of the metric to aim at; with type Value.",
    }),
    averageValue: s.quantity({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "The value per pod to aim at; with type AverageValue.",
    }),
    averageUtilization: s.int32({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "The average use to aim at, in percent of what the pods request; with type Utilization, for resources only.",
    }),
  }),
);

export type MetricIdentifier = ObjectOf<typeof metricIdentifier>;

export const metricIdentifier = s.struct(
  "autoscaling.v2.MetricIdentifier",
  { doc: "A metric by its name and, where needed, its labels." },
  () => ({
    name: s.string({ proto: 1, doc: "The name of the metric." }),
    selector: s.of(labelSelector, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Narrows the metric by labels; passed on to the metrics server. Not set, the name alone counts.",
    }),
  }),
);

export type PodsMetricSource = ObjectOf<typeof podsMetricSource>;

export const podsMetricSource = s.struct(
  "autoscaling.v2.PodsMetricSource",
  { doc: "A metric that every pod of the workload reports." },
  () => ({
    metric: s.of(metricIdentifier, { proto: 1, doc: "Which metric of the pods." }),
    target: s.of(metricTarget, { proto: 2, doc: "The value per pod to aim at; of type AverageValue." }),
  }),
);

export type ResourceMetricSource = ObjectOf<typeof resourceMetricSource>;

export const resourceMetricSource = s.struct(
  "autoscaling.v2.ResourceMetricSource",
  { doc: "The use of a resource by whole pods." },
  () => ({
    name: s.string({ alias: "v1.ResourceName", proto: 1, doc: "The resource, such as cpu or memory." }),
    target: s.of(metricTarget, { proto: 2, doc: "The use to aim at: Utilization or AverageValue." }),
  }),
);

export type ContainerResourceMetricSource = ObjectOf<typeof containerResourceMetricSource>;

export const containerResourceMetricSource = s.struct(
  "autoscaling.v2.ContainerResourceMetricSource",
  { doc: "The use of a resource by one container of each pod." },
  () => ({
    name: s.string({ alias: "v1.ResourceName", proto: 1, doc: "The resource, such as cpu or memory." }),
    target: s.of(metricTarget, { proto: 2, doc: "The use to aim at: Utilization or AverageValue." }),
    container: s.string({ proto: 3, doc: "The container of the pods to look at." }),
  }),
);

export type ExternalMetricSource = ObjectOf<typeof externalMetricSource>;

export const externalMetricSource = s.struct(
  "autoscaling.v2.ExternalMetricSource",
  { doc: "A metric that belongs to no object of the cluster." },
  () => ({
    metric: s.of(metricIdentifier, { proto: 1, doc: "Which metric." }),
    target: s.of(metricTarget, { proto: 2, doc: "The value to aim at: Value, or AverageValue for a share per pod." }),
  }),
);

export type HorizontalPodAutoscalerBehavior = ObjectOf<typeof horizontalPodAutoscalerBehavior>;

export const horizontalPodAutoscalerBehavior = s.struct(
  "autoscaling.v2.HorizontalPodAutoscalerBehavior",
  { doc: "How fast to scale in each direction." },
  () => ({
    scaleUp: s.of(hpaScalingRules, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Not set: at once, by 4 pods or 100% every 15 seconds, whichever is more.",
    }),
    scaleDown: s.of(hpaScalingRules, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Not set: down to minReplicas, by the highest wish of the last 300 seconds.",
    }),
  }),
);

export type HPAScalingRules = ObjectOf<typeof hpaScalingRules>;

export const hpaScalingRules = s.struct(
  "autoscaling.v2.HPAScalingRules",
  { doc: "How fast to scale in one direction." },
  () => ({
    stabilizationWindowSeconds: s.int32({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Past seconds whose wishes are considered against flapping: 0 to 3600. Not set: 0 for up, 300 for down.",
    }),
    selectPolicy: s.string({
      alias: "ScalingPolicySelect",
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Which policy counts: Max (the default) the one with the largest change, Min the smallest; Disabled never scales this way.",
    }),
    policies: s.list(hpaScalingPolicy, {
      proto: 2,
      optional: true,
      keepEmpty: true,
      listType: "atomic",
      doc: "Limits of the change in a period; at least one if given. Not set, the usual ones apply.",
    }),
    tolerance: s.quantity({
      proto: 4,
      optional: true,
      pointer: true,
      gate: "HPAConfigurableTolerance",
      doc: "How far from the target the metric may be without scaling, as a fraction: 0.05 is 5%. Not set: 10%, or the cluster's own value.",
    }),
  }),
);

export type HPAScalingPolicy = ObjectOf<typeof hpaScalingPolicy>;

export const hpaScalingPolicy = s.struct(
  "autoscaling.v2.HPAScalingPolicy",
  { doc: "A limit of the change in a period." },
  () => ({
    type: s.string({
      alias: "HPAScalingPolicyType",
      proto: 1,
      doc: "What the value counts: Pods or Percent of the present replicas.",
    }),
    value: s.int32({ proto: 2, doc: "The largest change in the period; above 0." }),
    periodSeconds: s.int32({ proto: 3, doc: "The length of the period in seconds: 1 to 1800." }),
  }),
);

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
