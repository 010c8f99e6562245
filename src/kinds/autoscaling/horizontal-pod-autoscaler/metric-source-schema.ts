// What an autoscaler looks at: the metrics of its spec, and how they are named.

import { dns1123LabelProblems, pathSegmentProblems } from "../../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";
import { INSIDE } from "../../../schema/check-fields.ts";
import { signOf } from "../../core/resource-amount-validation.ts";
import { labelSelector } from "../../meta/label-selector.ts";

export type CrossVersionObjectReference = ObjectOf<typeof crossVersionObjectReference>;

export const crossVersionObjectReference = s.struct(
  "autoscaling.v2.CrossVersionObjectReference",
  "An object of the same namespace, by kind and name.",
  () => ({
    kind: s.string(1, "The kind of the object.", { must: { filled: true, form: pathSegmentProblems } }),
    name: s.string(2, "The name of the object.", { must: { filled: true, form: pathSegmentProblems } }),
    apiVersion: opt.string(3, "The group and version of the object."),
  }),
);

export type MetricSpec = ObjectOf<typeof metricSpec>;

export const metricSpec = s.struct(
  "autoscaling.v2.MetricSpec",
  "One metric to follow; exactly the member that the type names is set.",
  () => ({
    type: s.named(
      "MetricSourceType",
      1,
      "Where the metric comes from: Resource, ContainerResource, Pods, Object or External.",
    ),
    object: ptr.of(objectMetricSource, 2, "A metric of one object, such as the requests per second of an ingress."),
    pods: ptr.of(
      podsMetricSource,
      3,
      "A metric that every pod reports; its average over the pods is compared with the target.",
    ),
    resource: ptr.of(
      resourceMetricSource,
      4,
      "The use of CPU, memory or another resource by the pods, compared with their requests or with a value.",
    ),
    containerResource: ptr.of(containerResourceMetricSource, 7, "The use of a resource by one container of each pod."),
    external: ptr.of(externalMetricSource, 5, "A metric from outside of the cluster, such as the length of a queue."),
  }),
);

export const objectMetricSource = s.struct("autoscaling.v2.ObjectMetricSource", "A metric of one object.", () => ({
  describedObject: s.of(crossVersionObjectReference, 1, "The object that the metric is about; in the same namespace."),
  target: s.of(metricTarget, 2, "The value to aim at: Value, or AverageValue for a share per pod.", { must: INSIDE }),
  metric: s.of(metricIdentifier, 3, "Which metric of the object.", { must: INSIDE }),
}));

export type MetricTarget = ObjectOf<typeof metricTarget>;

const metricTarget = s.struct(
  "autoscaling.v2.MetricTarget",
  "The value to aim at, in the member that the type names.",
  () => ({
    type: s.named(
      "MetricTargetType",
      1,
      "Utilization (in percent of requests), Value (as it is) or AverageValue (divided by the number of pods).",
      { must: { filled: "must specify a metric target type", strict: true, form: targetTypeProblems } },
    ),
    value: ptr.quantity(2, "The value of the metric to aim at; with type Value.", { must: POSITIVE_AMOUNT }),
    averageValue: ptr.quantity(3, "The value per pod to aim at; with type AverageValue.", { must: POSITIVE_AMOUNT }),
    averageUtilization: ptr.int32(
      4,
      "The average use to aim at, in percent of what the pods request; with type Utilization, for resources only.",
      { must: { amount: (percent) => (percent < 1 ? ["must be greater than 0"] : []) } },
    ),
  }),
);

const targetTypeProblems = (type: string): string[] =>
  ["Utilization", "Value", "AverageValue"].includes(type) ? [] : ["must be either Utilization, Value, or AverageValue"];

const POSITIVE_AMOUNT = { form: (amount: string) => (signOf(amount) <= 0 ? ["must be positive"] : []) };

export type MetricIdentifier = ObjectOf<typeof metricIdentifier>;

export const metricIdentifier = s.struct(
  "autoscaling.v2.MetricIdentifier",
  "A metric by its name and, where needed, its labels.",
  () => ({
    name: s.string(1, "The name of the metric.", {
      must: { filled: "must specify a metric name", form: pathSegmentProblems },
    }),
    selector: ptr.of(
      labelSelector,
      2,
      "Narrows the metric by labels; passed on to the metrics server. Not set, the name alone counts.",
    ),
  }),
);

export const podsMetricSource = s.struct(
  "autoscaling.v2.PodsMetricSource",
  "A metric that every pod of the workload reports.",
  () => ({
    metric: s.of(metricIdentifier, 1, "Which metric of the pods.", { must: INSIDE }),
    target: s.of(metricTarget, 2, "The value per pod to aim at; of type AverageValue.", { must: INSIDE }),
  }),
);

export const resourceMetricSource = s.struct(
  "autoscaling.v2.ResourceMetricSource",
  "The use of a resource by whole pods.",
  () => ({ name: resourceName(), target: resourceTarget() }),
);

const resourceName = () =>
  s.named("v1.ResourceName", 1, "The resource, such as cpu or memory.", {
    must: { filled: "must specify a resource name" },
  });

const resourceTarget = () => s.of(metricTarget, 2, "The use to aim at: Utilization or AverageValue.", { must: INSIDE });

export const containerResourceMetricSource = s.struct(
  "autoscaling.v2.ContainerResourceMetricSource",
  "The use of a resource by one container of each pod.",
  () => ({
    name: resourceName(),
    target: resourceTarget(),
    container: s.string(3, "The container of the pods to look at.", {
      must: { filled: "must specify a container", form: dns1123LabelProblems },
    }),
  }),
);

export const externalMetricSource = s.struct(
  "autoscaling.v2.ExternalMetricSource",
  "A metric that belongs to no object of the cluster.",
  () => ({
    metric: s.of(metricIdentifier, 1, "Which metric.", { must: INSIDE }),
    target: s.of(metricTarget, 2, "The value to aim at: Value, or AverageValue for a share per pod.", { must: INSIDE }),
  }),
);
