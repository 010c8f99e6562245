// HorizontalPodAutoscaler: scales a workload by its use of CPU; the older form of version v2.

import type { Json } from "../../base/json.ts";
import type { Names } from "../../meta/names.ts";
import type { ObjectMeta } from "../../meta/object.ts";
import { type CellContext, type Column, defineKind } from "../define-kind.ts";
import { keepStatus, restore, statusSubresource } from "../subresources.ts";
import { fromAutoscalerV2, metricsAsStored, toAutoscalerV2 } from "./horizontal-pod-autoscaler/conversion.ts";
import { CPU_PERCENT } from "./horizontal-pod-autoscaler/defaults.ts";
import { specAnnotations, statusAnnotations, v1Annotations } from "./horizontal-pod-autoscaler/v1-annotations.ts";
import { type HorizontalPodAutoscaler, horizontalPodAutoscalerSchema } from "./horizontal-pod-autoscaler/v1-schema.ts";
import {
  validateAutoscaler,
  validateAutoscalerStatus,
  validateAutoscalerUpdate,
} from "./horizontal-pod-autoscaler/validation.ts";
import {
  type HorizontalPodAutoscaler as HorizontalPodAutoscalerV2,
  horizontalPodAutoscalerV2,
} from "./horizontal-pod-autoscaler-v2.ts";

export type { HorizontalPodAutoscaler } from "./horizontal-pod-autoscaler/v1-schema.ts";

export const horizontalPodAutoscalerV1 = defineKind({
  group: "autoscaling",
  version: "v1",
  kind: "HorizontalPodAutoscaler",
  resource: "horizontalpodautoscalers",
  scope: "Namespaced",
  shortNames: ["hpa"],
  categories: ["all"],
  schema: horizontalPodAutoscalerSchema,
  unconditionalUpdate: true,
  storedAs: {
    group: "autoscaling",
    version: "v2",
    kind: "HorizontalPodAutoscaler",
    toStored: toAutoscalerV2,
    fromStored: fromAutoscalerV2,
  },
  fieldAnnotations: v1Annotations,
  columns: horizontalPodAutoscalerV2.columns!.map((column) => ({
    ...column,
    cell: (autoscaler: HorizontalPodAutoscaler, context: CellContext) => viaV2(column, autoscaler, context),
  })),
  subresources: {
    status: {
      ...statusSubresource<HorizontalPodAutoscaler>({}, ({ metadata }, old, { names }) => {
        keepAnnotations(metadata, old.metadata, specAnnotations(names));
      }),
      validateUpdate: (autoscaler, _old, { names }) => validateAutoscalerStatus(inV2(autoscaler, names)),
    },
  },
  hooks: {
    default(autoscaler, { names }) {
      const { spec } = autoscaler;
      spec.minReplicas ??= 1;
      if (!inV2(autoscaler, names).spec.metrics?.length) spec.targetCPUUtilizationPercentage = CPU_PERCENT;
      // What this version has no fields for always stands in annotations, in the same words.
      const { annotations } = fromAutoscalerV2(toAutoscalerV2(autoscaler, names), names).metadata;
      if (annotations) autoscaler.metadata.annotations = annotations;
      else delete autoscaler.metadata.annotations;
    },
    prepareForCreate(autoscaler, { names }) {
      autoscaler.status = { currentReplicas: 0, desiredReplicas: 0 };
      keepAnnotations(autoscaler.metadata, {}, statusAnnotations(names));
    },
    prepareForUpdate(autoscaler, old, { names }) {
      keepStatus(autoscaler, old);
      keepAnnotations(autoscaler.metadata, old.metadata, statusAnnotations(names));
    },
    validate: (autoscaler, context) => validateAutoscaler(inV2(autoscaler, context.names), context),
    validateUpdate: (autoscaler, old, context) =>
      validateAutoscalerUpdate(inV2(autoscaler, context.names), inV2(old, context.names), context),
  },
});

function keepAnnotations(metadata: ObjectMeta, old: ObjectMeta, keys: readonly string[]): void {
  const kept = { ...metadata.annotations };
  for (const key of keys) restore(kept, old.annotations ?? {}, key);
  if (Object.keys(kept).length > 0) metadata.annotations = kept;
  else delete metadata.annotations;
}

const inV2 = (autoscaler: HorizontalPodAutoscaler, names: Names): HorizontalPodAutoscalerV2 =>
  toAutoscalerV2(autoscaler, names) as unknown as HorizontalPodAutoscalerV2;

/** The tables of both versions are the same. */
function viaV2(
  column: Column<HorizontalPodAutoscalerV2>,
  autoscaler: HorizontalPodAutoscaler,
  context: CellContext,
): Json {
  const stored = inV2(autoscaler, context.names);
  // Their current values stand in this order.
  const metrics = metricsAsStored(autoscaler);
  const shown = metrics === undefined ? stored : { ...stored, spec: { ...stored.spec, metrics: [...metrics] } };
  return typeof column.cell === "function" ? column.cell(shown, context) : null;
}
