// Who may ask the resolver: the machine itself and pods. Whoever answers everybody is used against others.

import type { NetworkInterfaceInfo } from "node:os";
import type { Clock } from "../base/clock.ts";
import { type Cidr, cidrContainsIp, type IpAddress, isLoopback, parseCidr, parseIp } from "../meta/ip.ts";

/** Whoever it is that asks: the machine is not looked at again any earlier. It may have many interfaces. */
const LOOK_EVERY_MS = 200;

interface AskerFacts {
  /** Networks of pods, as they were planned. */
  readonly clusterCidrs: readonly string[];
  readonly nodeIps: readonly string[];
  /** Of the machine, by name. */
  readonly interfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]>;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Says of an address whether it may. */
export function askers({ clusterCidrs, nodeIps, interfaces, clock }: AskerFacts): (address: string) => boolean {
  const planned = parseAll(clusterCidrs);
  let own: readonly Cidr[] = [];
  let lookedMs = Number.NEGATIVE_INFINITY;
  const isOfOwnNetwork = (ip: IpAddress): boolean => {
    const nowMs = clock.monotonicMs();
    if (nowMs - lookedMs >= LOOK_EVERY_MS) {
      lookedMs = nowMs;
      own = parseAll(ownNetworks(interfaces(), nodeIps));
    }
    return own.some((cidr) => cidrContainsIp(cidr, ip));
  };
  return (address) => {
    const ip = parseIp(address);
    if (ip === undefined) return false;
    if (nodeIps.includes(address) || isLoopback(ip) || planned.some((cidr) => cidrContainsIp(cidr, ip))) return true;
    return isOfOwnNetwork(ip);
  };
}

const parseAll = (texts: readonly string[]): Cidr[] =>
  texts.map((text) => parseCidr(text)).filter((cidr) => cidr !== undefined);

/** Those of bridges: a network of pods that was there before is not the one that was planned. What leads elsewhere is not. */
function ownNetworks(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>, nodeIps: readonly string[]): string[] {
  return Object.values(interfaces)
    .map((addresses = []) => addresses)
    .filter((addresses) => !addresses.some(({ address, internal }) => internal || nodeIps.includes(address)))
    .flatMap((addresses) => addresses.flatMap(({ cidr }) => cidr ?? []));
}
