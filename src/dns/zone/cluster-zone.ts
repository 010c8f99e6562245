// Which records stand under a name of the cluster. A name without records that has others below it is there all the same:
// whoever asks hears that it has nothing of the kind, not that it is no name.
// Requirements: the specification of DNS in clusters, schema 1.1.0.

import { type DomainName, lowerCase, type RecordData, TYPE } from "../message/message.ts";
import { type ClusterView, canonicalIp } from "./cluster-view.ts";
import { addressOfReverseName } from "./reverse-name.ts";
import {
  addressRecord,
  clusterAddresses,
  hasPortsOf,
  hostnamesAt,
  type NamedRecord,
  recordsOfAllPorts,
  recordsOfEndpoint,
  recordsOfPort,
  recordsOfService,
  type ServiceNames,
} from "./service-records.ts";

const SCHEMA_VERSION = "1.1.0";

type Lookup =
  /** Not a name of the cluster: others know. */
  | { readonly kind: "foreign" }
  | { readonly kind: "missing" }
  | { readonly kind: "found"; readonly records: readonly RecordData[]; readonly added: readonly NamedRecord[] };

interface Zone {
  readonly view: ClusterView;
  /** In lower case. */
  readonly domain: DomainName;
  /** The record of the domain itself, which also says for how long a "no" is good. */
  readonly authority: RecordData;
}

/** Records of other types than the one that is asked for are among those that are found. */
export function lookUp({ view, domain, authority }: Zone, asked: DomainName, type: number): Lookup {
  const name = lowerCase(asked);
  const address = addressOfReverseName(name);
  if (address !== undefined) return namesOf(view, domain, address);
  if (!endsWith(name, domain)) return FOREIGN;
  const path = name.slice(0, name.length - domain.length);
  switch (path.at(-1)) {
    case undefined:
      return found([authority]);
    case "dns-version":
      return path.length === 1 ? found([{ type: "TXT", text: SCHEMA_VERSION }]) : MISSING;
    case "svc":
      return lookUpService(view, domain, path.slice(0, -1), type);
    case "pod":
      return lookUpPod(view, path.slice(0, -1));
    default:
      return MISSING;
  }
}

const FOREIGN: Lookup = { kind: "foreign" };
const MISSING: Lookup = { kind: "missing" };

/** `[[host.|_port._protocol.]service.]namespace`, or nothing. */
function lookUpService(view: ClusterView, domain: DomainName, path: DomainName, type: number): Lookup {
  const namespace = path.at(-1);
  if (namespace === undefined) return found([]);
  const serviceName = path.at(-2);
  if (serviceName === undefined) return view.hasNamespace(namespace) ? found([]) : MISSING;
  const service = view.service(namespace, serviceName);
  if (service === undefined) return MISSING;
  const names: ServiceNames = {
    service,
    slices: view.slicesOf(namespace, serviceName),
    name: [serviceName, namespace, "svc", ...domain],
  };
  const ofPorts = (hostname?: string) => (type === TYPE.SRV ? recordsOfAllPorts(names, hostname) : undefined);
  if (path.length === 2) return foundOr(recordsOfService(names), ofPorts());
  if (service.spec.type === "ExternalName") return MISSING;
  const below = path.at(-3)!;
  if (path.length === 3) {
    if (below.startsWith("_")) return hasPortsOf(names, below.slice(1)) ? found([]) : MISSING;
    return foundOr(recordsOfEndpoint(names, below), ofPorts(below));
  }
  const port = path[0]!;
  if (path.length !== 4 || !port.startsWith("_") || !below.startsWith("_")) return MISSING;
  const pointers = recordsOfPort(names, port.slice(1), below.slice(1));
  return pointers === undefined ? MISSING : found(pointers.records, pointers.added);
}

/** `[address.]namespace`, or nothing: any address counts as one of a pod. */
function lookUpPod(view: ClusterView, path: DomainName): Lookup {
  const namespace = path.at(-1);
  if (namespace === undefined) return found([]);
  if (!view.hasNamespace(namespace)) return MISSING;
  if (path.length === 1) return found([]);
  const label = path[0]!;
  const data =
    path.length === 2
      ? (addressRecord(label.replaceAll("-", ".")) ?? addressRecord(label.replaceAll("-", ":")))
      : undefined;
  return data === undefined ? MISSING : found([data]);
}

/** Addresses that nothing in the cluster has are others' to name. */
function namesOf(view: ClusterView, domain: DomainName, address: string): Lookup {
  const names: DomainName[] = view
    .servicesAt(address)
    .map(({ metadata }) => [metadata.name ?? "", metadata.namespace ?? "", "svc", ...domain]);
  for (const slice of names.length > 0 ? [] : view.slicesAt(address)) {
    const service = view.serviceOf(slice);
    if (service === undefined || clusterAddresses(service).length > 0) continue;
    const { name = "", namespace = "" } = service.metadata;
    for (const hostname of hostnamesAt(slice, (text) => canonicalIp(text) === address))
      names.push([hostname, name, namespace, "svc", ...domain]);
  }
  return names.length === 0 ? FOREIGN : found(names.map((target) => ({ type: "PTR", target })));
}

function found(records: readonly RecordData[], added: readonly NamedRecord[] = []): Lookup {
  return { kind: "found", records, added };
}

function foundOr(records: readonly RecordData[] | undefined, pointers?: ReturnType<typeof recordsOfPort>): Lookup {
  if (records === undefined) return MISSING;
  return pointers === undefined ? found(records) : found([...records, ...pointers.records], pointers.added);
}

function endsWith(name: DomainName, end: DomainName): boolean {
  const start = name.length - end.length;
  return start >= 0 && end.every((label, index) => name[start + index] === label);
}
