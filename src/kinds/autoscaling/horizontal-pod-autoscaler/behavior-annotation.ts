// The behavior of an autoscaler as text in an annotation. Upstream writes its internal names there, and reads any case.

import { isObject } from "../../../base/json.ts";
import { conform } from "../../../schema/conform.ts";
import {
  type HorizontalPodAutoscalerBehavior,
  type HPAScalingRules,
  horizontalPodAutoscalerBehavior,
} from "./v2-schema.ts";

export function behaviorText({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): string {
  return JSON.stringify({ ScaleUp: rulesOut(scaleUp), ScaleDown: rulesOut(scaleDown) });
}

/** Undefined for text that is no behavior. */
export function behaviorFromText(text: string | undefined): HorizontalPodAutoscalerBehavior | undefined {
  if (text === undefined) return undefined;
  try {
    const behavior = lowerKeys(JSON.parse(text));
    const { value } = conform(behavior, horizontalPodAutoscalerBehavior, { unknownFields: "drop" });
    return value as HorizontalPodAutoscalerBehavior;
  } catch {
    return undefined;
  }
}

function rulesOut(rules: HPAScalingRules | undefined): unknown {
  if (rules === undefined) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: (rules.policies ?? []).map(({ type, value, periodSeconds }) => ({
      Type: type,
      Value: value,
      PeriodSeconds: periodSeconds,
    })),
    Tolerance: rules.tolerance ?? null,
  };
}

// Every name that may stand in a behavior; what is not among them is dropped, and null is absent.
const KEYS = new Map(
  [
    "scaleUp",
    "scaleDown",
    "stabilizationWindowSeconds",
    "selectPolicy",
    "policies",
    "tolerance",
    "type",
    "value",
    "periodSeconds",
  ].map((key) => [key.toLowerCase(), key]),
);

function lowerKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerKeys);
  if (!isObject(value)) return value;
  const lowered: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const key = KEYS.get(name.toLowerCase());
    if (key !== undefined && inner !== null) lowered[key] = lowerKeys(inner);
  }
  return lowered;
}
