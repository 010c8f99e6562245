// The schema of HorizontalPodAutoscaler.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { horizontalPodAutoscalerStatus } from "./horizontal-pod-autoscaler-v2-status.ts";
import { crossVersionObjectReference, metricSpec } from "./metric-source-schema.ts";

export type HorizontalPodAutoscaler = ObjectOf<typeof horizontalPodAutoscalerSchema>;

export const horizontalPodAutoscalerSchema = objectSchema(
  "autoscaling.v2.HorizontalPodAutoscaler",
  { doc: "Scales a workload by metrics." },
  () => ({
    spec: s.of(horizontalPodAutoscalerSpec, {
      proto: 2,
      optional: true,
      doc: "What to scale, by which metrics and within which limits.",
    }),
    status: s.of(horizontalPodAutoscalerStatus, {
      proto: 3,
      optional: true,
      doc: "What the autoscaler sees and wants now; written by the controller.",
    }),
  }),
);

export type HorizontalPodAutoscalerSpec = ObjectOf<typeof horizontalPodAutoscalerSpec>;

export const horizontalPodAutoscalerSpec = s.struct(
  "autoscaling.v2.HorizontalPodAutoscalerSpec",
  { doc: "What to scale, by which metrics and within which limits." },
  () => ({
    scaleTargetRef: s.of(crossVersionObjectReference, {
      proto: 1,
      doc: "The workload to scale; it must have a scale sub-resource.",
    }),
    minReplicas: s.int32({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The lower limit of replicas; 1 if not set. 0 only where the server allows it, with an Object or External metric.",
    }),
    maxReplicas: s.int32({ proto: 3, doc: "The upper limit of replicas; not below minReplicas." }),
    metrics: s.list(metricSpec, {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "The metrics to follow; the one that asks for the most replicas wins. Not set: 80% average use of CPU.",
    }),
    behavior: s.of(horizontalPodAutoscalerBehavior, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "How fast to scale up and down; not set, the usual rules apply.",
    }),
  }),
);

export type HorizontalPodAutoscalerBehavior = ObjectOf<typeof horizontalPodAutoscalerBehavior>;

export const horizontalPodAutoscalerBehavior = s.struct(
  "autoscaling.v2.HorizontalPodAutoscalerBehavior",
  { doc: "How fast to scale in each direction." },
  () => ({
    scaleUp: s.of(hpaScalingRules, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Not set: at once, by 4 pods or 100% every 15 seconds, whichever is more.",
    }),
    scaleDown: s.of(hpaScalingRules, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Not set: down to minReplicas, by the highest wish of the last 300 seconds.",
    }),
  }),
);

export type HPAScalingRules = ObjectOf<typeof hpaScalingRules>;

export const hpaScalingRules = s.struct(
  "autoscaling.v2.HPAScalingRules",
  { doc: "How fast to scale in one direction." },
  () => ({
    stabilizationWindowSeconds: s.int32({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Past seconds whose wishes are considered against flapping: 0 to 3600. Not set: 0 for up, 300 for down.",
    }),
    selectPolicy: s.string({
      alias: "ScalingPolicySelect",
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Which policy counts: Max (the default) the one with the largest change, Min the smallest; Disabled never scales this way.",
    }),
    policies: s.list(hpaScalingPolicy, {
      proto: 2,
      optional: true,
      keepEmpty: true,
      listType: "atomic",
      doc: "Limits of the change in a period; at least one if given. Not set, the usual ones apply.",
    }),
    tolerance: s.quantity({
      proto: 4,
      optional: true,
      pointer: true,
      gate: "HPAConfigurableTolerance",
      doc: "How far from the target the metric may be without scaling, as a fraction: 0.05 is 5%. Not set: 10%, or the cluster's own value.",
    }),
  }),
);

export type HPAScalingPolicy = ObjectOf<typeof hpaScalingPolicy>;

export const hpaScalingPolicy = s.struct(
  "autoscaling.v2.HPAScalingPolicy",
  { doc: "A limit of the change in a period." },
  () => ({
    type: s.string({
      alias: "HPAScalingPolicyType",
      proto: 1,
      doc: "What the value counts: Pods or Percent of the present replicas.",
    }),
    value: s.int32({ proto: 2, doc: "The largest change in the period; above 0." }),
    periodSeconds: s.int32({ proto: 3, doc: "The length of the period in seconds: 1 to 1800." }),
  }),
);
