// Who may ask the resolver: the machine itself and pods. Whoever answers everybody is used against others. Pure.

import type { NetworkInterfaceInfo } from "node:os";
import { cidrContainsIp, isLoopback, parseCidr, parseIp } from "../meta/ip.ts";

interface AskerFacts {
  /** Networks of pods, as they were planned. */
  readonly clusterCidrs: readonly string[];
  readonly nodeIps: readonly string[];
  /** Of the machine, by name. */
  readonly interfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]>;
}

/** Says of an address whether it may. */
export function askers({ clusterCidrs, nodeIps, interfaces }: AskerFacts): (address: string) => boolean {
  const cidrs = clusterCidrs.map((text) => parseCidr(text)).filter((cidr) => cidr !== undefined);
  return (address) => {
    const ip = parseIp(address);
    if (ip === undefined) return false;
    if (nodeIps.includes(address) || isLoopback(ip) || cidrs.some((cidr) => cidrContainsIp(cidr, ip))) return true;
    return ownNetworks(interfaces(), nodeIps).some((text) => {
      const cidr = parseCidr(text);
      return cidr !== undefined && cidrContainsIp(cidr, ip);
    });
  };
}

/** Those of bridges: a network of pods that was there before is not the one that was planned. What leads elsewhere is not. */
function ownNetworks(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>, nodeIps: readonly string[]): string[] {
  return Object.values(interfaces)
    .map((addresses = []) => addresses)
    .filter((addresses) => !addresses.some(({ address, internal }) => internal || nodeIps.includes(address)))
    .flatMap((addresses) => addresses.flatMap(({ cidr }) => cidr ?? []));
}
