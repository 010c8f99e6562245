// Counters that devices of a slice share: how much there is of each, and how much of it a device takes.

import { indexBy } from "../../base/index-by.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { dns1123LabelProblems } from "../../meta/name-formats.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { addProblems } from "../meta/value-checks.ts";
import { checkSet, shortKey } from "./device-name-validation.ts";
import { type CounterSet, counterSet, type Device, type ResourceSliceSpec } from "./resource-slice-schema.ts";

const MAX_SHARED_COUNTERS = 32;
const MAX_COUNTERS_OF_DEVICE = 32;
const MAX_COUNTERS_OF_DEVICES = 1024;
const MAX_NAME_CHARS = 63;
const NO_LIMIT = Number.POSITIVE_INFINITY;

export function checkCounters({ devices, sharedCounters = [] }: ResourceSliceSpec, errors: FieldError[]): void {
  const taken = (devices ?? []).reduce((sum, device) => sum + countersTaken(device), 0);
  if (taken > MAX_COUNTERS_OF_DEVICES) {
    const detail = `the total number of counters in devices must not exceed ${MAX_COUNTERS_OF_DEVICES}`;
    errors.push(invalid("spec.devices", taken, detail));
  }
  const field = "spec.sharedCounters";
  const shared = sharedCounters.reduce((sum, { counters }) => sum + Object.keys(counters ?? {}).length, 0);
  if (shared > MAX_SHARED_COUNTERS) {
    errors.push(invalid(field, shared, `the total number of shared counters must not exceed ${MAX_SHARED_COUNTERS}`));
  }
  const check = (set: CounterSet, at: string) => {
    checkFields(set, counterSet, at, errors);
    checkNames(set.counters, `${at}.counters`, errors);
  };
  checkSet(sharedCounters, field, NO_LIMIT, ({ name }) => name, ".name", check, errors);
}

/** The sets of a slice by their names. */
export type CounterSets = ReadonlyMap<string, CounterSet>;

export const counterSetsOf = ({ sharedCounters = [] }: ResourceSliceSpec): CounterSets =>
  indexBy(sharedCounters, ({ name }) => name);

/** What a device takes must be there. */
export function checkConsumption(device: Device, at: string, sets: CounterSets, errors: FieldError[]): void {
  const field = `${at}.consumesCounters`;
  const { consumesCounters = [] } = device;
  checkSet(
    consumesCounters,
    field,
    NO_LIMIT,
    ({ counterSet }) => counterSet,
    ".counterSet",
    ({ counterSet, counters }, place) => {
      if (counterSet === "") errors.push(required(`${place}.counterSet`));
      checkNames(counters, `${place}.counters`, errors);
    },
    errors,
  );
  const taken = countersTaken(device);
  if (taken > MAX_COUNTERS_OF_DEVICE) {
    errors.push(invalid(at, taken, `the total number of counters must not exceed ${MAX_COUNTERS_OF_DEVICE}`));
  }
  consumesCounters.forEach(({ counterSet, counters }, index) => {
    const set = sets.get(counterSet);
    if (set === undefined) {
      const detail = "must reference a counterSet defined in the ResourceSlice sharedCounters";
      errors.push(invalid(`${field}[${index}].counterSet`, counterSet, detail));
      return;
    }
    for (const name of Object.keys(counters ?? {})) {
      if (Object.hasOwn(set.counters ?? {}, name)) continue;
      const detail = "must reference a counter defined in the ResourceSlice sharedCounters";
      errors.push(invalid(`${field}[${index}].counters`, name, detail));
    }
  });
}

function checkNames(
  counters: Readonly<Record<string, unknown>> | undefined,
  field: string,
  errors: FieldError[],
): void {
  const names = Object.keys(counters ?? {});
  if (names.length === 0) errors.push(required(field));
  for (const name of names)
    addProblems(errors, `${field}[${shortKey(name, MAX_NAME_CHARS)}]`, name, dns1123LabelProblems(name));
}

const countersTaken = ({ consumesCounters = [] }: Device): number =>
  consumesCounters.reduce((sum, { counters }) => sum + Object.keys(counters ?? {}).length, 0);
