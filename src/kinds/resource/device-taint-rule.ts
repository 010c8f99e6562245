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
    spec: s.of(deviceTaintRuleSpec, { proto: 2, doc: "The taint, and the devices that get it." }),
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

export const deviceTaintRuleSpec = s.struct(
  "resource.v1alpha3.DeviceTaintRuleSpec",
  { doc: "A taint, and the devices that get it." },
  () => ({
    deviceSelector: s.of(deviceTaintSelector, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Which devices get the taint. When not set, no device does; an empty one takes all.",
    }),
    taint: s.of(deviceTaint, { proto: 2, omitEmpty: true, doc: "The taint that the devices get." }),
  }),
);

export type DeviceTaintSelector = ObjectOf<typeof deviceTaintSelector>;

export const deviceTaintSelector = s.struct(
  "resource.v1alpha3.DeviceTaintSelector",
  { doc: "Picks devices by what they are; all that is set must match." },
  () => ({
    deviceClassName: s.string({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Takes devices that the selectors of this class accept.",
    }),
    driver: s.string({ proto: 2, optional: true, pointer: true, doc: "Takes devices of this driver." }),
    pool: s.string({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Takes devices of pools with this name; set driver as well to mean a single pool.",
    }),
    device: s.string({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Takes devices with this name; set driver and pool as well to mean a single device.",
    }),
    selectors: s.list(deviceSelector, {
      proto: 5,
      optional: true,
      listType: "atomic",
      doc: "Conditions that a device must all meet. At most 32.",
    }),
  }),
);

export type DeviceSelector = ObjectOf<typeof deviceSelector>;

export const deviceSelector = s.struct(
  "resource.v1alpha3.DeviceSelector",
  { doc: "A condition that devices must meet." },
  () => ({
    cel: s.of(celDeviceSelector, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The condition as an expression in CEL.",
    }),
  }),
);

export type CELDeviceSelector = ObjectOf<typeof celDeviceSelector>;

export const celDeviceSelector = s.struct(
  "resource.v1alpha3.CELDeviceSelector",
  { doc: "A condition on devices in CEL." },
  () => ({
    expression: s.string({
      proto: 1,
      doc: "Gives true for devices that fit; the variable device has their driver, attributes and capacity. At most 10 KiB.",
    }),
  }),
);

export type DeviceTaint = ObjectOf<typeof deviceTaint>;

export const deviceTaint = s.struct(
  "resource.v1alpha3.DeviceTaint",
  { doc: "Keeps claims without a matching toleration away from a device." },
  () => ({
    key: s.string({ proto: 1, doc: "Key of the taint, a label key." }),
    value: s.string({ proto: 2, optional: true, doc: "Value of the taint, a label value; may be empty." }),
    effect: s.enumOf(["NoExecute", "NoSchedule"], {
      alias: "DeviceTaintEffect",
      proto: 3,
      doc: "NoSchedule keeps new pods from using the device, NoExecute also evicts those that use it.",
    }),
    timeAdded: s.time({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "When the taint was added; the server fills it in when it is missing.",
    }),
  }),
);
