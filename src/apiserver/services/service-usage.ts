// What a Service uses of what is shared: cluster addresses and node ports. Pure.

import { heldAddresses, needsHealthCheckPort, needsNodePort } from "../../kinds/core/service/needs.ts";
import type { Service } from "../../kinds/core/service/schema.ts";
import { readIp } from "../../kinds/networking/ip-fields.ts";
import { formatIp, type IpAddress } from "../../meta/ip.ts";

/** Who holds an address or a port. */
export interface Owner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface ServiceUsage {
  readonly owner: Owner;
  readonly addresses: readonly IpAddress[];
  /** Each once, also where several protocols share a number. */
  readonly ports: readonly number[];
}

export function usageOf(service: Service): ServiceUsage {
  return { owner: ownerOf(service), addresses: addressesOf(service), ports: portsOf(service) };
}

export function ownerOf({ metadata }: Service): Owner {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "", uid: metadata.uid ?? "" };
}

function addressesOf(service: Service): IpAddress[] {
  return heldAddresses(service).flatMap((text) => readIp(text) ?? []);
}

function portsOf(service: Service): number[] {
  const { spec } = service;
  const healthCheck = needsHealthCheckPort(spec) ? spec.healthCheckNodePort : undefined;
  return [...new Set([...nodePortsOf(service), ...(healthCheck ? [healthCheck] : [])])];
}

/** Without the port for health checks. */
export function nodePortsOf({ spec }: Service): number[] {
  if (!needsNodePort(spec)) return [];
  return (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
}

export const addressKey = (ip: IpAddress): string => formatIp(ip);
