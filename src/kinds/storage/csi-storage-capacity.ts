// CSIStorageCapacity: how much storage a segment of the topology has left.

import type { FieldError } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { ptr, s } from "../../schema/builder.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { deprecatedLabel } from "../core/pod/warnings.ts";
import { checkAmountNotNegative } from "../core/resource-amount-validation.ts";
import { defineKind, type HookContext, type ObjectOf } from "../define-kind.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { type SelectorRules, validateLabelSelector } from "../meta/selector-validation.ts";

export type CSIStorageCapacity = ObjectOf<typeof csiStorageCapacitySchema>;

const csiStorageCapacitySchema = objectSchema(
  "storage.v1.CSIStorageCapacity",
  "How much storage a segment of the topology has left, for one class. Written by the driver, read by the scheduler.",
  () => ({
    nodeTopology: ptr.of(
      labelSelector,
      2,
      "The nodes that can reach this storage; empty means all, not set means none. Cannot change.",
    ),
    storageClassName: s.string(3, "The storage class that the capacity is for. Cannot change.", {
      must: { strict: true, form: dns1123SubdomainProblems },
    }),
    capacity: ptr.quantity(4, "The bytes that are left; not set, unknown."),
    maximumVolumeSize: ptr.quantity(
      5,
      "The largest volume that can be made; not set, only the capacity is a limit, though it may be split.",
    ),
  }),
);

export const csiStorageCapacity = defineKind({
  group: "storage",
  version: "v1",
  kind: "CSIStorageCapacity",
  resource: "csistoragecapacities",
  scope: "Namespaced",
  schema: csiStorageCapacitySchema,
  hooks: {
    validate: validateCsiStorageCapacity,
    validateUpdate: validateCsiStorageCapacityUpdate,
    warn: warnCsiStorageCapacity,
  },
});

function validateCsiStorageCapacity(capacity: CSIStorageCapacity): FieldError[] {
  return validate(capacity, {});
}

function validateCsiStorageCapacityUpdate(next: CSIStorageCapacity, old: CSIStorageCapacity): FieldError[] {
  const anyValues = validateCsiStorageCapacity(old).some(({ field }) => field.startsWith("nodeTopology."));
  const errors = validate(next, { anyValues });
  checkImmutable(next.nodeTopology, old.nodeTopology, "nodeTopology", errors);
  checkImmutable(next.storageClassName, old.storageClassName, "storageClassName", errors);
  return errors;
}

function validate(given: CSIStorageCapacity, rules: SelectorRules): FieldError[] {
  const { nodeTopology } = given;
  const errors = nodeTopology ? validateLabelSelector(nodeTopology, "nodeTopology", rules) : [];
  checkFields(given, csiStorageCapacitySchema, "", errors);
  checkAmountNotNegative(errors, "capacity", given.capacity);
  return errors;
}

function warnCsiStorageCapacity(
  { nodeTopology }: CSIStorageCapacity,
  _old: CSIStorageCapacity | undefined,
  { names }: HookContext,
): string[] {
  const { matchExpressions = [], matchLabels = {} } = nodeTopology ?? {};
  return [
    ...matchExpressions.flatMap(({ key }, index) => {
      const message = deprecatedLabel(key, names);
      return message === undefined ? [] : [`nodeTopology.matchExpressions[${index}].key: ${key} is ${message}`];
    }),
    ...Object.keys(matchLabels).flatMap((key) => {
      const message = deprecatedLabel(key, names);
      return message === undefined ? [] : [`nodeTopology.matchLabels.${key}: ${message}`];
    }),
  ];
}
