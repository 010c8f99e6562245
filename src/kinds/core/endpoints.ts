// Endpoints: the addresses behind a service; EndpointSlice has taken its place.
// Requirements: document 3, "Endpoints".

import { append } from "../../base/append.ts";
import { equalJsonInSteps } from "../../base/json-in-steps.ts";
import { flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { hostPort } from "../../meta/host-port.ts";
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  portNumberProblems,
  qualifiedNameProblems,
} from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { firstOfMany } from "../cells/text.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { deprecation } from "../deprecation.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ipWarnings, validateEndpointIp, validateLegacyIp } from "../networking/ip-fields.ts";
import { objectReference } from "./object-reference.ts";
import { PROTOCOLS } from "./service/port-validation.ts";

export type Endpoints = ObjectOf<typeof endpointsSchema>;

const endpointsSchema = objectSchema(
  "core.v1.Endpoints",
  "The addresses behind a service; EndpointSlice has taken its place.",
  () => ({
    subsets: opt.atomic(
      endpointSubset,
      2,
      "Groups of addresses that serve the same ports. An address with some ports ready and some not stands in several.",
    ),
  }),
);

export const endpoints = defineKind({
  group: "",
  version: "v1",
  kind: "Endpoints",
  resource: "endpoints",
  scope: "Namespaced",
  judgedInSteps: true,
  shortNames: ["ep"],
  schema: endpointsSchema,
  storagePrefix: "services/endpoints",
  createOnUpdate: true,
  unconditionalUpdate: true,
  deprecated: deprecation(
    { group: "", version: "v1", kind: "Endpoints" },
    { since: "1.33", instead: { group: "discovery", version: "v1", kind: "EndpointSlice" } },
  ),
  columns: [NAME_COLUMN, { name: "Endpoints", type: "string", cell: endpointsCell }, AGE_COLUMN],
  hooks: {
    default(endpoints) {
      for (const port of (endpoints.subsets ?? []).flatMap((subset) => subset.ports ?? [])) port.protocol ||= "TCP";
    },
    validate: validateEndpoints,
    validateUpdate: validateEndpointsUpdate,
    warn: warnAboutEndpoints,
  },
});

const SHOWN_ENDPOINTS = 3;

function endpointsCell({ subsets }: Endpoints): string {
  if (!subsets?.length) return "<none>";
  const count = subsets.reduce(
    (sum, { addresses, ports }) => sum + (addresses ?? []).length * Math.max((ports ?? []).length, 1),
    0,
  );
  return firstOfMany(endpointTexts(subsets), count, SHOWN_ENDPOINTS);
}

/** Every combination of an address with a port: of long lists too many to make all of them. */
function* endpointTexts(subsets: readonly EndpointSubset[]): Iterable<string> {
  for (const { addresses = [], ports = [] } of subsets) {
    if (ports.length === 0) for (const { ip } of addresses) yield ip;
    for (const { port } of ports) for (const { ip } of addresses) yield hostPort(ip, port);
  }
}

type EndpointSubset = ObjectOf<typeof endpointSubset>;

const endpointSubset = s.struct(
  "core.v1.EndpointSubset",
  "Addresses and the ports that all of them serve: every combination is an endpoint.",
  () => ({
    addresses: opt.atomic(endpointAddress, 1, "Addresses that are ready; clients should use these."),
    notReadyAddresses: opt.atomic(
      endpointAddress,
      2,
      "Addresses that have not started yet or have failed a probe; clients should not use them.",
    ),
    ports: opt.atomic(endpointPort, 3, "Ports that every one of the addresses offers."),
  }),
);

type EndpointAddress = ObjectOf<typeof endpointAddress>;

const endpointAddress = s.struct(
  "core.v1.EndpointAddress",
  "One address behind a service.",
  { mapType: "atomic" },
  () => ({
    ip: s.string(1, "IPv4 or IPv6 address. Loopback, link-local and multicast addresses are refused."),
    hostname: opt.string(3, "Name of this endpoint in DNS, below the name of the service."),
    nodeName: ptr.string(4, "Node on which the endpoint is."),
    targetRef: ptr.of(objectReference, 2, "The object, usually a pod, that has this address."),
  }),
);

type EndpointPort = ObjectOf<typeof endpointPort>;

