// Whether a range of Service addresses may go: not while it holds addresses that no other range holds. Pure.

import type { IPAddress } from "../../kinds/networking/ip-address.ts";
import type { ServiceCIDR } from "../../kinds/networking/service-cidr.ts";
import {
  type Cidr,
  cidrContainsCidr,
  cidrContainsIp,
  cidrsOverlap,
  type IpAddress,
  parseCidr,
  parseIp,
} from "../../meta/ip.ts";
import type { Names } from "../../meta/names.ts";

export function rangesOf({ spec }: ServiceCIDR): readonly Cidr[] {
  return (spec.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);
}

/** The address that the server gave to a Service; undefined for those that others keep here. */
export function serviceAddress({ metadata }: IPAddress, names: Names): IpAddress | undefined {
  if (metadata.labels?.[names.ipAddressManagedByLabel] !== names.ipAllocatorManager) return undefined;
  return parseIp(metadata.name ?? "");
}

/** `others`: without those that end too, which can take nothing over. */
export function isInUse(ranges: readonly Cidr[], others: readonly Cidr[], addresses: Iterable<IpAddress>): boolean {
  const alone = ranges.filter((range) => !others.some((other) => cidrContainsCidr(other, range)));
  if (alone.length === 0) return false;
  for (const ip of addresses) {
    const held = alone.some((range) => cidrContainsIp(range, ip));
    if (held && !others.some((other) => cidrContainsIp(other, ip))) return true;
  }
  return false;
}

/** Whether what happens to one of them matters to the other. */
export function overlap(a: ServiceCIDR, b: ServiceCIDR): boolean {
  const ranges = rangesOf(b);
  return rangesOf(a).some((one) => ranges.some((other) => cidrsOverlap(one, other)));
}
