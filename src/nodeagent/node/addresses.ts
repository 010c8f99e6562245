// The addresses of the node. Requirements: document 3, "Node status fields".

import { isGlobalUnicast, isLoopback, parseIp } from "../../meta/ip.ts";
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

/** `nodeIps` are those of --node-ip; without them the address of the default route counts. */
export function internalIps(hostname: string, nodeIps: readonly string[], machine: Interfaces): readonly string[] {
  return nodeIps.length > 0 ? nodeIps : chooseIps(hostname, machine);
}

/** One of the first family that is found. A machine without a network is reached by its loopback address. */
function chooseIps(hostname: string, { interfaces, defaultRouteInterfaces }: Interfaces): string[] {
  if (parseIp(hostname) !== undefined) return [hostname];
  const usable = interfaces.filter(({ address }) => isUsable(address));
  const rank = ({ name, family }: InterfaceAddress): number => {
    const route = defaultRouteInterfaces.indexOf(name);
    return (route < 0 ? defaultRouteInterfaces.length : route) * 2 + (family === 4 ? 0 : 1);
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
