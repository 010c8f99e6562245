// DeviceTaintRule: taints devices that a selector finds.

import { timeOfMs } from "../../meta/time.ts";
import { opt, ptr, s } from "../../schema/builder.ts";
import { renamed } from "../another-version.ts";
import { AGE_COLUMN, ageCell, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { deviceSelector as deviceSelectorV1 } from "./device-selector.ts";
import { validateDeviceTaintRule, validateDeviceTaintRuleUpdate } from "./device-taint-validation.ts";
import { deviceTaint as deviceTaintV1 } from "./resource-slice-schema.ts";

export type DeviceTaintRule = ObjectOf<typeof deviceTaintRuleSchema>;

const deviceTaintRuleSchema = objectSchema(
  "resource.v1alpha3.DeviceTaintRule",
  "Taints devices that a selector finds.",
  () => ({
    spec: s.of(deviceTaintRuleSpec, 2, "The taint, and the devices that get it."),
  }),
);

export const deviceTaintRule = defineKind({
  group: "resource",
  version: "v1alpha3",
  kind: "DeviceTaintRule",
  resource: "devicetaintrules",
  scope: "Cluster",
  schema: deviceTaintRuleSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  generation: true,
  offByDefault: true,
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

const deviceTaintRuleSpec = s.struct(
  "resource.v1alpha3.DeviceTaintRuleSpec",
  "A taint, and the devices that get it.",
  () => ({
    deviceSelector: ptr.of(
      deviceTaintSelector,
      1,
      "Which devices get the taint. When not set, no device does; an empty one takes all.",
    ),
    taint: s.of(deviceTaint, 2, "The taint that the devices get.", { omitEmpty: true }),
  }),
);

export type DeviceTaintSelector = ObjectOf<typeof deviceTaintSelector>;

const deviceTaintSelector = s.struct(
  "resource.v1alpha3.DeviceTaintSelector",
  "Picks devices by what they are; all that is set must match.",
  () => ({
    deviceClassName: ptr.string(1, "Takes devices that the selectors of this class accept."),
    driver: ptr.string(2, "Takes devices of this driver."),
    pool: ptr.string(3, "Takes devices of pools with this name; set driver as well to mean a single pool."),
    device: ptr.string(4, "Takes devices with this name; set driver and pool as well to mean a single device."),
    selectors: opt.atomic(deviceSelector, 5, "Conditions that a device must all meet. At most 32."),
  }),
);

const deviceSelector = renamed(deviceSelectorV1, "resource.v1", "resource.v1alpha3");
const deviceTaint = renamed(deviceTaintV1, "resource.v1", "resource.v1alpha3");
