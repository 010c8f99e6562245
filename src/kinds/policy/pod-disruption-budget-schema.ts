// The schema of PodDisruptionBudget.

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { condition } from "../meta/condition.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type PodDisruptionBudget = ObjectOf<typeof podDisruptionBudgetSchema>;

export const podDisruptionBudgetSchema = objectSchema(
  "policy.v1.PodDisruptionBudget",
  "How many pods may be disrupted at a time. Counts for evictions, not for deletions or failures of nodes.",
  () => ({
    spec: opt.of(podDisruptionBudgetSpec, 2, "Which pods are protected, and by how much."),
    status: opt.of(podDisruptionBudgetStatus, 3, "How many disruptions are allowed now; written by the controller."),
  }),
);

export type PodDisruptionBudgetSpec = ObjectOf<typeof podDisruptionBudgetSpec>;

export const podDisruptionBudgetSpec = s.struct(
  "policy.v1.PodDisruptionBudgetSpec",
  "Which pods are protected, and by how much.",
  () => ({
    minAvailable: ptr.intOrString(
      1,
      "Pods that must stay available after an eviction: a number or a percentage. Not together with maxUnavailable.",
    ),
    selector: ptr.of(
      labelSelector,
      2,
      "The pods that are protected; an empty selector takes all of the namespace, a missing one none.",
      { patchStrategy: ["replace"] },
    ),
    maxUnavailable: ptr.intOrString(
      3,
      "Pods that may be unavailable after an eviction: a number or a percentage; 0 forbids all. Not with minAvailable.",
    ),
    unhealthyPodEvictionPolicy: ptr.enumOf(
      "UnhealthyPodEvictionPolicyType",
      ["AlwaysAllow", "IfHealthyBudget"],
      4,
      "Running pods that are not ready: IfHealthyBudget (the default) evicts them if enough others are healthy, AlwaysAllow always.",
    ),
  }),
);

const podDisruptionBudgetStatus = s.struct(
  "policy.v1.PodDisruptionBudgetStatus",
  "How many disruptions are allowed now.",
  () => ({
    observedGeneration: opt.int64(
      1,
      "The generation of the spec that the counts are based on; evictions wait until it is current.",
    ),
    disruptedPods: opt.map(
      "time",
      2,
      "Evicted pods that are not seen to end yet, by name, with the time; they count as unavailable meanwhile.",
    ),
    disruptionsAllowed: s.int32(3, "How many more pods may be evicted now."),
    currentHealthy: s.int32(4, "Pods that are healthy now."),
    desiredHealthy: s.int32(5, "Pods that must be healthy at least."),
    expectedPods: s.int32(6, "All pods that the budget counts, healthy or not."),
    conditions: opt.listBy(
      "type",
      condition,
      7,
      "The present state; DisruptionAllowed says whether an eviction would be granted, and why not.",
    ),
  }),
);
