// PodDisruptionBudget: how many pods may be disrupted at a time.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import type { PodDisruptionBudget } from "./pod-disruption-budget-schema.ts";
import { podDisruptionBudgetSchema } from "./pod-disruption-budget-schema.ts";
import { validateBudget, validateBudgetStatus, validateBudgetUpdate } from "./pod-disruption-budget-validation.ts";

export type { PodDisruptionBudget } from "./pod-disruption-budget-schema.ts";

export const podDisruptionBudget = defineKind({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  resource: "poddisruptionbudgets",
  scope: "Namespaced",
  shortNames: ["pdb"],
  schema: podDisruptionBudgetSchema,
  generation: true,
  // Upstream judges nothing of its metadata but what every object must have.
  name: "pathSegment",
  freeFinalizers: true,
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
