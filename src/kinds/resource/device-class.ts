// DeviceClass: a class of devices that claims may ask for.

import { equalJson } from "../../base/json.ts";
import type { Steps } from "../../base/steps.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { opt, ptr, s } from "../../schema/builder.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { isExtendedResource } from "../core/pod/resource-names.ts";
import { defineKind, type HookContext, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { deviceConfiguration, deviceSelector } from "./device-selector.ts";
import { checkConfiguration, type DeviceRules, judgingPace, selectorErrors } from "./device-selector-validation.ts";

export type DeviceClass = ObjectOf<typeof deviceClassSchema>;

const deviceClassSchema = objectSchema(
  "resource.v1.DeviceClass",
  "A class of devices that claims may ask for.",
  () => ({
    spec: s.of(deviceClassSpec, 2, "Which devices belong to the class, and how they are set up."),
  }),
);

export const deviceClass = defineKind({
  group: "resource",
  version: "v1",
  kind: "DeviceClass",
  resource: "deviceclasses",
  scope: "Cluster",
  schema: deviceClassSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  generation: true,
  columns: [NAME_COLUMN, AGE_COLUMN],
  hooks: { validate: validateDeviceClass, validateUpdate: validateDeviceClassUpdate },
});

const deviceClassSpec = s.struct(
  "resource.v1.DeviceClassSpec",
  "Which devices belong to a class, and how they are set up.",
  () => ({
    selectors: opt.atomic(
      deviceSelector,
      1,
      "Conditions that a device must all meet to belong to the class. At most 32.",
    ),
    config: opt.atomic(
      deviceClassConfiguration,
      2,
      "Settings for devices that are allocated through the class; drivers read what is theirs. At most 32.",
      { must: { maxItems: 32 } },
    ),
    extendedResourceName: ptr.string(
      4,
      "Extended resource that pods may request in place of a claim, such as example.com/gpu.",
      { gate: "DRAExtendedResource" },
    ),
  }),
);

const deviceClassConfiguration = s.struct(
  "resource.v1.DeviceClassConfiguration",
  "Settings for the devices of a class.",
  () => ({
    deviceConfiguration: s.inline(deviceConfiguration, 1),
  }),
);

function validateDeviceClass(deviceClass: DeviceClass, context: HookContext): Steps<FieldError[]> {
  return validate(deviceClass, { ...context, isStored: false });
}

function validateDeviceClassUpdate(next: DeviceClass, old: DeviceClass, context: HookContext): Steps<FieldError[]> {
  return validate(next, { ...context, isStored: equalJson(next.spec.selectors, old.spec.selectors) });
}

function* validate({ spec }: DeviceClass, rules: DeviceRules): Steps<FieldError[]> {
  const errors = yield* selectorErrors(spec.selectors, "spec.selectors", rules, judgingPace());
  checkFields(spec, deviceClassSpec, "spec", errors);
  for (const [index, configuration] of (spec.config ?? []).entries())
    checkConfiguration(configuration, `spec.config[${index}]`, errors);
  const name = spec.extendedResourceName;
  if (name !== undefined && !isExtendedResource(name, rules.names)) {
    errors.push(invalid("spec.extendedResourceName", name, "must be a valid extended resource name"));
  }
  return errors;
}
