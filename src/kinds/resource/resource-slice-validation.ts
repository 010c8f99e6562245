// What a ResourceSlice must look like: whose devices these are, and where, never changes.

import { type FieldError, invalid, required, tooLong } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { validateNodeSelector } from "../core/node-selector-validation.ts";
import { internalForm } from "../meta/internal-form.ts";
import { parseSemanticVersion } from "../meta/semantic-version.ts";
import { addProblems } from "../meta/value-checks.ts";
import { checkDeviceName, checkDriver, checkPoolName, checkQualifiedName, checkSet } from "./device-name-validation.ts";
import {
  type Device,
  type DeviceAttribute,
  deviceAttribute,
  type ResourceSlice,
  type ResourceSliceSpec,
} from "./resource-slice-schema.ts";

const MAX_DEVICES = 128;
const MAX_PROPERTIES = 32;
const MAX_VALUE_BYTES = 64;

export function validateResourceSlice({ spec }: ResourceSlice): FieldError[] {
  const errors: FieldError[] = [];
  checkDriver(spec.driver, "spec.driver", errors);
  checkPoolName(spec.pool.name, "spec.pool.name", errors);
  const { generation, resourceSliceCount: count } = spec.pool;
  if (count <= 0) errors.push(invalid("spec.pool.resourceSliceCount", count, "must be greater than zero"));
  if (generation < 0) {
    errors.push(invalid("spec.pool.generation", generation, "must be greater than or equal to zero"));
  }
  checkPlace(spec, errors);
  const check = (device: Device, at: string) => checkDevice(device, at, errors);
  checkSet(spec.devices ?? [], "spec.devices", MAX_DEVICES, ({ name }) => name, ".name", check, errors);
  return errors;
}

export function validateResourceSliceUpdate(slice: ResourceSlice, old: ResourceSlice): FieldError[] {
  const errors = validateResourceSlice(slice);
  checkImmutable(slice.spec.pool.name, old.spec.pool.name, "spec.pool.name", errors);
  checkImmutable(slice.spec.driver, old.spec.driver, "spec.driver", errors);
  checkImmutable(slice.spec.nodeName, old.spec.nodeName, "spec.nodeName", errors);
  return errors;
}

const ONE_PLACE = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

function checkPlace(spec: ResourceSliceSpec, errors: FieldError[]): void {
  const given: string[] = [];
  const { nodeName, nodeSelector } = spec;
  if (nodeName === "") {
    errors.push(invalid("spec.nodeName", nodeName, "must be either unset or set to a non-empty string"));
  } else if (nodeName !== undefined) {
    given.push("`nodeName`");
    addProblems(errors, "spec.nodeName", nodeName, dns1123SubdomainProblems(nodeName));
  }
  if (nodeSelector) {
    given.push("`nodeSelector`");
    errors.push(...validateNodeSelector(nodeSelector, "spec.nodeSelector"));
    const terms = nodeSelector.nodeSelectorTerms ?? [];
    if (terms.length !== 1) {
      const field = "spec.nodeSelector.nodeSelectorTerms";
      errors.push(invalid(field, terms, "must have exactly one node selector term"));
    }
  }
  for (const key of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (spec[key]) given.push(`\`${key}\``);
    else if (spec[key] === false) errors.push(invalid(`spec.${key}`, false, "must be either unset or set to true"));
  }
  if (given.length === 0) errors.push(required("spec", ONE_PLACE));
  if (given.length > 1) {
    errors.push(invalid("spec", `{${given.join(", ")}}`, `${ONE_PLACE}, but multiple fields are set`));
  }
}

function checkDevice(device: Device, at: string, errors: FieldError[]): void {
  checkDeviceName(device.name, `${at}.name`, errors);
  for (const [name, attribute] of Object.entries(device.attributes ?? {})) {
    checkQualifiedName(name, `${at}.attributes[${name}]`, errors);
    checkAttribute(attribute, `${at}.attributes[${name}]`, errors);
  }
  for (const name of Object.keys(device.capacity ?? {})) checkQualifiedName(name, `${at}.capacity[${name}]`, errors);
  const count = Object.keys(device.attributes ?? {}).length + Object.keys(device.capacity ?? {}).length;
  if (count > MAX_PROPERTIES) {
    const detail = `the total number of attributes and capacities must not exceed ${MAX_PROPERTIES}`;
    errors.push(invalid(at, count, detail));
  }
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
