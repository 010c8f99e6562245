// DeviceTaintRule: taints devices that a selector finds.

import { timeOfMs } from "../../meta/time.ts";
import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, ageCell, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { validateDeviceTaintRule, validateDeviceTaintRuleUpdate } from "./device-taint-validation.ts";

export type DeviceTaintRule = ObjectOf<typeof deviceTaintRuleSchema>;

export const deviceTaintRuleSchema = objectSchema(
  "resource.v1alpha3.DeviceTaintRule",
  { doc: "Taints devices that a selector finds." },
  () => ({
    spec: s.of(deviceTaintRuleSpec, { proto: 2 }),
  }),
);

export const deviceTaintRule = defineKind({
  group: "resource",
  version: "v1alpha3",
  kind: "DeviceTaintRule",
  resource: "devicetaintrules",
  singular: "devicetaintrule",
  scope: "Cluster",
  verbs: ALL_VERBS,
  schema: deviceTaintRuleSchema,
  storagePrefix: "devicetaintrules",
  unconditionalUpdate: true,
  returnDeletedObject: true,
  generation: true,
  protobuf: true,
  offByDefault: true,
  name: "dns1123Subdomain",
  columns: [
    NAME_COLUMN,
    { name: "Key", type: "string", cell: ({ spec }) => spec.taint.key },
    { name: "Value", type: "string", cell: ({ spec }) => spec.taint.value ?? "" },
    { name: "Effect", type: "string", cell: ({ spec }) => spec.taint.effect },
    { name: "TimeAdded", type: "string", cell: ({ spec }, context) => ageCell(spec.taint.timeAdded, context) },
    AGE_COLUMN,
  ],
  hooks: {
    default({ spec }, { nowMs }) {
      spec.taint.timeAdded ??= timeOfMs(nowMs);
    },
    validate: validateDeviceTaintRule,
    validateUpdate: validateDeviceTaintRuleUpdate,
  },
});

export type DeviceTaintRuleSpec = ObjectOf<typeof deviceTaintRuleSpec>;

export const deviceTaintRuleSpec = s.struct("resource.v1alpha3.DeviceTaintRuleSpec", () => ({
  deviceSelector: s.of(deviceTaintSelector, { proto: 1, optional: true, pointer: true }),
  taint: s.of(deviceTaint, { proto: 2, omitEmpty: true }),
}));

export type DeviceTaintSelector = ObjectOf<typeof deviceTaintSelector>;

export const deviceTaintSelector = s.struct("resource.v1alpha3.DeviceTaintSelector", () => ({
  deviceClassName: s.string({ proto: 1, optional: true, pointer: true }),
  driver: s.string({ proto: 2, optional: true, pointer: true }),
  pool: s.string({ proto: 3, optional: true, pointer: true }),
  device: s.string({ proto: 4, optional: true, pointer: true }),
  selectors: s.list(deviceSelector, { proto: 5, optional: true, listType: "atomic" }),
}));

export type DeviceSelector = ObjectOf<typeof deviceSelector>;

export const deviceSelector = s.struct("resource.v1alpha3.DeviceSelector", () => ({
  cel: s.of(celDeviceSelector, { proto: 1, optional: true, pointer: true }),
}));

export type CELDeviceSelector = ObjectOf<typeof celDeviceSelector>;

export const celDeviceSelector = s.struct("resource.v1alpha3.CELDeviceSelector", () => ({
  expression: s.string({ proto: 1 }),
}));

export type DeviceTaint = ObjectOf<typeof deviceTaint>;

export const deviceTaint = s.struct("resource.v1alpha3.DeviceTaint", () => ({
  key: s.string({ proto: 1 }),
  value: s.string({ proto: 2, optional: true }),
  effect: s.enumOf(["NoExecute", "NoSchedule"], { alias: "DeviceTaintEffect", proto: 3 }),
  timeAdded: s.time({ proto: 4, optional: true, pointer: true }),
}));
