// What a device of a slice must look like: its attributes and capacities, where it is, what binds to it.

import { append } from "../../base/append.ts";
import { type FieldError, forbiddenField, invalid, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { validateNodeSelector } from "../core/node-selector-validation.ts";
import { internalForm } from "../meta/internal-form.ts";
import { addProblems } from "../meta/value-checks.ts";
import { checkRequestPolicy } from "./capacity-policy-validation.ts";
import { type CounterSets, checkConsumption } from "./counter-validation.ts";
import { checkDeviceName, checkQualifiedName, shortKey } from "./device-name-validation.ts";
import {
  type Device,
  type DeviceAttribute,
  device,
  deviceAttribute,
  type ResourceSliceSpec,
} from "./resource-slice-schema.ts";

const MAX_PROPERTIES = 32;
/** A domain, a slash and an identifier. */
const MAX_NAME_CHARS = 63 + 1 + 32;

export function checkDevice(
  given: Device,
  at: string,
  slice: Pick<ResourceSliceSpec, "perDeviceNodeSelection">,
  counterSets: CounterSets,
  errors: FieldError[],
): void {
  const { name: deviceName, attributes = {}, capacity = {} } = given;
  checkDeviceName(deviceName, `${at}.name`, errors);
  for (const [name, attribute] of Object.entries(attributes)) {
    const field = `${at}.attributes[${shortKey(name, MAX_NAME_CHARS)}]`;
    checkQualifiedName(name, field, errors);
    checkAttribute(attribute, field, errors);
  }
  checkCapacity(given, at, errors);
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  if (count > MAX_PROPERTIES) {
    const detail = `the total number of attributes and capacities must not exceed ${MAX_PROPERTIES}`;
    errors.push(invalid(at, count, detail));
  }
  checkFields(given, device, at, errors, ["taints"]);
  checkConsumption(given, at, counterSets, errors);
  checkNodes(given, at, slice.perDeviceNodeSelection === true, errors);
  checkBinding(given, at, errors);
}

/** What must be so, or must not, before who uses a device is bound to a node. */
export function checkBinding(
  given: Pick<Device, "bindingConditions" | "bindingFailureConditions">,
  at: string,
  errors: FieldError[],
): void {
  const { bindingConditions: wanted = [], bindingFailureConditions: failures = [] } = given;
  const [wantedAt, failuresAt] = [`${at}.bindingConditions`, `${at}.bindingFailureConditions`];
  checkFields(given, device, at, errors, ["bindingConditions", "bindingFailureConditions"]);
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

function checkCapacity({ capacity = {}, allowMultipleAllocations }: Device, at: string, errors: FieldError[]): void {
  for (const [name, { value, requestPolicy }] of Object.entries(capacity)) {
    const field = `${at}.capacity[${shortKey(name, MAX_NAME_CHARS)}]`;
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

function checkNodes(given: Device, at: string, isPerDevice: boolean, errors: FieldError[]): void {
  const { nodeName, nodeSelector, allNodes } = given;
  if (!isPerDevice) {
    const isGiven = nodeName !== undefined || nodeSelector !== undefined || allNodes !== undefined;
    if (isGiven) errors.push(invalid(at, null, NO_PLACE));
    return;
  }
  const places: string[] = [];
  if (nodeName === "") errors.push(invalid(`${at}.nodeName`, nodeName, "must not be empty"));
  else if (nodeName !== undefined) {
    places.push("`nodeName`");
    addProblems(errors, `${at}.nodeName`, nodeName, dns1123SubdomainProblems(nodeName));
  }
  if (nodeSelector) {
    places.push("`nodeSelector`");
    append(errors, validateNodeSelector(nodeSelector, `${at}.nodeSelector`));
  }
  if (allNodes) places.push("`allNodes`");
  else if (allNodes === false) errors.push(invalid(`${at}.allNodes`, false, "must be either unset or set to true"));
  if (places.length === 0) errors.push(required(at, ONE_PLACE));
  if (places.length > 1) errors.push(invalid(at, `{${places.join(", ")}}`, ONE_PLACE));
}

function checkAttribute(attribute: DeviceAttribute, at: string, errors: FieldError[]): void {
  const count = [attribute.int, attribute.bool, attribute.string, attribute.version].filter(
    (value) => value !== undefined,
  ).length;
  const onlyOne = "exactly one value must be specified";
  checkFields(attribute, deviceAttribute, at, errors);
  if (count === 0) errors.push(required(at, onlyOne));
  if (count > 1) errors.push(invalid(at, internalForm(attribute, deviceAttribute), onlyOne));
}
