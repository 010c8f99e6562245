// What a claim to devices must look like: in claims themselves and in their templates.

import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { checkFields } from "../../schema/check-fields.ts";
import {
  checkDeviceName,
  checkFullyQualifiedName,
  checkRequestReference,
  checkSet,
  type RequestNames,
} from "./device-name-validation.ts";
import { checkConfiguration, checkSelectors, type DeviceRules } from "./device-selector-validation.ts";
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

export function validateDeviceClaim({ devices }: ResourceClaimSpec, at: string, rules: DeviceRules): FieldError[] {
  const errors: FieldError[] = [];
  const field = `${at}.devices`;
  const known = requestNames({ devices });
  const nameOf = ({ name }: { readonly name: string }) => name;
  const { requests, constraints, config } = devices;
  checkSet(
    requests ?? [],
    `${field}.requests`,
    MAX_REQUESTS,
    nameOf,
    ".name",
    (request, place) => checkRequest(request, place, rules, errors),
    errors,
  );
  checkFields(devices, deviceClaim, field, errors, ["constraints"]);
  (constraints ?? []).forEach((constraint, index) => {
    checkConstraint(constraint, `${field}.constraints[${index}]`, known, rules, errors);
  });
  checkFields(devices, deviceClaim, field, errors, ["config"]);
  (config ?? []).forEach((configuration, index) => {
    const place = `${field}.config[${index}]`;
    checkRequestList(configuration.requests, `${place}.requests`, known, errors);
    checkConfiguration(configuration, place, errors);
  });
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

function checkRequest(request: DeviceRequest, at: string, rules: DeviceRules, errors: FieldError[]): void {
  checkDeviceName(request.name, `${at}.name`, errors);
  const { exactly, firstAvailable = [] } = request;
  const onlyOne = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly && firstAvailable.length > 0) {
    errors.push(invalid(at, null, `${onlyOne}, but multiple fields are set`));
  } else if (exactly) checkExact(exactly, `${at}.exactly`, rules, errors);
  else if (firstAvailable.length === 0) errors.push(required(at, onlyOne));
  else {
    checkSet(
      firstAvailable,
      `${at}.firstAvailable`,
      MAX_ALTERNATIVES,
      ({ name }) => name,
      ".name",
      (alternative, place) => {
        checkDeviceName(alternative.name, `${place}.name`, errors);
        checkExact(alternative, place, rules, errors);
      },
      errors,
    );
  }
}

type Exact = Pick<ExactDeviceRequest, "deviceClassName" | "selectors" | "allocationMode" | "count" | "tolerations">;

function checkExact(request: Exact, at: string, rules: DeviceRules, errors: FieldError[]): void {
  const { allocationMode: mode = "" } = request;
  checkFields(request, exactDeviceRequest, at, errors, ["deviceClassName"]);
  checkSelectors(request.selectors, `${at}.selectors`, rules, errors);
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
