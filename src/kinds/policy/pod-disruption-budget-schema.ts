// The schema of PodDisruptionBudget.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { condition } from "../meta/condition.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type PodDisruptionBudget = ObjectOf<typeof podDisruptionBudgetSchema>;

export const podDisruptionBudgetSchema = objectSchema(
  "policy.v1.PodDisruptionBudget",
  { doc: "How many pods may be disrupted at a time. Counts for evictions, not for deletions or failures of nodes." },
  () => ({
    spec: s.of(podDisruptionBudgetSpec, {
      proto: 2,
      optional: true,
      doc: "Which pods are protected, and by how much.",
    }),
    status: s.of(podDisruptionBudgetStatus, {
      proto: 3,
      optional: true,
      doc: "How many disruptions are allowed now; written by the controller.",
    }),
  }),
);

export type PodDisruptionBudgetSpec = ObjectOf<typeof podDisruptionBudgetSpec>;

export const podDisruptionBudgetSpec = s.struct(
  "policy.v1.PodDisruptionBudgetSpec",
  { doc: "Which pods are protected, and by how much." },
  () => ({
    minAvailable: s.intOrString({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Pods that must stay available after an eviction: a number or a percentage. Not together with maxUnavailable.",
    }),
    selector: s.of(labelSelector, {
      proto: 2,
      optional: true,
      pointer: true,
      patchStrategy: ["replace"],
      doc: "The pods that are protected; an empty selector takes all of the namespace, a missing one none.",
    }),
    maxUnavailable: s.intOrString({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Pods that may be unavailable after an eviction: a number or a percentage; 0 forbids all. Not with minAvailable.",
    }),
    unhealthyPodEvictionPolicy: s.enumOf(["AlwaysAllow", "IfHealthyBudget"], {
      alias: "UnhealthyPodEvictionPolicyType",
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Running pods that are not ready: IfHealthyBudget (the default) evicts them if enough others are healthy, AlwaysAllow always.",
    }),
  }),
);

export type PodDisruptionBudgetStatus = ObjectOf<typeof podDisruptionBudgetStatus>;

export const podDisruptionBudgetStatus = s.struct(
  "policy.v1.PodDisruptionBudgetStatus",
  { doc: "How many disruptions are allowed now." },
  () => ({
    observedGeneration: s.int64({
      proto: 1,
      optional: true,
      doc: "The generation of the spec that the counts are based on; evictions wait until it is current.",
    }),
    disruptedPods: s.map("time", {
      proto: 2,
      optional: true,
      doc: "Evicted pods that are not seen to end yet, by name, with the time; they count as unavailable meanwhile.",
    }),
    disruptionsAllowed: s.int32({ proto: 3, doc: "How many more pods may be evicted now." }),
    currentHealthy: s.int32({ proto: 4, doc: "Pods that are healthy now." }),
    desiredHealthy: s.int32({ proto: 5, doc: "Pods that must be healthy at least." }),
    expectedPods: s.int32({ proto: 6, doc: "All pods that the budget counts, healthy or not." }),
    conditions: s.list(condition, {
      proto: 7,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
      doc: "The present state; DisruptionAllowed says whether an eviction would be granted, and why not.",
    }),
  }),
);
