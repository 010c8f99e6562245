// What a metric of an autoscaler must say: its type, and exactly the source of that type.

import { type FieldError, forbiddenField, notSupported, required } from "../../../meta/field-error.ts";
import type { Names } from "../../../meta/names.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import { checkContainerResourceName } from "../../core/pod/resource-validation.ts";
import { checkTargetReference } from "../target-reference-validation.ts";
import {
  containerResourceMetricSource,
  externalMetricSource,
  type MetricSpec,
  type MetricTarget,
  objectMetricSource,
  podsMetricSource,
  resourceMetricSource,
} from "./metric-source-schema.ts";

const TYPES = ["ContainerResource", "External", "Object", "Pods", "Resource"];
// In the order in which upstream looks at them.
const SOURCES = ["object", "external", "pods", "resource", "containerResource"] as const;

export function checkMetric(metric: MetricSpec, at: string, names: Names, errors: FieldError[]): void {
  const { type } = metric;
  if (type === "") errors.push(required(`${at}.type`, "must specify a metric source type"));
  if (!TYPES.includes(type)) errors.push(notSupported(`${at}.type`, type, TYPES));
  const present = SOURCES.filter((source) => metric[source]);
  if (present[0] !== undefined) CHECKS[present[0]](metric, `${at}.${present[0]}`, errors, names);
  const expected = SOURCES.find((source) => source.toLowerCase() === type.toLowerCase() && TYPES.includes(type));
  if (expected !== undefined && !metric[expected]) {
    errors.push(required(`${at}.${expected}`, "must populate information for the given metric source"));
  }
  // Upstream says it once more when it looks for the source of the type.
  if (expected === undefined) errors.push(notSupported(`${at}.type`, type, TYPES));
  if (present.length <= 1) return;
  for (const source of present) {
    if (source === expected) continue;
    errors.push(forbiddenField(`${at}.${source}`, "must populate the given metric source only"));
  }
}

type Check = (metric: MetricSpec, at: string, errors: FieldError[], names: Names) => void;

const CHECKS: Readonly<Record<(typeof SOURCES)[number], Check>> = {
  object({ object }, at, errors) {
    const { describedObject, target } = object!;
    checkTargetReference(describedObject, `${at}.describedObject`, true, errors);
    checkFields(object!, objectMetricSource, at, errors, ["metric", "target"]);
    if (target.value === undefined && target.averageValue === undefined) {
      errors.push(required(`${at}.target.averageValue`, "must set either a target value or averageValue"));
    }
  },
  external({ external }, at, errors) {
    const { target } = external!;
    checkFields(external!, externalMetricSource, at, errors);
    const [hasValue, hasAverage] = [target.value !== undefined, target.averageValue !== undefined];
    if (!hasValue && !hasAverage) {
      const detail = "must set either a target value for metric or a per-pod target";
      errors.push(required(`${at}.target.averageValue`, detail));
    }
    if (hasValue && hasAverage) {
      const detail = "may not set both a target value for metric and a per-pod target";
      errors.push(forbiddenField(`${at}.target.value`, detail));
    }
  },
  pods({ pods }, at, errors) {
    const { averageValue } = pods!.target;
    checkFields(pods!, podsMetricSource, at, errors);
    if (averageValue === undefined) {
      errors.push(required(`${at}.target.averageValue`, "must specify a positive target averageValue"));
    }
  },
  resource({ resource }, at, errors) {
    checkFields(resource!, resourceMetricSource, at, errors);
    checkOneResourceTarget(resource!.target, `${at}.target`, errors);
  },
  containerResource({ containerResource }, at, errors, names) {
    const { name, target } = containerResource!;
    checkFields(containerResource!, containerResourceMetricSource, at, errors, ["name"]);
    if (name !== "") checkContainerResourceName(errors, `${at}.name`, name, { names });
    checkFields(containerResource!, containerResourceMetricSource, at, errors, ["container", "target"]);
    checkOneResourceTarget(target, `${at}.target`, errors);
  },
};

function checkOneResourceTarget(target: MetricTarget, at: string, errors: FieldError[]): void {
  const [hasPercent, hasAverage] = [target.averageUtilization !== undefined, target.averageValue !== undefined];
  if (!hasPercent && !hasAverage) {
    const detail = "must set either a target raw value or a target utilization";
    errors.push(required(`${at}.averageUtilization`, detail));
  }
  if (hasPercent && hasAverage) {
    errors.push(forbiddenField(`${at}.averageValue`, "may not set both a target raw value and a target utilization"));
  }
}
