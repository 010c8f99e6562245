// What an autoscaler looks at: the metrics of its spec, and how they are named.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";

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
