// What a ResourceSlice must look like: whose devices these are, and where, never changes.

import { append } from "../../base/append.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { nodeSelectorTerm } from "../core/node-selector.ts";
import { validateNodeSelector } from "../core/node-selector-validation.ts";
import { internalForm } from "../meta/internal-form.ts";
import { addProblems } from "../meta/value-checks.ts";
import { checkCounters, counterSetsOf } from "./counter-validation.ts";
import { checkDriver, checkPoolName, checkSet } from "./device-name-validation.ts";
import { checkDevice } from "./device-validation.ts";
import { type Device, type ResourceSlice, type ResourceSliceSpec, resourcePool } from "./resource-slice-schema.ts";

const MAX_DEVICES = 128;

export function validateResourceSlice({ spec }: ResourceSlice): FieldError[] {
  const errors: FieldError[] = [];
  checkDriver(spec.driver, "spec.driver", errors);
  checkPoolName(spec.pool.name, "spec.pool.name", errors);
  checkFields(spec.pool, resourcePool, "spec.pool", errors, ["resourceSliceCount", "generation"]);
  checkPlace(spec, errors);
  const counterSets = counterSetsOf(spec);
  const check = (device: Device, at: string) => checkDevice(device, at, spec, counterSets, errors);
  checkSet(spec.devices ?? [], "spec.devices", MAX_DEVICES, ({ name }) => name, ".name", check, errors);
  checkCounters(spec, errors);
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
    append(errors, validateNodeSelector(nodeSelector, "spec.nodeSelector"));
    const terms = nodeSelector.nodeSelectorTerms ?? [];
    if (terms.length !== 1) {
      const field = "spec.nodeSelector.nodeSelectorTerms";
      const shown = nodeSelector.nodeSelectorTerms ? terms.map((term) => internalForm(term, nodeSelectorTerm)) : null;
      errors.push(invalid(field, shown, "must have exactly one node selector term"));
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
