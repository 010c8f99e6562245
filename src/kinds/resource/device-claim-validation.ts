// What a claim to devices must look like: in claims themselves and in their templates.

import { append } from "../../base/append.ts";
import type { Pace, Steps } from "../../base/steps.ts";
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from "../../meta/field-error.ts";
import { checkFields, fieldErrors } from "../../schema/check-fields.ts";
import {
  checkDeviceName,
  checkFullyQualifiedName,
  checkRequestReference,
  checkSet,
  type RequestNames,
} from "./device-name-validation.ts";
import { checkConfiguration, type DeviceRules, judgingPace, selectorErrors } from "./device-selector-validation.ts";
import { checkToleration } from "./device-taint-rule.ts";
import {
  type DeviceConstraint,
  type DeviceRequest,
  deviceClaim,
  type ExactDeviceRequest,
  exactDeviceRequest,
  type ResourceClaimSpec,
} from "./resource-claim-spec.ts";

const MAX_REQUESTS = 32;
const MAX_ALTERNATIVES = 8;

export function* validateDeviceClaim(
  { devices }: ResourceClaimSpec,
  at: string,
  rules: DeviceRules,
): Steps<FieldError[]> {
  const pace = judgingPace();
  const field = `${at}.devices`;
  const known = requestNames({ devices });
  const { requests, constraints, config } = devices;
  const errors = yield* namedErrors(requests, `${field}.requests`, MAX_REQUESTS, pace, (request, place) =>
    requestErrors(request, place, rules, pace),
  );
  checkFields(devices, deviceClaim, field, errors, ["constraints"]);
  for (const [index, constraint] of (constraints ?? []).entries()) {
    if (pace.due()) yield;
    checkConstraint(constraint, `${field}.constraints[${index}]`, known, rules, errors);
  }
  checkFields(devices, deviceClaim, field, errors, ["config"]);
  for (const [index, configuration] of (config ?? []).entries()) {
    if (pace.due()) yield;
    const place = `${field}.config[${index}]`;
    checkRequestList(configuration.requests, `${place}.requests`, known, errors);
    checkConfiguration(configuration, place, errors);
  }
  return errors;
}

/** As checkSet, for items with names that are judged in steps. */
function* namedErrors<T extends { readonly name: string }>(
  items: readonly T[] | null | undefined,
  field: string,
  max: number,
  pace: Pace,
  errorsOf: (item: T, at: string) => Steps<FieldError[]>,
): Steps<FieldError[]> {
  const list = items ?? [];
  const errors = list.length > max ? [tooMany(field, list.length, max)] : [];
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    if (pace.due()) yield;
    const at = `${field}[${index}]`;
    append(errors, yield* errorsOf(item, at));
    if (seen.has(item.name)) errors.push(duplicate(`${at}.name`, item.name));
    seen.add(item.name);
  }
  return errors;
}

export function requestNames({ devices }: ResourceClaimSpec): RequestNames {
  const known = new Set<string>();
  for (const { name, firstAvailable } of devices.requests ?? []) {
    known.add(name);
    for (const alternative of firstAvailable ?? []) known.add(`${name}/${alternative.name}`);
  }
  return known;
}

export function checkRequestList(
  requests: readonly string[] | undefined,
  field: string,
  known: RequestNames,
  errors: FieldError[],
): void {
  const check = (name: string, at: string) => checkRequestReference(name, at, known, errors);
  checkSet(requests, field, MAX_REQUESTS, (name) => name, "", check, errors);
}

function* requestErrors(request: DeviceRequest, at: string, rules: DeviceRules, pace: Pace): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  checkDeviceName(request.name, `${at}.name`, errors);
  const { exactly, firstAvailable = [] } = request;
  const field = `${at}.firstAvailable`;
  const ofAlternatives = namedErrors(firstAvailable, field, MAX_ALTERNATIVES, pace, function* (alternative, place) {
    const ofName: FieldError[] = [];
    checkDeviceName(alternative.name, `${place}.name`, ofName);
    return [...ofName, ...(yield* exactErrors(alternative, place, rules, pace))];
  });
  append(errors, yield* ofAlternatives);
  if (exactly) append(errors, yield* exactErrors(exactly, `${at}.exactly`, rules, pace));
  const onlyOne = "exactly one of `exactly` or `firstAvailable` is required";
  if (!exactly && firstAvailable.length === 0) errors.push(required(at, onlyOne));
  if (exactly && firstAvailable.length > 0) errors.push(invalid(at, null, `${onlyOne}, but multiple fields are set`));
  return errors;
}

type Exact = Pick<ExactDeviceRequest, "deviceClassName" | "selectors" | "allocationMode" | "count" | "tolerations">;

function* exactErrors(request: Exact, at: string, rules: DeviceRules, pace: Pace): Steps<FieldError[]> {
  const { allocationMode: mode = "" } = request;
  const errors = fieldErrors(request, exactDeviceRequest, at, ["deviceClassName"]);
  append(errors, yield* selectorErrors(request.selectors, `${at}.selectors`, rules, pace));
  const count = request.count ?? 0;
  if (mode === "All") {
    const detail = "must not be specified when allocationMode is 'All'";
    if (count !== 0) errors.push(invalid(`${at}.count`, count, detail));
  } else if (mode === "ExactCount") {
    if (count <= 0) errors.push(invalid(`${at}.count`, count, "must be greater than zero"));
  } else errors.push(notSupported(`${at}.allocationMode`, mode, ["All", "ExactCount"]));
  (request.tolerations ?? []).forEach((toleration, index) => {
    checkToleration(toleration, `${at}.tolerations[${index}]`, errors);
  });
  return errors;
}

function checkConstraint(
  constraint: DeviceConstraint,
  at: string,
  known: RequestNames,
  rules: DeviceRules,
  errors: FieldError[],
): void {
  const { requests, matchAttribute, distinctAttribute } = constraint;
  checkRequestList(requests, `${at}.requests`, known, errors);
  if (matchAttribute !== undefined) {
    checkFullyQualifiedName(matchAttribute, `${at}.matchAttribute`, errors);
  } else if (distinctAttribute !== undefined) {
    checkFullyQualifiedName(distinctAttribute, `${at}.distinctAttribute`, errors);
  } else if (rules.gateEnabled("DRAConsumableCapacity")) {
    const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    errors.push(required(at, detail));
  } else errors.push(required(`${at}.matchAttribute`));
}
