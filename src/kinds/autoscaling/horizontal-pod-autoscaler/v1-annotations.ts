// The annotations in which version v1 of an autoscaler says what it has no fields for.

import type { Names } from "../../../meta/names.ts";

export const v1Annotations = (names: Names): string[] => [...specAnnotations(names), ...statusAnnotations(names)];

export const specAnnotations = (names: Names): string[] => [
  names.autoscalerMetricsAnnotation,
  names.autoscalerBehaviorAnnotation,
];

// Parts of the status that live in annotations are no more the writer's than the rest of it.
export const statusAnnotations = (names: Names): string[] => [
  names.autoscalerCurrentMetricsAnnotation,
  names.autoscalerConditionsAnnotation,
];
