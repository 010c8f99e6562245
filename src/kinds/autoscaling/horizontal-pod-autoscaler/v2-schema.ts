// The schema of HorizontalPodAutoscaler.

import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";
import { INSIDE, POSITIVE } from "../../../schema/check-fields.ts";
import { negativeAmountProblems } from "../../core/resource-amount-validation.ts";
import { objectSchema } from "../../meta/object-schema.ts";
import { crossVersionObjectReference, metricSpec } from "./metric-source-schema.ts";
import { horizontalPodAutoscalerStatus } from "./v2-status.ts";

export type HorizontalPodAutoscaler = ObjectOf<typeof horizontalPodAutoscalerSchema>;

export const horizontalPodAutoscalerSchema = objectSchema(
  "autoscaling.v2.HorizontalPodAutoscaler",
  "Scales a workload by metrics.",
  () => ({
    spec: opt.of(horizontalPodAutoscalerSpec, 2, "What to scale, by which metrics and within which limits."),
    status: opt.of(
      horizontalPodAutoscalerStatus,
      3,
      "What the autoscaler sees and wants now; written by the controller.",
    ),
  }),
);

const horizontalPodAutoscalerSpec = s.struct(
  "autoscaling.v2.HorizontalPodAutoscalerSpec",
  "What to scale, by which metrics and within which limits.",
  () => ({
    scaleTargetRef: s.of(crossVersionObjectReference, 1, "The workload to scale; it must have a scale sub-resource."),
    minReplicas: ptr.int32(
      2,
      "The lower limit of replicas; 1 if not set. 0 only where the server allows it, with an Object or External metric.",
    ),
    maxReplicas: s.int32(3, "The upper limit of replicas; not below minReplicas."),
    metrics: opt.atomic(
      metricSpec,
      4,
      "The metrics to follow; the one that asks for the most replicas wins. Not set: 80% average use of CPU.",
    ),
    behavior: ptr.of(
      horizontalPodAutoscalerBehavior,
      5,
      "How fast to scale up and down; not set, the usual rules apply.",
    ),
  }),
);

export type HorizontalPodAutoscalerBehavior = ObjectOf<typeof horizontalPodAutoscalerBehavior>;

export const horizontalPodAutoscalerBehavior = s.struct(
  "autoscaling.v2.HorizontalPodAutoscalerBehavior",
  "How fast to scale in each direction.",
  () => ({
    scaleUp: ptr.of(hpaScalingRules, 1, "Not set: at once, by 4 pods or 100% every 15 seconds, whichever is more.", {
      must: INSIDE,
    }),
    scaleDown: ptr.of(
      hpaScalingRules,
      2,
      "Not set: down to minReplicas, by the highest wish of the last 300 seconds.",
      {
        must: INSIDE,
      },
    ),
  }),
);

export type HPAScalingRules = ObjectOf<typeof hpaScalingRules>;

const hpaScalingRules = s.struct("autoscaling.v2.HPAScalingRules", "How fast to scale in one direction.", () => ({
  stabilizationWindowSeconds: ptr.int32(
    3,
    "Past seconds whose wishes are considered against flapping: 0 to 3600. Not set: 0 for up, 300 for down.",
    { must: { amount: within(0, "must be greater than or equal to zero", 3600) } },
  ),
  selectPolicy: ptr.named(
    "ScalingPolicySelect",
    1,
    "Which policy counts: Max (the default) the one with the largest change, Min the smallest; Disabled never scales this way.",
    { must: { listed: ["Disabled", "Max", "Min"] } },
  ),
  policies: opt.atomic(
    hpaScalingPolicy,
    2,
    "Limits of the change in a period; at least one if given. Not set, the usual ones apply.",
    { keepEmpty: true, must: { filled: "must specify at least one Policy", inside: true } },
  ),
  tolerance: ptr.quantity(
    4,
    "How far from the target the metric may be without scaling, as a fraction: 0.05 is 5%. Not set: 10%, or the cluster's own value.",
    { gate: "HPAConfigurableTolerance", must: { form: negativeAmountProblems } },
  ),
}));

export type HPAScalingPolicy = ObjectOf<typeof hpaScalingPolicy>;

const hpaScalingPolicy = s.struct("autoscaling.v2.HPAScalingPolicy", "A limit of the change in a period.", () => ({
  type: s.named("HPAScalingPolicyType", 1, "What the value counts: Pods or Percent of the present replicas.", {
    must: { listed: ["Percent", "Pods"] },
  }),
  value: s.int32(2, "The largest change in the period; above 0.", { must: POSITIVE }),
  periodSeconds: s.int32(3, "The length of the period in seconds: 1 to 1800.", {
    must: { amount: within(1, "must be greater than zero", 1800) },
  }),
}));

const within = (least: number, tooLow: string, most: number) => (value: number | bigint) => [
  ...(value < least ? [tooLow] : []),
  ...(value > most ? [`must be less than or equal to ${most}`] : []),
];
