// What a StorageClass must look like.

import { equalJson } from "../../base/json.ts";
import { duplicate, type FieldError, forbiddenField, required } from "../../meta/field-error.ts";
import { labelKeyProblems } from "../../meta/name-formats.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import type { TopologySelectorTerm } from "../core/node-selector.ts";
import { addProblems, checkOptionalWord, checkWord } from "../meta/value-checks.ts";
import { checkParameters, checkProvisioner } from "./parameter-validation.ts";
import type { StorageClass } from "./storage-class.ts";

export function validateStorageClass(storageClass: StorageClass): FieldError[] {
  const errors: FieldError[] = [];
  checkProvisioner(storageClass.provisioner, "provisioner", errors);
  checkParameters(storageClass.parameters, true, errors);
  const policy = storageClass.reclaimPolicy;
  if (policy) checkOptionalWord(errors, "reclaimPolicy", policy, ["Delete", "Retain"]);
  checkWord(errors, "volumeBindingMode", storageClass.volumeBindingMode, ["Immediate", "WaitForFirstConsumer"]);
  checkTopologies(storageClass.allowedTopologies ?? [], errors);
  return errors;
}

export function validateStorageClassUpdate(storageClass: StorageClass, old: StorageClass): FieldError[] {
  const errors = validateStorageClass(storageClass);
  const forbid = (field: string) => errors.push(forbiddenField(field, `updates to ${field} are forbidden.`));
  if (!equalJson(storageClass.parameters ?? {}, old.parameters ?? {})) forbid("parameters");
  if (storageClass.provisioner !== old.provisioner) forbid("provisioner");
  if (storageClass.reclaimPolicy !== old.reclaimPolicy) forbid("reclaimPolicy");
  checkImmutable(storageClass.volumeBindingMode, old.volumeBindingMode, "volumeBindingMode", errors);
  return errors;
}

function checkTopologies(terms: readonly TopologySelectorTerm[], errors: FieldError[]): void {
  const seen: Readonly<Record<string, readonly string[]>>[] = [];
  terms.forEach(({ matchLabelExpressions }, index) => {
    const at = `allowedTopologies[${index}].matchLabelExpressions`;
    const valuesByKey: Record<string, readonly string[]> = Object.create(null);
    (matchLabelExpressions ?? []).forEach(({ key, values }, position) => {
      const field = `${at}[${position}]`;
      const known = new Set<string>();
      if (!values?.length) errors.push(required(`${field}.values`));
      (values ?? []).forEach((value, place) => {
        if (known.has(value)) errors.push(duplicate(`${field}.values[${place}]`, value));
        known.add(value);
      });
      addProblems(errors, `${field}.key`, key, labelKeyProblems(key));
      if (key in valuesByKey) errors.push(duplicate(`${field}.key`, key));
      valuesByKey[key] = [...known].sort();
    });
    if (seen.some((other) => equalJson({ ...other }, { ...valuesByKey }))) errors.push(duplicate(at, ""));
    seen.push(valuesByKey);
  });
}
