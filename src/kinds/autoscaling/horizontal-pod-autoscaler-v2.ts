// HorizontalPodAutoscaler: scales a workload by metrics.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { metricsCell } from "../cells/autoscalers.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { defaultAutoscaler } from "./horizontal-pod-autoscaler/defaults.ts";
import { type HorizontalPodAutoscaler, horizontalPodAutoscalerSchema } from "./horizontal-pod-autoscaler/v2-schema.ts";
import {
  validateAutoscaler,
  validateAutoscalerStatus,
  validateAutoscalerUpdate,
} from "./horizontal-pod-autoscaler/validation.ts";

export type { HorizontalPodAutoscaler } from "./horizontal-pod-autoscaler/v2-schema.ts";

export const horizontalPodAutoscalerV2 = defineKind({
  group: "autoscaling",
  version: "v2",
  kind: "HorizontalPodAutoscaler",
  resource: "horizontalpodautoscalers",
  scope: "Namespaced",
  shortNames: ["hpa"],
  categories: ["all"],
  schema: horizontalPodAutoscalerSchema,
  unconditionalUpdate: true,
  columns: [
    NAME_COLUMN,
    {
      name: "Reference",
      type: "string",
      cell: ({ spec: { scaleTargetRef } }) => `${scaleTargetRef.kind}/${scaleTargetRef.name}`,
    },
    { name: "Targets", type: "string", cell: metricsCell },
    {
      name: "MinPods",
      type: "string",
      cell: ({ spec }) => (spec.minReplicas === undefined ? "<unset>" : String(spec.minReplicas)),
    },
    { name: "MaxPods", type: "string", cell: ({ spec }) => spec.maxReplicas },
    { name: "Replicas", type: "string", cell: ({ status }) => status.currentReplicas ?? 0 },
    AGE_COLUMN,
  ],
  subresources: {
    status: { ...statusSubresource<HorizontalPodAutoscaler>(), validateUpdate: validateAutoscalerStatus },
  },
  hooks: {
    default: defaultAutoscaler,
    prepareForCreate(autoscaler) {
      autoscaler.status = { desiredReplicas: 0, currentMetrics: null };
    },
    prepareForUpdate: keepStatus,
    validate: validateAutoscaler,
    validateUpdate: validateAutoscalerUpdate,
  },
});
