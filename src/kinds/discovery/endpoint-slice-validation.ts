// What an EndpointSlice must look like. Requirements: document 3, "EndpointSlice", "Limits".

import { append } from "../../base/append.ts";
import { equalJsonInSteps } from "../../base/json-in-steps.ts";
import { flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from "../../meta/field-error.ts";
import { formatIp } from "../../meta/ip.ts";
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  fullyQualifiedDomainProblems,
  labelKeyProblems,
  labelValueProblems,
} from "../../meta/name-formats.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { PROTOCOLS } from "../core/service/port-validation.ts";
import type { HookContext } from "../define-kind.ts";
import {
  familyOf,
  ipWarnings,
  readIp,
  validateCanonicalIp,
  validateEndpointIp,
  validateLegacyIp,
} from "../networking/ip-fields.ts";
import {
  type Endpoint,
  type EndpointPort,
  type EndpointSlice,
  endpoint,
  endpointPort,
  endpointSliceSchema,
} from "./endpoint-slice-schema.ts";

const MAX_ENDPOINTS = 1_000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 100;
const MAX_HINTS = 8;
const MAX_TOPOLOGY_LABELS = 16;

/** So many addresses are judged in one step. */
const ADDRESSES_PER_STEP = 250;

export function* validateEndpointSlice(slice: EndpointSlice, context: HookContext): Steps<FieldError[]> {
  const errors = validateAddressType(slice);
  append(errors, yield* validateEndpointList(slice, context));
  append(errors, validatePorts(slice));
  return errors;
}

/** Endpoints that do not change are not judged again. */
export function* validateEndpointSliceUpdate(
  slice: EndpointSlice,
  old: EndpointSlice,
  context: HookContext,
): Steps<FieldError[]> {
  const errors = validateAddressType(slice);
  const isSame = yield* equalJsonInSteps(slice.endpoints, old.endpoints);
  if (!isSame) append(errors, yield* validateEndpointList(slice, context));
  append(errors, validatePorts(slice));
  if (slice.addressType !== old.addressType) {
    errors.push(invalid("addressType", slice.addressType, "field is immutable"));
  }
  return errors;
}

export function* warnAboutEndpointSlice(
  slice: EndpointSlice,
  old: EndpointSlice | undefined,
  context: HookContext,
): Steps<string[]> {
  if (slice.addressType === "FQDN") return old === undefined ? ["spec.addressType: FQDN endpoints are deprecated"] : [];
  const pace = new Pace(ADDRESSES_PER_STEP);
  return yield* flatMapInSteps(slice.endpoints ?? [], pace, ({ addresses }, index) =>
    flatMapInSteps(addresses ?? [], pace, (address, at) =>
      ipWarnings(address, `endpoints[${index}].addresses[${at}]`, context),
    ),
  );
}

function validateAddressType(slice: EndpointSlice): FieldError[] {
  const errors: FieldError[] = [];
  checkFields(slice, endpointSliceSchema, "", errors, ["addressType"]);
  return errors;
}

function* validateEndpointList({ endpoints, addressType }: EndpointSlice, context: HookContext): Steps<FieldError[]> {
  const list = endpoints ?? [];
  if (list.length > MAX_ENDPOINTS) return [tooMany("endpoints", list.length, MAX_ENDPOINTS)];
  const errors: FieldError[] = [];
  const pace = new Pace(ADDRESSES_PER_STEP);
  for (const [index, given] of list.entries()) {
    const addresses = given.addresses ?? [];
    if (pace.due(1 + addresses.length)) yield;
    const field = `endpoints[${index}]`;
    append(errors, validateAddresses(addresses, `${field}.addresses`, addressType, context));
    append(errors, validateEndpoint(given, field, context));
  }
  return errors;
}

