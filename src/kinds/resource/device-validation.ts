// What a device of a slice must look like: its attributes and capacities, where it is, what binds to it.

import { append } from "../../base/append.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  required,
  tooLong,
  tooMany,
} from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, qualifiedNameProblems } from "../../meta/name-formats.ts";
import { validateNodeSelector } from "../core/node-selector-validation.ts";
import { internalForm } from "../meta/internal-form.ts";
import { parseSemanticVersion } from "../meta/semantic-version.ts";
import { addProblems } from "../meta/value-checks.ts";
import { checkRequestPolicy } from "./capacity-policy-validation.ts";
import { checkConsumption } from "./counter-validation.ts";
import { checkDeviceName, checkQualifiedName } from "./device-name-validation.ts";
import { checkTaint } from "./device-taint-rule.ts";
import { type Device, type DeviceAttribute, deviceAttribute, type ResourceSliceSpec } from "./resource-slice-schema.ts";

const MAX_PROPERTIES = 32;
const MAX_VALUE_BYTES = 64;
const MAX_TAINTS = 4;
const MAX_BINDING_CONDITIONS = 4;

export function checkDevice(device: Device, at: string, slice: ResourceSliceSpec, errors: FieldError[]): void {
  checkDeviceName(device.name, `${at}.name`, errors);
  for (const [name, attribute] of Object.entries(device.attributes ?? {})) {
    checkQualifiedName(name, `${at}.attributes[${name}]`, errors);
    checkAttribute(attribute, `${at}.attributes[${name}]`, errors);
  }
  checkCapacity(device, at, errors);
  const count = Object.keys(device.attributes ?? {}).length + Object.keys(device.capacity ?? {}).length;
  if (count > MAX_PROPERTIES) {
    const detail = `the total number of attributes and capacities must not exceed ${MAX_PROPERTIES}`;
    errors.push(invalid(at, count, detail));
  }
  const { taints = [] } = device;
  if (taints.length > MAX_TAINTS) errors.push(tooMany(`${at}.taints`, taints.length, MAX_TAINTS));
  taints.forEach((taint, index) => {
    checkTaint(taint, `${at}.taints[${index}]`, errors);
  });
  checkConsumption(device, at, slice.sharedCounters ?? [], errors);
  checkNodes(device, at, slice.perDeviceNodeSelection === true, errors);
  checkBinding(device, at, errors);
}

/** What must be so, or must not, before who uses a device is bound to a node. */
export function checkBinding(
  device: Pick<Device, "bindingConditions" | "bindingFailureConditions">,
  at: string,
  errors: FieldError[],
): void {
  const { bindingConditions: wanted = [], bindingFailureConditions: failures = [] } = device;
  const [wantedAt, failuresAt] = [`${at}.bindingConditions`, `${at}.bindingFailureConditions`];
  checkConditionNames(wanted, wantedAt, errors);
  checkConditionNames(failures, failuresAt, errors);
  const known = new Set(wanted);
  failures.forEach((name, index) => {
    if (!known.has(name)) return;
    const detail = "bindingFailureConditions must not overlap with bindingConditions";
    errors.push(invalid(`${failuresAt}[${index}]`, name, detail));
  });
  if (wanted.length === 0 && failures.length > 0) {
    const detail = "bindingConditions are required to use bindingFailureConditions";
    errors.push(invalid(wantedAt, null, detail));
  }
  if (failures.length === 0 && wanted.length > 0) {
    errors.push(invalid(failuresAt, null, "bindingFailureConditions are required to use bindingConditions"));
  }
}

function checkConditionNames(names: readonly string[], field: string, errors: FieldError[]): void {
  if (names.length > MAX_BINDING_CONDITIONS) errors.push(tooMany(field, names.length, MAX_BINDING_CONDITIONS));
  const seen = new Set<string>();
  names.forEach((name, index) => {
    addProblems(errors, `${field}[${index}]`, name, qualifiedNameProblems(name));
    if (seen.has(name)) errors.push(duplicate(`${field}[${index}]`, name));
    seen.add(name);
  });
}

function checkCapacity({ capacity = {}, allowMultipleAllocations }: Device, at: string, errors: FieldError[]): void {
  for (const [name, { value, requestPolicy }] of Object.entries(capacity)) {
    const field = `${at}.capacity[${name}]`;
    checkQualifiedName(name, field, errors);
    if (!requestPolicy) continue;
    if (allowMultipleAllocations === true) checkRequestPolicy(requestPolicy, value, `${field}.requestPolicy`, errors);
    else errors.push(forbiddenField(`${field}.requestPolicy`, "allowMultipleAllocations must be true"));
  }
}

const ONE_PLACE =
  "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
const NO_PLACE =
  "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";

function checkNodes(device: Device, at: string, isPerDevice: boolean, errors: FieldError[]): void {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!isPerDevice) {
    const isGiven = nodeName !== undefined || nodeSelector !== undefined || allNodes !== undefined;
    if (isGiven) errors.push(invalid(at, null, NO_PLACE));
    return;
  }
  const given: string[] = [];
  if (nodeName === "") errors.push(invalid(`${at}.nodeName`, nodeName, "must not be empty"));
  else if (nodeName !== undefined) {
    given.push("`nodeName`");
    addProblems(errors, `${at}.nodeName`, nodeName, dns1123SubdomainProblems(nodeName));
  }
  if (nodeSelector) {
    given.push("`nodeSelector`");
    append(errors, validateNodeSelector(nodeSelector, `${at}.nodeSelector`));
  }
  if (allNodes) given.push("`allNodes`");
  else if (allNodes === false) errors.push(invalid(`${at}.allNodes`, false, "must be either unset or set to true"));
  if (given.length === 0) errors.push(required(at, ONE_PLACE));
  if (given.length > 1) errors.push(invalid(at, `{${given.join(", ")}}`, ONE_PLACE));
}

function checkAttribute(attribute: DeviceAttribute, at: string, errors: FieldError[]): void {
  const { string, version } = attribute;
  const count = [attribute.int, attribute.bool, string, version].filter((value) => value !== undefined).length;
  const onlyOne = "exactly one value must be specified";
  if (count === 0) errors.push(required(at, onlyOne));
  if (count > 1) errors.push(invalid(at, internalForm(attribute, deviceAttribute), onlyOne));
  if (count !== 1) return;
  if (string !== undefined && Buffer.byteLength(string) > MAX_VALUE_BYTES) {
    errors.push(tooLong(`${at}.string`, MAX_VALUE_BYTES));
  }
  if (version === undefined) return;
  if (parseSemanticVersion(version) === undefined) {
    errors.push(invalid(`${at}.version`, version, "must be a string compatible with semver.org spec 2.0.0"));
  }
  if (Buffer.byteLength(version) > MAX_VALUE_BYTES) errors.push(tooLong(`${at}.version`, MAX_VALUE_BYTES));
}
