// Taints of devices, the tolerations of who may use them nevertheless, and rules that taint what a selector finds.

import { equalJson } from "../../base/json.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, labelValueProblems, qualifiedNameProblems } from "../../meta/name-formats.ts";
import type { HookContext } from "../define-kind.ts";
import { addProblems } from "../meta/value-checks.ts";
import { checkDeviceName, checkDriver, checkPoolName } from "./device-name-validation.ts";
import { checkSelectors, type DeviceRules } from "./device-selector-validation.ts";
import type { DeviceTaintRule, DeviceTaintSelector } from "./device-taint-rule.ts";

export const validateDeviceTaintRule = (rule: DeviceTaintRule, context: HookContext): FieldError[] =>
  validate(rule, { ...context, isStored: false });

export const validateDeviceTaintRuleUpdate = (
  rule: DeviceTaintRule,
  old: DeviceTaintRule,
  context: HookContext,
): FieldError[] => {
  const before = old.spec.deviceSelector;
  const isStored = before !== undefined && equalJson(rule.spec.deviceSelector?.selectors, before.selectors);
  return validate(rule, { ...context, isStored });
};

/** As devices and rules have it. */
interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

const EFFECTS = ["NoExecute", "NoSchedule"];

export function checkTaint({ key, value = "", effect }: Taint, at: string, errors: FieldError[]): void {
  addProblems(errors, `${at}.key`, key, qualifiedNameProblems(key));
  addProblems(errors, `${at}.value`, value, labelValueProblems(value));
  if (effect === "") errors.push(required(`${at}.effect`));
  else if (!EFFECTS.includes(effect)) errors.push(notSupported(`${at}.effect`, effect, EFFECTS));
}

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

function validate({ spec }: DeviceTaintRule, rules: DeviceRules): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.deviceSelector) checkTaintSelector(spec.deviceSelector, "spec.deviceSelector", rules, errors);
  checkTaint(spec.taint, "spec.taint", errors);
  return errors;
}

function checkTaintSelector(selector: DeviceTaintSelector, at: string, rules: DeviceRules, errors: FieldError[]): void {
  const { deviceClassName: name, driver, pool, device } = selector;
  if (name !== undefined) addProblems(errors, `${at}.deviceClassName`, name, dns1123SubdomainProblems(name));
  if (driver !== undefined) checkDriver(driver, `${at}.driver`, errors);
  if (pool !== undefined) checkPoolName(pool, `${at}.pool`, errors);
  if (device !== undefined) checkDeviceName(device, `${at}.device`, errors);
  checkSelectors(selector.selectors, `${at}.selectors`, rules, errors);
}
