// PodDisruptionBudget: how many pods may be disrupted at a time.

import { append } from "../../base/append.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { checkFields, LISTED, NOT_NEGATIVE } from "../../schema/check-fields.ts";
import { checkAmount, checkAtMostAll } from "../apps/workload-validation.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { condition, validateConditions } from "../meta/condition.ts";
import { internalForm } from "../meta/internal-form.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { type SelectorRules, validateLabelSelector } from "../meta/selector-validation.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";

export type PodDisruptionBudget = ObjectOf<typeof podDisruptionBudgetSchema>;

const podDisruptionBudgetSchema = objectSchema(
  "policy.v1.PodDisruptionBudget",
  "How many pods may be disrupted at a time. Counts for evictions, not for deletions or failures of nodes.",
  () => ({
    spec: opt.of(podDisruptionBudgetSpec, 2, "Which pods are protected, and by how much."),
    status: opt.of(podDisruptionBudgetStatus, 3, "How many disruptions are allowed now; written by the controller."),
  }),
);

export const podDisruptionBudget = defineKind({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  resource: "poddisruptionbudgets",
  scope: "Namespaced",
  shortNames: ["pdb"],
  schema: podDisruptionBudgetSchema,
  generation: true,
  name: "pathSegment",
  judgesMetadataLast: true,
  columns: [
    NAME_COLUMN,
    { name: "Min Available", type: "string", cell: (budget) => String(budget.spec.minAvailable ?? "N/A") },
    { name: "Max Unavailable", type: "string", cell: (budget) => String(budget.spec.maxUnavailable ?? "N/A") },
    { name: "Allowed Disruptions", type: "integer", cell: (budget) => budget.status.disruptionsAllowed },
    AGE_COLUMN,
  ],
  subresources: { status: { ...statusSubresource<PodDisruptionBudget>(), validateUpdate: validateBudgetStatus } },
  hooks: {
    prepareForCreate(budget) {
      budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
    },
    prepareForUpdate: keepStatus,
    validate: validateBudget,
    validateUpdate: validateBudgetUpdate,
  },
});

type PodDisruptionBudgetSpec = ObjectOf<typeof podDisruptionBudgetSpec>;

const podDisruptionBudgetSpec = s.struct(
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
      { must: LISTED },
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
    disruptionsAllowed: s.int32(3, "How many more pods may be evicted now.", { must: NOT_NEGATIVE }),
    currentHealthy: s.int32(4, "Pods that are healthy now.", { must: NOT_NEGATIVE }),
    desiredHealthy: s.int32(5, "Pods that must be healthy at least.", { must: NOT_NEGATIVE }),
    expectedPods: s.int32(6, "All pods that the budget counts, healthy or not.", { must: NOT_NEGATIVE }),
    conditions: opt.listBy(
      "type",
      condition,
      7,
      "The present state; DisruptionAllowed says whether an eviction would be granted, and why not.",
    ),
  }),
);

function validateBudget({ spec }: PodDisruptionBudget): FieldError[] {
  return validateSpec(spec, {});
}

function validateBudgetUpdate({ spec }: PodDisruptionBudget, old: PodDisruptionBudget): FieldError[] {
  // A selector that an older release took stays.
  const anyValues = validateBudget(old).some(({ field }) => /^spec\.selector\..*values\[/.test(field));
  return validateSpec(spec, { anyValues });
}

function validateBudgetStatus({ status }: PodDisruptionBudget): FieldError[] {
  const errors = validateConditions(status.conditions ?? [], "status.conditions");
  checkFields(status, podDisruptionBudgetStatus, "status", errors);
  return errors;
}

function validateSpec(spec: PodDisruptionBudgetSpec, rules: SelectorRules): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const detail = "minAvailable and maxUnavailable cannot be both set";
    errors.push(invalid("spec", internalForm(spec, podDisruptionBudgetSpec), detail));
  }
  for (const field of ["minAvailable", "maxUnavailable"] as const) {
    const amount = spec[field];
    if (amount === undefined) continue;
    checkAmount(amount, `spec.${field}`, errors);
    checkAtMostAll(amount, `spec.${field}`, errors);
  }
  if (spec.selector) append(errors, validateLabelSelector(spec.selector, "spec.selector", rules));
  checkFields(spec, podDisruptionBudgetSpec, "spec", errors);
  return errors;
}
