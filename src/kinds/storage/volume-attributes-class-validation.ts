// What a VolumeAttributesClass must look like: once made, it stays.

import { equalJson } from "../../base/json.ts";
import { type FieldError, forbiddenField } from "../../meta/field-error.ts";
import { checkParameters, checkProvisioner } from "./parameter-validation.ts";
import type { VolumeAttributesClass } from "./volume-attributes-class.ts";

export function validateVolumeAttributesClass({ driverName, parameters }: VolumeAttributesClass): FieldError[] {
  const errors: FieldError[] = [];
  checkProvisioner(driverName, "driverName", errors);
  checkParameters(parameters, false, errors);
  return errors;
}

export function validateVolumeAttributesClassUpdate(
  attributes: VolumeAttributesClass,
  old: VolumeAttributesClass,
): FieldError[] {
  const errors = validateVolumeAttributesClass(attributes);
  const forbid = (field: string) => errors.push(forbiddenField(field, `updates to ${field} are forbidden.`));
  if (attributes.driverName !== old.driverName) forbid("driverName");
  if (!equalJson(attributes.parameters ?? {}, old.parameters ?? {})) forbid("parameters");
  return errors;
}
