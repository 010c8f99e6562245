// What a DeviceClass must look like.

import { equalJson } from "../../base/json.ts";
import { type FieldError, invalid, tooMany } from "../../meta/field-error.ts";
import { isExtendedResource } from "../core/pod-resource-names.ts";
import type { HookContext } from "../define-kind.ts";
import type { DeviceClass } from "./device-class.ts";
import { checkConfiguration, checkSelectors, type DeviceRules } from "./device-selector-validation.ts";

const MAX_CONFIGURATIONS = 32;

export const validateDeviceClass = (deviceClass: DeviceClass, context: HookContext): FieldError[] =>
  validate(deviceClass, { ...context, isStored: false });

export const validateDeviceClassUpdate = (next: DeviceClass, old: DeviceClass, context: HookContext): FieldError[] =>
  validate(next, { ...context, isStored: equalJson(next.spec.selectors, old.spec.selectors) });

function validate({ spec }: DeviceClass, rules: DeviceRules): FieldError[] {
  const errors: FieldError[] = [];
  checkSelectors(spec.selectors, "spec.selectors", rules, errors);
  const configurations = spec.config ?? [];
  if (configurations.length > MAX_CONFIGURATIONS) {
    errors.push(tooMany("spec.config", configurations.length, MAX_CONFIGURATIONS));
  }
  configurations.forEach((configuration, index) => {
    checkConfiguration(configuration, `spec.config[${index}]`, errors);
  });
  const name = spec.extendedResourceName;
  if (name !== undefined && !isExtendedResource(name, rules.names)) {
    errors.push(invalid("spec.extendedResourceName", name, "must be a valid extended resource name"));
  }
  return errors;
}
