// DeviceTaintRule: taints devices that a selector finds.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import type { Steps } from "../../base/steps.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, labelValueProblems, qualifiedNameProblems } from "../../meta/name-formats.ts";
import { timeOfMs } from "../../meta/time.ts";
import { opt, ptr, s } from "../../schema/builder.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { renamed } from "../another-version.ts";
import { AGE_COLUMN, ageCell, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type HookContext, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { addProblems } from "../meta/value-checks.ts";
import { checkDeviceName, checkDriver, checkPoolName } from "./device-name-validation.ts";
import { deviceSelector as deviceSelectorV1 } from "./device-selector.ts";
import { type DeviceRules, judgingPace, selectorErrors } from "./device-selector-validation.ts";
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

type DeviceTaintSelector = ObjectOf<typeof deviceTaintSelector>;

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

function validateDeviceTaintRule(rule: DeviceTaintRule, context: HookContext): Steps<FieldError[]> {
  return validate(rule, { ...context, isStored: false });
}

function validateDeviceTaintRuleUpdate(
  rule: DeviceTaintRule,
  old: DeviceTaintRule,
  context: HookContext,
): Steps<FieldError[]> {
  const before = old.spec.deviceSelector;
  const isStored = before !== undefined && equalJson(rule.spec.deviceSelector?.selectors, before.selectors);
  return validate(rule, { ...context, isStored });
}

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

const EFFECTS = ["NoExecute", "NoSchedule"];

export function checkToleration(toleration: Toleration, at: string, errors: FieldError[]): void {
  const { key = "", operator = "", value = "", effect = "" } = toleration;
  if (key !== "") addProblems(errors, `${at}.key`, key, qualifiedNameProblems(key));
  if (operator === "Exists") {
    if (value !== "") errors.push(invalid(`${at}.value`, value, "must be empty for operator `Exists`"));
  } else if (operator === "Equal") addProblems(errors, `${at}.value`, value, labelValueProblems(value));
  else if (operator === "") errors.push(required(`${at}.operator`));
  else errors.push(notSupported(`${at}.operator`, operator, ["Equal", "Exists"]));
  if (effect !== "" && !EFFECTS.includes(effect)) errors.push(notSupported(`${at}.effect`, effect, EFFECTS));
}

function* validate({ spec }: DeviceTaintRule, rules: DeviceRules): Steps<FieldError[]> {
  const selector = spec.deviceSelector;
  const errors = selector ? yield* taintSelectorErrors(selector, "spec.deviceSelector", rules) : [];
  checkFields(spec.taint, deviceTaint, "spec.taint", errors);
  return errors;
}

function* taintSelectorErrors(selector: DeviceTaintSelector, at: string, rules: DeviceRules): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const { deviceClassName: name, driver, pool, device } = selector;
  if (name !== undefined) addProblems(errors, `${at}.deviceClassName`, name, dns1123SubdomainProblems(name));
  if (driver !== undefined) checkDriver(driver, `${at}.driver`, errors);
  if (pool !== undefined) checkPoolName(pool, `${at}.pool`, errors);
  if (device !== undefined) checkDeviceName(device, `${at}.device`, errors);
  append(errors, yield* selectorErrors(selector.selectors, `${at}.selectors`, rules, judgingPace()));
  return errors;
}
