// What becomes of the annotations between the two versions. Fields are compared in the tests of conformance.

import { expect, it } from "vitest";
import { namesFor } from "../../../meta/names.ts";
import type { HookContext } from "../../define-kind.ts";
import { fromAutoscalerV2, toAutoscalerV2 } from "./conversion.ts";
import { defaultAutoscaler } from "./defaults.ts";
import type { HorizontalPodAutoscaler as V1 } from "./v1-schema.ts";
import type { HorizontalPodAutoscaler as V2 } from "./v2-schema.ts";

const names = namesFor("kubernetes");
const BEHAVIOR = names.autoscalerBehaviorAnnotation;
const autoscaler = (annotations: Record<string, string>) =>
  ({ metadata: { name: "a", annotations }, spec: {}, status: {} }) as unknown;

it("they are not copied where none of them comes or goes", () => {
  const annotations = { mine: "x" };
  expect(toAutoscalerV2(autoscaler(annotations) as V1, names).metadata.annotations).toBe(annotations);
  expect(fromAutoscalerV2(autoscaler(annotations) as V2, names).metadata.annotations).toBe(annotations);
});

it("one that stands for a field goes, and those of the given object stay", () => {
  const annotations = { mine: "x", [BEHAVIOR]: "{}" };
  expect(toAutoscalerV2(autoscaler(annotations) as V1, names).metadata.annotations).toEqual({ mine: "x" });
  expect(annotations).toHaveProperty([BEHAVIOR]);
});

it("none is left of those that stand for fields", () => {
  expect(toAutoscalerV2(autoscaler({ [BEHAVIOR]: "{}" }) as V1, names).metadata).not.toHaveProperty("annotations");
});

it.each<[given: Record<string, string>, kept: Record<string, string> | undefined]>([
  [{ mine: "x", [BEHAVIOR]: "{}", [names.autoscalerMetricsAnnotation]: "x" }, { mine: "x" }],
  [{ [names.autoscalerConditionsAnnotation]: "[]" }, undefined],
  [{ mine: "x" }, { mine: "x" }],
])("those of v1 are not kept by an object that is written in v2: %j", (given, kept) => {
  const written = autoscaler(given) as V2;
  defaultAutoscaler(written, { names } as HookContext);
  expect(written.metadata.annotations).toEqual(kept);
});

it.each<[annotation: string, text: string]>([
  [names.autoscalerMetricsAnnotation, '[{"type":"Resource","resource":{"name":5}}]'],
  [names.autoscalerMetricsAnnotation, '[{"type":"Pods","pods":{"targetAverageValue":[1]}}]'],
  [names.autoscalerCurrentMetricsAnnotation, '[{"type":"Pods","pods":{"currentAverageValue":"much"}}]'],
  [names.autoscalerConditionsAnnotation, '[{"type":"AbleToScale","lastTransitionTime":"never"}]'],
  [BEHAVIOR, '{"ScaleUp":{"Policies":7}}'],
  [BEHAVIOR, '{"ScaleUp":[]}'],
  [BEHAVIOR, "[]"],
])("%s stands for nothing where it cannot be read: %s", (annotation, text) => {
  const nothing = toAutoscalerV2(autoscaler({}) as V1, names);
  expect(toAutoscalerV2(autoscaler({ [annotation]: text }) as V1, names)).toEqual(nothing);
});
