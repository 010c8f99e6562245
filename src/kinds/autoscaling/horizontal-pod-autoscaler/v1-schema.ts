// The schema of HorizontalPodAutoscaler in version v1.

import { opt, ptr, s } from "../../../schema/builder.ts";
import type { ObjectOf } from "../../define-kind.ts";
import { objectSchema } from "../../meta/object-schema.ts";

export type HorizontalPodAutoscaler = ObjectOf<typeof horizontalPodAutoscalerSchema>;

export const horizontalPodAutoscalerSchema = objectSchema(
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
