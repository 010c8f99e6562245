// The schema of PodDisruptionBudget.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { condition } from "../meta/condition.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type PodDisruptionBudget = ObjectOf<typeof podDisruptionBudgetSchema>;

export const podDisruptionBudgetSchema = objectSchema(
  "policy.v1.PodDisruptionBudget",
  { doc: "How many pods may be disrupted at a time." },
  () => ({
    spec: s.of(podDisruptionBudgetSpec, { proto: 2, optional: true }),
    status: s.of(podDisruptionBudgetStatus, { proto: 3, optional: true }),
  }),
);

export type PodDisruptionBudgetSpec = ObjectOf<typeof podDisruptionBudgetSpec>;

export const podDisruptionBudgetSpec = s.struct("policy.v1.PodDisruptionBudgetSpec", () => ({
  minAvailable: s.intOrString({ proto: 1, optional: true, pointer: true }),
  selector: s.of(labelSelector, { proto: 2, optional: true, pointer: true, patchStrategy: ["replace"] }),
  maxUnavailable: s.intOrString({ proto: 3, optional: true, pointer: true }),
  unhealthyPodEvictionPolicy: s.enumOf(["AlwaysAllow", "IfHealthyBudget"], {
    alias: "UnhealthyPodEvictionPolicyType",
    proto: 4,
    optional: true,
    pointer: true,
  }),
}));

export type PodDisruptionBudgetStatus = ObjectOf<typeof podDisruptionBudgetStatus>;

export const podDisruptionBudgetStatus = s.struct("policy.v1.PodDisruptionBudgetStatus", () => ({
  observedGeneration: s.int64({ proto: 1, optional: true }),
  disruptedPods: s.map("time", { proto: 2, optional: true }),
  disruptionsAllowed: s.int32({ proto: 3 }),
  currentHealthy: s.int32({ proto: 4 }),
  desiredHealthy: s.int32({ proto: 5 }),
  expectedPods: s.int32({ proto: 6 }),
  conditions: s.list(condition, {
    proto: 7,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
}));
