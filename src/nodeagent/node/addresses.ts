// The addresses of the node. Requirements: document 3, "Node status fields".

import { isGlobalUnicast, isLoopback, isUnspecified, parseIp } from "../../meta/ip.ts";
import type { Names } from "../../meta/names.ts";
import type { InterfaceAddress, MachineFacts } from "./machine.ts";

interface NodeAddress {
  readonly type: string;
  readonly address: string;
}

type Interfaces = Pick<MachineFacts, "interfaces" | "defaultRouteInterfaces">;

/** What the status of the node tells. */
export function nodeAddresses(
  names: Pick<Names, "hostnameAddress">,
  hostname: string,
  internal: readonly string[],
): NodeAddress[] {
  return [
    ...internal.map((address) => ({ type: "InternalIP", address })),
    { type: names.hostnameAddress, address: hostname },
  ];
}

/**
 * `nodeIps` are those of --node-ip; without them the address of the default route counts, and where they say no more than a
 * family (`::`), one of that family rather than of the other.
 */
export function internalIps(hostname: string, nodeIps: readonly string[], machine: Interfaces): readonly string[] {
  const [first] = nodeIps;
  const ip = first === undefined ? undefined : parseIp(first);
  return ip === undefined || isUnspecified(ip) ? chooseIps(hostname, machine, familyOf(nodeIps)) : nodeIps;
}

/** Of a pod's addresses the first of the node's own family, and the first of the other one. */
export function podIpsOf(ips: readonly string[], nodeIps: readonly string[]): string[] {
  const own = familyOf(nodeIps);
  const [same, other] = [
    ips.find((ip) => parseIp(ip)?.family === own),
    ips.find((ip) => (parseIp(ip)?.family ?? own) !== own),
  ];
  return [same, other].filter((ip) => ip !== undefined);
}

/** The fourth version where --node-ip does not say. */
function familyOf([first = ""]: readonly string[]): 4 | 6 {
  return parseIp(first)?.family ?? 4;
}

/** One of the first family that is found. A machine without a network is reached by its loopback address. */
function chooseIps(hostname: string, { interfaces, defaultRouteInterfaces }: Interfaces, preferred: 4 | 6): string[] {
  if (parseIp(hostname) !== undefined) return [hostname];
  const usable = interfaces.filter(({ address }) => isUsable(address));
  const rank = ({ name, family }: InterfaceAddress): number => {
    const route = defaultRouteInterfaces.indexOf(name);
    return (route < 0 ? defaultRouteInterfaces.length : route) * 2 + (family === preferred ? 0 : 1);
  };
  const [best] = usable.sort((a, b) => rank(a) - rank(b));
  const loopback = interfaces.find(({ address }) => isLoopbackText(address));
  return [best?.address ?? loopback?.address ?? "127.0.0.1"];
}

function isUsable(address: string): boolean {
  const ip = parseIp(address);
  return ip !== undefined && isGlobalUnicast(ip) && !isLoopback(ip);
}

function isLoopbackText(address: string): boolean {
  const ip = parseIp(address);
  return ip !== undefined && isLoopback(ip);
}
