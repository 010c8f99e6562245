// What autoscalers must say: one row per rule, in both versions.

import { describe, expect, it } from "vitest";
import type { Draft } from "../../define-kind.ts";
import { createErrors } from "../../validation.testing.ts";
import { horizontalPodAutoscalerV1 } from "../horizontal-pod-autoscaler-v1.ts";
import { type HorizontalPodAutoscaler, horizontalPodAutoscalerV2 } from "../horizontal-pod-autoscaler-v2.ts";
import type { HorizontalPodAutoscaler as V1 } from "./v1-schema.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const errorsOf = (spec: object) =>
  createErrors(horizontalPodAutoscalerV2, {
    metadata: { name: "a", namespace: "n" },
    spec: { scaleTargetRef, maxReplicas: 3, ...spec },
  } as Draft<HorizontalPodAutoscaler>);
const resource = (target: object) => ({ metrics: [{ type: "Resource", resource: { name: "cpu", target } }] });

describe("an autoscaler", () => {
  it.each([
    [{}, []],
    [
      { maxReplicas: 0 },
      [
        "spec.maxReplicas: Invalid value: 0: must be greater than 0",
        "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
      ],
    ],
    [
      { scaleTargetRef: {} },
      [
        "spec.scaleTargetRef.kind: Required value",
        "spec.scaleTargetRef.name: Required value",
        'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
      ],
    ],
    [
      { metrics: [{ type: "X" }] },
      [
        'spec.metrics[0].type: Unsupported value: "X": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
        'spec.metrics[0].type: Unsupported value: "X": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      ],
    ],
    [
      resource({ type: "Utilization" }),
      [
        "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization",
      ],
    ],
    [
      resource({ type: "Utilization", averageUtilization: 5, averageValue: "1" }),
      [
        "spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization",
      ],
    ],
    [
      { metrics: [{ type: "Pods" }] },
      ["spec.metrics[0].pods: Required value: must populate information for the given metric source"],
    ],
    [
      { behavior: { scaleDown: { policies: [] } } },
      ["spec.behavior.scaleDown.policies: Required value: must specify at least one Policy"],
    ],
    [
      { behavior: { scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 1801 }] } } },
      ["spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800"],
    ],
    [
      { behavior: { scaleUp: { selectPolicy: "X" } } },
      ['spec.behavior.scaleUp.selectPolicy: Unsupported value: "X": supported values: "Disabled", "Max", "Min"'],
    ],
  ])("%j", (spec, errors) => {
    expect(errorsOf(spec)).toEqual(errors);
  });

  it("of version v1 is judged in the form of v2", () => {
    const draft = { metadata: { name: "a" }, spec: { scaleTargetRef, maxReplicas: 0, minReplicas: 1 } };
    expect(createErrors(horizontalPodAutoscalerV1, draft as Draft<V1>)).toHaveLength(2);
  });
});