function validateAddresses(
  addresses: readonly string[],
  field: string,
  addressType: string,
  context: HookContext,
): FieldError[] {
  if (addresses.length === 0) return [required(field, "must contain at least 1 address")];
  if (addresses.length > MAX_ADDRESSES) return [tooMany(field, addresses.length, MAX_ADDRESSES)];
  const seen = new Set<string>();
  return addresses.flatMap((address, index) => {
    const errors = validateAddress(address, `${field}[${index}]`, field, addressType, context);
    // The document wants them unique, upstream only in a set that is applied. Two spellings are one address.
    const ip = readIp(address);
    const canonical = ip === undefined ? address : formatIp(ip);
    if (seen.has(canonical)) errors.push(duplicate(`${field}[${index}]`, address));
    seen.add(canonical);
    return errors;
  });
}

function validateAddress(
  address: string,
  field: string,
  listField: string,
  addressType: string,
  context: HookContext,
): FieldError[] {
  switch (addressType) {
    case "IPv4":
    case "IPv6": {
      // The document wants canonical addresses of both families, upstream still takes old spellings of the first.
      const legacy = addressType === "IPv4" && context.names.dialect !== "platform";
      const errors = legacy ? validateLegacyIp(address, field, context) : validateCanonicalIp(address, field);
      if (errors.length > 0) return errors;
      if (addressType === "IPv4" && address.includes(":")) {
        return [invalid(listField, address, "must be an IPv4 address"), ...validateEndpointIp(address, field)];
      }
      if (familyOf(readIp(address)!) !== addressType) {
        errors.push(invalid(listField, address, `must be an ${addressType} address`));
      }
      return [...errors, ...validateEndpointIp(address, field)];
    }
    case "FQDN":
      return fullyQualifiedDomainProblems(address).map((problem) => invalid(field, address, problem));
    default:
      return [];
  }
}

/** The document wants zones to have a name, upstream stores them without one. */
const zoneProblems =
  ({ names }: HookContext) =>
  (name: string) =>
    name === "" && names.dialect === "platform" ? ["must be set"] : labelValueProblems(name);

function validateEndpoint(given: Endpoint, field: string, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  const { deprecatedTopology, hints } = given;
  checkFields(given, endpoint, field, errors, ["nodeName"]);
  const topology = Object.entries(deprecatedTopology ?? {});
  if (topology.length > MAX_TOPOLOGY_LABELS) {
    errors.push(tooMany(`${field}.deprecatedTopology`, topology.length, MAX_TOPOLOGY_LABELS));
  }
  for (const [key, value] of topology) {
    for (const problem of labelKeyProblems(key)) errors.push(invalid(`${field}.deprecatedTopology`, key, problem));
    for (const problem of labelValueProblems(value))
      errors.push(invalid(`${field}.deprecatedTopology`, value, problem));
  }
  checkFields(given, endpoint, field, errors, ["hostname"]);
  append(errors, validateHints(hints?.forZones ?? [], `${field}.hints.forZones`, zoneProblems(context)));
  append(errors, validateHints(hints?.forNodes ?? [], `${field}.hints.forNodes`, dns1123SubdomainProblems));
  return errors;
}

function validateHints(
  hints: readonly { readonly name: string }[],
  field: string,
  problemsOf: (name: string) => string[],
): FieldError[] {
  if (hints.length > MAX_HINTS) return [tooMany(field, hints.length, MAX_HINTS)];
  const seen = new Set<string>();
  return hints.flatMap(({ name }, index) => {
    const errors: FieldError[] = [];
    if (seen.has(name)) errors.push(duplicate(`${field}[${index}].name`, name));
    seen.add(name);
    return [...errors, ...problemsOf(name).map((problem) => invalid(`${field}[${index}].name`, name, problem))];
  });
}

function validatePorts({ ports }: EndpointSlice): FieldError[] {
  const list = ports ?? [];
  if (list.length > MAX_PORTS) return [tooMany("ports", list.length, MAX_PORTS)];
  const names = new Set<string>();
  return list.flatMap((port, index) => validatePort(port, `ports[${index}]`, names));
}

function validatePort(port: EndpointPort, field: string, names: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  const name = port.name ?? "";
  for (const problem of name === "" ? [] : dns1123LabelProblems(name)) {
    errors.push(invalid(`${field}.name`, name, problem));
  }
  if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
  names.add(name);
  const { protocol } = port;
  if (protocol === undefined) errors.push(required(`${field}.protocol`));
  else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  checkFields(port, endpointPort, field, errors);
  return errors;
}
