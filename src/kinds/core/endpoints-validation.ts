// What Endpoints must look like. Requirements: document 3, "Endpoints".

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  portNumberProblems,
  qualifiedNameProblems,
} from "../../meta/name-formats.ts";
import type { HookContext } from "../define-kind.ts";
import { ipWarnings, validateEndpointIp, validateLegacyIp } from "../networking/ip-fields.ts";
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from "./endpoints-schema.ts";
import { PROTOCOLS } from "./service-port-validation.ts";

export function validateEndpoints({ subsets }: Endpoints, context: HookContext): FieldError[] {
  return (subsets ?? []).flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`, context, []));
}

/** Subsets that do not change are not judged again. */
export function validateEndpointsUpdate(endpoints: Endpoints, old: Endpoints, context: HookContext): FieldError[] {
  if (equalJson(endpoints.subsets, old.subsets)) return [];
  const known = (old.subsets ?? []).flatMap(({ addresses, notReadyAddresses }) =>
    [...(addresses ?? []), ...(notReadyAddresses ?? [])].map(({ ip }) => ip),
  );
  const { subsets } = endpoints;
  return (subsets ?? []).flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`, context, known));
}

export function warnAboutEndpoints(endpoints: Endpoints, _old: Endpoints | undefined, context: HookContext): string[] {
  return (endpoints.subsets ?? []).flatMap((subset, index) =>
    addressLists(subset, `subsets[${index}]`).flatMap(([address, field]) =>
      ipWarnings(address.ip, `${field}.ip`, context),
    ),
  );
}

function validateSubset(
  subset: EndpointSubset,
  field: string,
  context: HookContext,
  known: readonly string[],
): FieldError[] {
  const all = addressLists(subset, field);
  const errors: FieldError[] = [];
  if (all.length === 0) errors.push(required(field, "must specify `addresses` or `notReadyAddresses`"));
  for (const [address, at] of all) append(errors, validateAddress(address, at, context, known));
  const ports = subset.ports ?? [];
  ports.forEach((port, index) => {
    append(errors, validatePort(port, `${field}.ports[${index}]`, ports.length > 1));
  });
  return errors;
}

/** Every address of a subset with the path of its field. */
function addressLists({ addresses, notReadyAddresses }: EndpointSubset, field: string): [EndpointAddress, string][] {
  const named = (list: readonly EndpointAddress[], name: string) =>
    list.map((address, index): [EndpointAddress, string] => [address, `${field}.${name}[${index}]`]);
  return [...named(addresses ?? [], "addresses"), ...named(notReadyAddresses ?? [], "notReadyAddresses")];
}

function validateAddress(
  { ip, hostname, nodeName }: EndpointAddress,
  field: string,
  context: HookContext,
  known: readonly string[],
): FieldError[] {
  const errors = validateLegacyIp(ip, `${field}.ip`, context, known);
  for (const problem of hostname ? dns1123LabelProblems(hostname) : []) {
    errors.push(invalid(`${field}.hostname`, hostname, problem));
  }
  for (const problem of nodeName === undefined ? [] : dns1123SubdomainProblems(nodeName)) {
    errors.push(invalid(`${field}.nodeName`, nodeName, problem));
  }
  return [...errors, ...validateEndpointIp(ip, `${field}.ip`)];
}

function validatePort(port: EndpointPort, field: string, nameNeeded: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const name = port.name ?? "";
  if (name === "" && nameNeeded) errors.push(required(`${field}.name`));
  for (const problem of name === "" ? [] : dns1123LabelProblems(name)) {
    errors.push(invalid(`${field}.name`, name, problem));
  }
  for (const problem of portNumberProblems(port.port)) errors.push(invalid(`${field}.port`, port.port, problem));
  const protocol = port.protocol ?? "";
  if (protocol === "") errors.push(required(`${field}.protocol`));
  else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  const { appProtocol } = port;
  for (const problem of appProtocol === undefined ? [] : qualifiedNameProblems(appProtocol)) {
    errors.push(invalid(`${field}.appProtocol`, appProtocol, problem));
  }
  return errors;
}
