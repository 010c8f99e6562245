// HorizontalPodAutoscaler: scales a workload by its use of CPU; the older form of version v2.

import type { Json } from "../../base/json.ts";
import type { Names } from "../../meta/names.ts";
import type { ObjectMeta } from "../../meta/object.ts";
import { opt, ptr, s } from "../../schema/builder.ts";
import { type CellContext, type Column, defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { keepStatus, restore, statusSubresource } from "../subresources.ts";
import { fromAutoscalerV2, toAutoscalerV2 } from "./autoscaler-conversion.ts";
import { CPU_PERCENT } from "./autoscaler-defaults.ts";
import { validateAutoscaler, validateAutoscalerStatus, validateAutoscalerUpdate } from "./autoscaler-validation.ts";
import {
  type HorizontalPodAutoscaler as HorizontalPodAutoscalerV2,
  horizontalPodAutoscalerV2,
} from "./horizontal-pod-autoscaler-v2.ts";

export type HorizontalPodAutoscaler = ObjectOf<typeof horizontalPodAutoscalerSchema>;

const horizontalPodAutoscalerSchema = objectSchema(
  "autoscaling.v1.HorizontalPodAutoscaler",
  "Scales a workload by its use of CPU; the older form of version v2.",
  () => ({
    spec: opt.of(horizontalPodAutoscalerSpec, 2, "What to scale, within which limits."),
    status: opt.of(
      horizontalPodAutoscalerStatus,
      3,
      "What the autoscaler sees and wants now; written by the controller.",
    ),
  }),
);

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
  fieldAnnotations: (names) => [...specAnnotations(names), ...statusAnnotations(names)],
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

const specAnnotations = (names: Names): string[] => [
  names.autoscalerMetricsAnnotation,
  names.autoscalerBehaviorAnnotation,
];

// Parts of the status that live in annotations here are no more the writer's than the rest of it.
const statusAnnotations = (names: Names): string[] => [
  names.autoscalerCurrentMetricsAnnotation,
  names.autoscalerConditionsAnnotation,
];

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
  return typeof column.cell === "function" ? column.cell(stored, context) : null;
}

const horizontalPodAutoscalerSpec = s.struct(
  "autoscaling.v1.HorizontalPodAutoscalerSpec",
  "What to scale by its use of CPU, within which limits.",
  () => ({
    scaleTargetRef: s.of(crossVersionObjectReference, 1, "The workload to scale; it must have a scale sub-resource."),
    minReplicas: ptr.int32(
      2,
      "The lower limit of replicas; 1 if not set. 0 only where the server allows it and a metric does not come from the pods.",
    ),
    maxReplicas: s.int32(3, "The upper limit of replicas; not below minReplicas."),
    targetCPUUtilizationPercentage: ptr.int32(
      4,
      "The average use of CPU to aim at, in percent of what the pods request. Not set, the autoscaler's default applies.",
    ),
  }),
);

const crossVersionObjectReference = s.struct(
  "autoscaling.v1.CrossVersionObjectReference",
  "An object of the same namespace, by kind and name.",
  { mapType: "atomic" },
  () => ({
    kind: s.string(1, "The kind of the object."),
    name: s.string(2, "The name of the object."),
    apiVersion: opt.string(3, "The group and version of the object."),
  }),
);

const horizontalPodAutoscalerStatus = s.struct(
  "autoscaling.v1.HorizontalPodAutoscalerStatus",
  "What the autoscaler sees and wants now.",
  () => ({
    observedGeneration: ptr.int64(1, "The generation of the spec that this status describes."),
    lastScaleTime: ptr.time(2, "When the number of replicas was last changed by the autoscaler."),
    currentReplicas: s.int32(3, "The replicas that the autoscaler last saw."),
    desiredReplicas: s.int32(4, "The replicas that the autoscaler last worked out."),
    currentCPUUtilizationPercentage: ptr.int32(
      5,
      "The average use of CPU over all pods, in percent of what they request.",
    ),
  }),
);
