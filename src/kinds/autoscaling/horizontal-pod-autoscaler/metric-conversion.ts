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
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    ...(object && {
      object: {
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? "0",
        ...selector(object.metric),
        ...defined("averageValue", object.target.averageValue),
      },
    }),
    ...(pods && {
      pods: {
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? "0",
        ...selector(pods.metric),
      },
    }),
    ...(resource && { resource: { name: resource.name, ...resourceTarget(resource.target) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        ...resourceTarget(containerResource.target),
        container: containerResource.container,
      },
    }),
    ...(external && {
      external: {
        metricName: external.metric.name,
        ...defined("metricSelector", external.metric.selector as JsonObject | undefined),
        ...defined("targetValue", external.target.value),
        ...defined("targetAverageValue", external.target.averageValue),
      },
    }),
  };
}

export function metricFromV1({ type = "", ...metric }: MetricV1): MetricSpec {
  const { object, pods, resource, containerResource, external } = metric;
  return {
    type,
    ...(object && {
      object: {
        describedObject: object.target ?? { kind: "", name: "" },
        target:
          object.averageValue === undefined ? valueTarget(object.targetValue) : averageTarget(object.averageValue),
        metric: identifier(object.metricName, object.selector),
      },
    }),
    ...(pods && {
      pods: { metric: identifier(pods.metricName, pods.selector), target: averageTarget(pods.targetAverageValue) },
    }),
    ...(resource && { resource: { name: resource.name ?? "", target: targetOfResource(resource) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name ?? "",
        target: targetOfResource(containerResource),
        container: containerResource.container ?? "",
      },
    }),
    ...(external && {
      external: {
        metric: identifier(external.metricName, external.metricSelector),
        target: externalTarget(external),
      },
    }),
  };
}

export function metricStatusToV1(status: MetricStatus): MetricV1 {
  const { type, object, pods, resource, containerResource, external } = status;
  return {
    type,
    ...(object && {
      object: {
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? "0",
        ...selector(object.metric),
        ...defined("averageValue", object.current.averageValue),
      },
    }),
    ...(pods && {
      pods: {
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? "0",
        ...selector(pods.metric),
      },
    }),
    ...(resource && { resource: { name: resource.name, ...resourceCurrent(resource.current) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        ...resourceCurrent(containerResource.current),
        container: containerResource.container,
      },
    }),
    ...(external && {
      external: {
        metricName: external.metric.name,
        ...defined("metricSelector", external.metric.selector as JsonObject | undefined),
        currentValue: external.current.value ?? "0",
        ...defined("currentAverageValue", external.current.averageValue),
      },
    }),
  };
}

export function metricStatusFromV1({ type = "", ...status }: MetricV1): MetricStatus {
  const { object, pods, resource, containerResource, external } = status;
  return {
    type,
    ...(object && {
      object: {
        metric: identifier(object.metricName, object.selector),
        current: { ...defined("value", object.currentValue), ...defined("averageValue", object.averageValue) },
        describedObject: object.target ?? { kind: "", name: "" },
      },
    }),
    ...(pods && {
      pods: {
        metric: identifier(pods.metricName, pods.selector),
        current: { ...defined("averageValue", pods.currentAverageValue) },
      },
    }),
    ...(resource && { resource: { name: resource.name ?? "", current: currentOfResource(resource) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name ?? "",
        current: currentOfResource(containerResource),
        container: containerResource.container ?? "",
      },
    }),
    ...(external && {
      external: {
        metric: identifier(external.metricName, external.metricSelector),
        current: {
          ...defined("value", external.currentValue),
          ...defined("averageValue", external.currentAverageValue),
        },
      },
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

function resourceTarget({ averageUtilization, averageValue }: MetricTarget): SourceV1 {
  return {
    ...defined("targetAverageUtilization", averageUtilization),
    ...defined("targetAverageValue", averageValue),
  };
}

function targetOfResource({ targetAverageUtilization, targetAverageValue }: SourceV1): MetricTarget {
  const type = targetAverageUtilization === undefined ? "AverageValue" : "Utilization";
  return {
    type,
    ...defined("averageValue", targetAverageValue),
    ...defined("averageUtilization", targetAverageUtilization),
  };
}

function resourceCurrent({ averageUtilization, averageValue }: MetricValueStatus): SourceV1 {
  return {
    ...defined("currentAverageUtilization", averageUtilization),
    currentAverageValue: averageValue ?? "0",
  };
}

function currentOfResource({ currentAverageUtilization, currentAverageValue }: SourceV1): MetricValueStatus {
  return {
    ...defined("averageValue", currentAverageValue),
    ...defined("averageUtilization", currentAverageUtilization),
  };
}
