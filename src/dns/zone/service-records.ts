// The records of Services and of what stands behind them. Requirements: the specification of DNS in clusters, schema 1.1.0.

import type { Service } from "../../kinds/core/service.ts";
import type { Endpoint, EndpointSlice } from "../../kinds/discovery/endpoint-slice-schema.ts";
import { parseIp } from "../../meta/ip.ts";
import { type DomainName, nameFromText, type RecordData } from "../message/message.ts";

/** A name whose records others point to. */
export interface NamedRecord {
  readonly name: DomainName;
  readonly data: RecordData;
}

interface ServiceRecords {
  readonly records: readonly RecordData[];
  /** Addresses of the names that records point to. */
  readonly added: readonly NamedRecord[];
}

export interface ServiceNames {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  /** The name of the Service itself. */
  readonly name: DomainName;
}

/** Of the Service's own name; undefined when there is no such name. */
export function recordsOfService({ service, slices }: ServiceNames): readonly RecordData[] | undefined {
  if (service.spec.type === "ExternalName") {
    const { externalName = "" } = service.spec;
    // Nobody could say more of a name that is an address.
    const target = parseIp(externalName) === undefined ? nameFromText(externalName) : undefined;
    return target === undefined ? undefined : [{ type: "CNAME", target }];
  }
  const own = clusterAddresses(service);
  if (own.length > 0) return own;
  const found = new Map<string, RecordData>();
  for (const { endpoint } of readyEndpoints(slices)) addAddresses(found, endpoint);
  return found.size === 0 ? undefined : [...found.values()];
}

/** Of `hostname.service`. */
export function recordsOfEndpoint({ slices }: ServiceNames, hostname: string): readonly RecordData[] | undefined {
  const found = new Map<string, RecordData>();
  for (const { endpoint } of readyEndpoints(slices))
    if (hostnameOf(endpoint) === hostname) addAddresses(found, endpoint);
  return found.size === 0 ? undefined : [...found.values()];
}

/** Of `_port._protocol.service`: SRV. */
export function recordsOfPort(names: ServiceNames, port: string, protocol: string): ServiceRecords | undefined {
  return pointersTo(names, (each) => each.name === port && (each.protocol ?? "TCP").toLowerCase() === protocol);
}

/** SRV of all ports, for who asks the Service itself for them, or one of its endpoints: as upstream's resolver answers. */
export function recordsOfAllPorts(names: ServiceNames, hostname?: string): ServiceRecords | undefined {
  return pointersTo(names, () => true, hostname);
}

type IsAsked = (port: { readonly name?: string; readonly protocol?: string }) => boolean;

/** `wanted`: the hostname of one of the endpoints. */
function pointersTo(
  { service, slices, name }: ServiceNames,
  isAsked: IsAsked,
  wanted?: string,
): ServiceRecords | undefined {
  const own = wanted === undefined ? clusterAddresses(service) : [];
  if (own.length > 0) {
    const ports = new Set((service.spec.ports ?? []).filter(isAsked).map(({ port }) => port));
    if (ports.size === 0) return undefined;
    return {
      records: [...ports].map((port) => pointer(port, name)),
      added: own.map((data) => ({ name, data })),
    };
  }
  const records = new Map<string, RecordData>();
  const added = new Map<string, NamedRecord>();
  for (const { endpoint, slice } of readyEndpoints(slices)) {
    const hostname = hostnameOf(endpoint);
    if (wanted !== undefined && hostname !== wanted) continue;
    const target = [hostname, ...name];
    for (const each of (slice.ports ?? []).filter(isAsked)) {
      if (each.port === undefined) continue;
      records.set(`${hostname}:${each.port}`, pointer(each.port, target));
      const addresses = new Map<string, RecordData>();
      addAddresses(addresses, endpoint);
      for (const [address, data] of addresses) added.set(`${hostname}/${address}`, { name: target, data });
    }
  }
  return records.size === 0 ? undefined : { records: [...records.values()], added: [...added.values()] };
}

/** Whether `_protocol.service` has names below it. */
export function hasPortsOf({ service, slices }: ServiceNames, protocol: string): boolean {
  const isOf = (each: { readonly name?: string; readonly protocol?: string }): boolean =>
    (each.name ?? "") !== "" && (each.protocol ?? "TCP").toLowerCase() === protocol;
  if (clusterAddresses(service).length > 0) return (service.spec.ports ?? []).some(isOf);
  return slices.some((slice) => (slice.ports ?? []).some(isOf) && [...readyEndpoints([slice])].length > 0);
}

/** The names of the ready endpoints with this address. */
export function hostnamesAt(slice: EndpointSlice, isAddress: (text: string) => boolean): string[] {
  const found = new Set<string>();
  for (const { endpoint } of readyEndpoints([slice]))
    if (endpoint.addresses?.some(isAddress)) found.add(hostnameOf(endpoint));
  return [...found];
}

/** None for those without, and for those that name others. */
export function clusterAddresses({ spec }: Service): RecordData[] {
  if (spec.type === "ExternalName") return [];
  return (spec.clusterIPs ?? []).map(addressRecord).filter((data) => data !== undefined);
}

export function addressRecord(text: string): RecordData | undefined {
  const ip = parseIp(text);
  return ip === undefined ? undefined : { type: ip.family === 4 ? "A" : "AAAA", address: ip.bytes };
}

const WEIGHT = 100;

function pointer(port: number, target: DomainName): RecordData {
  return { type: "SRV", priority: 0, weight: WEIGHT, port, target };
}

function* readyEndpoints(
  slices: readonly EndpointSlice[],
): Generator<{ readonly endpoint: Endpoint; readonly slice: EndpointSlice }, void, undefined> {
  for (const slice of slices) {
    if (slice.addressType === "FQDN") continue;
    // Whoever publishes what is not ready has it marked as ready.
    for (const endpoint of slice.endpoints ?? []) if (endpoint.conditions?.ready !== false) yield { endpoint, slice };
  }
}

/** Its own, or one made of its address: the same in every answer, and as upstream's resolver makes it. */
function hostnameOf({ hostname, addresses }: Endpoint): string {
  if (hostname !== undefined && hostname !== "") return hostname;
  return (addresses?.[0] ?? "").replaceAll(/[.:]/g, "-");
}

function addAddresses(found: Map<string, RecordData>, { addresses }: Endpoint): void {
  for (const address of addresses ?? []) {
    const data = addressRecord(address);
    if (data !== undefined) found.set(address, data);
  }
}
