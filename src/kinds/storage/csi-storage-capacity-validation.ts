// What a CSIStorageCapacity must look like: what it is about never changes.

import type { FieldError } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { checkAmountNotNegative } from "../core/resource-amount-validation.ts";
import { type SelectorRules, validateLabelSelector } from "../meta/selector-validation.ts";
import { addProblems } from "../meta/value-checks.ts";
import type { CSIStorageCapacity } from "./csi-storage-capacity.ts";

export const validateCsiStorageCapacity = (capacity: CSIStorageCapacity): FieldError[] => validate(capacity, {});

export function validateCsiStorageCapacityUpdate(next: CSIStorageCapacity, old: CSIStorageCapacity): FieldError[] {
  const anyValues = validateCsiStorageCapacity(old).some(({ field }) => field.startsWith("nodeTopology."));
  const errors = validate(next, { anyValues });
  checkImmutable(next.nodeTopology, old.nodeTopology, "nodeTopology", errors);
  checkImmutable(next.storageClassName, old.storageClassName, "storageClassName", errors);
  return errors;
}

function validate(given: CSIStorageCapacity, rules: SelectorRules): FieldError[] {
  const { nodeTopology, storageClassName } = given;
  const errors = nodeTopology ? validateLabelSelector(nodeTopology, "nodeTopology", rules) : [];
  addProblems(errors, "storageClassName", storageClassName, dns1123SubdomainProblems(storageClassName));
  checkAmountNotNegative(errors, "capacity", given.capacity);
  checkAmountNotNegative(errors, "maximumVolumeSize", given.maximumVolumeSize);
  return errors;
}