const endpointPort = s.struct(
  "core.v1.EndpointPort",
  "A port of the addresses of a subset.",
  { mapType: "atomic" },
  () => ({
    name: opt.string(1, "Name of the port, the same as in the service. May be left out when there is only one."),
    port: s.int32(2, "The port, from 1 to 65535."),
    protocol: opt.enumOf("Protocol", ["SCTP", "TCP", "UDP"], 3, "`TCP`, `UDP` or `SCTP`. Not set, `TCP`."),
    appProtocol: ptr.string(
      4,
      "What is spoken on the port, such as `http`, as a hint for proxies. Names without a domain are those of IANA.",
    ),
  }),
);

/** So many subsets, addresses or ports are judged in one step. */
const JUDGED_PER_STEP = 250;

function validateEndpoints(endpoints: Endpoints, context: HookContext): Steps<FieldError[]> {
  return validateSubsets(endpoints, context, new Set());
}

/** Subsets that do not change are not judged again. */
function* validateEndpointsUpdate(endpoints: Endpoints, old: Endpoints, context: HookContext): Steps<FieldError[]> {
  if (yield* equalJsonInSteps(endpoints.subsets, old.subsets)) return [];
  yield;
  const known = new Set<string>();
  const pace = new Pace(JUDGED_PER_STEP);
  for (const { addresses, notReadyAddresses } of old.subsets ?? []) {
    if (pace.due()) yield;
    for (const list of [addresses, notReadyAddresses]) {
      for (const { ip } of list ?? []) {
        if (pace.due()) yield;
        known.add(ip);
      }
    }
  }
  yield;
  return yield* validateSubsets(endpoints, context, known);
}

function* warnAboutEndpoints(endpoints: Endpoints, _old: Endpoints | undefined, context: HookContext): Steps<string[]> {
  const warnings: string[] = [];
  const pace = new Pace(JUDGED_PER_STEP);
  for (const [index, subset] of (endpoints.subsets ?? []).entries()) {
    if (pace.due()) yield;
    for (const { list, at } of addressLists(subset, `subsets[${index}]`)) {
      const found = flatMapInSteps(list, pace, ({ ip }, each) => ipWarnings(ip, `${at}[${each}].ip`, context));
      append(warnings, yield* found);
    }
  }
  return warnings;
}

function* validateSubsets(
  { subsets }: Endpoints,
  context: HookContext,
  known: ReadonlySet<string>,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const pace = new Pace(JUDGED_PER_STEP);
  for (const [index, subset] of (subsets ?? []).entries()) {
    if (pace.due()) yield;
    append(errors, yield* validateSubset(subset, `subsets[${index}]`, context, known, pace));
  }
  return errors;
}

function* validateSubset(
  subset: EndpointSubset,
  field: string,
  context: HookContext,
  known: ReadonlySet<string>,
  pace: Pace,
): Steps<FieldError[]> {
  const lists = addressLists(subset, field);
  const errors: FieldError[] = [];
  if (lists.every(({ list }) => list.length === 0))
    errors.push(required(field, "must specify `addresses` or `notReadyAddresses`"));
  for (const { list, at } of lists) {
    const found = flatMapInSteps(list, pace, (address, index) =>
      validateAddress(address, `${at}[${index}]`, context, known),
    );
    append(errors, yield* found);
  }
  if (context.names.dialect === "platform") append(errors, inBothLists(subset, field));
  const ports = subset.ports ?? [];
  const ofPorts = flatMapInSteps(ports, pace, (port, index) =>
    validatePort(port, `${field}.ports[${index}]`, ports.length > 1),
  );
  append(errors, yield* ofPorts);
  return errors;
}

/** The document: an address is ready or it is not. */
function inBothLists({ addresses, notReadyAddresses }: EndpointSubset, field: string): FieldError[] {
  const ready = new Set((addresses ?? []).map(({ ip }) => ip));
  return (notReadyAddresses ?? []).flatMap(({ ip }, index) =>
    ready.has(ip) ? [invalid(`${field}.notReadyAddresses[${index}].ip`, ip, "may not be in `addresses` too")] : [],
  );
}

/** Both lists of a subset, with their paths. */
function addressLists(
  { addresses, notReadyAddresses }: EndpointSubset,
  field: string,
): readonly { readonly list: readonly EndpointAddress[]; readonly at: string }[] {
  return [
    { list: addresses ?? [], at: `${field}.addresses` },
    { list: notReadyAddresses ?? [], at: `${field}.notReadyAddresses` },
  ];
}

function validateAddress(
  { ip, hostname, nodeName }: EndpointAddress,
  field: string,
  context: HookContext,
  known: ReadonlySet<string>,
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
