// Metrics of autoscalers in the form of version v1, where they live in annotations, and in that of v2.

import type { JsonObject } from "../../../base/json.ts";
import type {
  CrossVersionObjectReference,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from "./metric-source-schema.ts";
import type { MetricStatus, MetricValueStatus } from "./v2-status.ts";

/** A metric or its status as version v1 spells it; every member is optional, because it comes out of text. */
interface MetricV1 {
  type?: string;
  object?: SourceV1 & { target?: CrossVersionObjectReference };
  pods?: SourceV1;
  resource?: SourceV1;
  containerResource?: SourceV1;
  external?: SourceV1;
}

interface SourceV1 {
  metricName?: string;
  name?: string;
  container?: string;
  selector?: JsonObject;
  metricSelector?: JsonObject;
  targetValue?: string;
  averageValue?: string;
  targetAverageValue?: string;
  targetAverageUtilization?: number;
  currentValue?: string;
  currentAverageValue?: string;
  currentAverageUtilization?: number;
}

export function metricToV1(metric: MetricSpec): MetricV1 {
  return sourcesToV1(metric, ({ target }: { target: MetricTarget }) => target, {
    object: ({ value = "0" }) => ({ targetValue: value }),
    pods: ({ averageValue = "0" }) => ({ targetAverageValue: averageValue }),
    resource: ({ averageUtilization, averageValue }) => ({
      ...defined("targetAverageUtilization", averageUtilization),
      ...defined("targetAverageValue", averageValue),
    }),
    external: ({ value, averageValue }) => ({
      ...defined("targetValue", value),
      ...defined("targetAverageValue", averageValue),
    }),
  });
}

export function metricStatusToV1(status: MetricStatus): MetricV1 {
  return sourcesToV1(status, ({ current }: { current: MetricValueStatus }) => current, {
    object: ({ value = "0" }) => ({ currentValue: value }),
    pods: ({ averageValue = "0" }) => ({ currentAverageValue: averageValue }),
    resource: ({ averageUtilization, averageValue = "0" }) => ({
      ...defined("currentAverageUtilization", averageUtilization),
      currentAverageValue: averageValue,
    }),
    external: ({ value = "0", averageValue }) => ({
      currentValue: value,
      ...defined("currentAverageValue", averageValue),
    }),
  });
}

export function metricFromV1(metric: MetricV1): MetricSpec {
  return sourcesFromV1(metric, "target", {
    object: ({ averageValue, targetValue }) =>
      averageValue === undefined ? valueTarget(targetValue) : averageTarget(averageValue),
    pods: ({ targetAverageValue }) => averageTarget(targetAverageValue),
    resource: targetOfResource,
    external: externalTarget,
  }) as MetricSpec;
}

export function metricStatusFromV1(status: MetricV1): MetricStatus {
  return sourcesFromV1(status, "current", {
    object: ({ currentValue, averageValue }) => ({
      ...defined("value", currentValue),
      ...defined("averageValue", averageValue),
    }),
    pods: ({ currentAverageValue }) => defined("averageValue", currentAverageValue),
    resource: currentOfResource,
    external: ({ currentValue, currentAverageValue }) => ({
      ...defined("value", currentValue),
      ...defined("averageValue", currentAverageValue),
    }),
  }) as MetricStatus;
}

interface Identified {
  readonly metric: MetricIdentifier;
}

/** The sources of a metric; each has its values in a member of its own (`V`). */
interface Sources<V> {
  readonly type: string;
  readonly object?: V & Identified & { readonly describedObject: CrossVersionObjectReference };
  readonly pods?: V & Identified;
  readonly resource?: V & { readonly name: string };
  readonly containerResource?: V & { readonly name: string; readonly container: string };
  readonly external?: V & Identified;
}

/** How each source says something. */
type BySource<A, B> = Readonly<Record<"object" | "pods" | "resource" | "external", (given: A) => B>>;

function sourcesToV1<V, A extends { readonly averageValue?: string }>(
  { type, object, pods, resource, containerResource, external }: Sources<V>,
  valuesOf: (source: V) => A,
  say: BySource<A, SourceV1>,
): MetricV1 {
  return {
    type,
    ...(object && {
      object: {
        target: object.describedObject,
        metricName: object.metric.name,
        ...say.object(valuesOf(object)),
        ...selector(object.metric),
        ...defined("averageValue", valuesOf(object).averageValue),
      },
    }),
    ...(pods && {
      pods: { metricName: pods.metric.name, ...say.pods(valuesOf(pods)), ...selector(pods.metric) },
    }),
    ...(resource && { resource: { name: resource.name, ...say.resource(valuesOf(resource)) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        ...say.resource(valuesOf(containerResource)),
        container: containerResource.container,
      },
    }),
    ...(external && {
      external: {
        metricName: external.metric.name,
        ...defined("metricSelector", external.metric.selector as JsonObject | undefined),
        ...say.external(valuesOf(external)),
      },
    }),
  };
}

function sourcesFromV1(metric: MetricV1, key: "target" | "current", read: BySource<SourceV1, object>): object {
  const { type = "", object, pods, resource, containerResource, external } = metric;
  return {
    type,
    ...(object && {
      object: {
        describedObject: object.target ?? { kind: "", name: "" },
        [key]: read.object(object),
        metric: identifier(object.metricName, object.selector),
      },
    }),
    ...(pods && { pods: { metric: identifier(pods.metricName, pods.selector), [key]: read.pods(pods) } }),
    ...(resource && { resource: { name: resource.name ?? "", [key]: read.resource(resource) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name ?? "",
        [key]: read.resource(containerResource),
        container: containerResource.container ?? "",
      },
    }),
    ...(external && {
      external: { metric: identifier(external.metricName, external.metricSelector), [key]: read.external(external) },
    }),
  };
}

function defined<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

const selector = ({ selector: labels }: MetricIdentifier) => defined("selector", labels as JsonObject | undefined);

const identifier = (name = "", labels?: JsonObject): MetricIdentifier =>
  ({ name, ...defined("selector", labels) }) as MetricIdentifier;

const valueTarget = (value = "0"): MetricTarget => ({ type: "Value", value });
const averageTarget = (averageValue = "0"): MetricTarget => ({ type: "AverageValue", averageValue });

function externalTarget({ targetValue, targetAverageValue }: SourceV1): MetricTarget {
  const type = targetValue === undefined ? "AverageValue" : "Value";
  return { type, ...defined("value", targetValue), ...defined("averageValue", targetAverageValue) };
}

function targetOfResource({ targetAverageUtilization, targetAverageValue }: SourceV1): MetricTarget {
  const type = targetAverageUtilization === undefined ? "AverageValue" : "Utilization";
  return {
    type,
    ...defined("averageValue", targetAverageValue),
    ...defined("averageUtilization", targetAverageUtilization),
  };
}

function currentOfResource({ currentAverageUtilization, currentAverageValue }: SourceV1): MetricValueStatus {
  return {
    ...defined("averageValue", currentAverageValue),
    ...defined("averageUtilization", currentAverageUtilization),
  };
}
