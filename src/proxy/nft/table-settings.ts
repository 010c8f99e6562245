// What the tables are like on this node: which addresses serve node ports, and which traffic is that of its own pods.

import {
  cidrContainsIp,
  formatCidr,
  formatIp,
  isLinkLocalUnicast,
  isLoopback,
  maskCidr,
  parseCidr,
  parseIp,
} from "../../meta/ip.ts";
import { apartCidrs } from "../rules/apart-cidrs.ts";
import type { Family } from "../rules/backends.ts";
import type { LocalTraffic, NodePortAddresses, TableSettings } from "./table-text.ts";

export const DETECT_LOCAL_MODES = ["ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix"] as const;
type DetectLocalMode = (typeof DETECT_LOCAL_MODES)[number];

/** The part of the configuration that decides about the tables. */
interface TrafficConfiguration {
  /** Comma-separated. */
  readonly clusterCIDR: string;
  readonly detectLocal: { readonly bridgeInterface: string; readonly interfaceNamePrefix: string };
  readonly detectLocalMode: DetectLocalMode;
  readonly nftables: {
    readonly masqueradeAll: boolean;
    /** Which bit of the packet mark says that a packet shall get the address of the node. */
    readonly masqueradeBit: number;
  };
  /** CIDRs, or "primary" for the addresses of the node; empty means that too. */
  readonly nodePortAddresses: readonly string[];
}

interface NodeNetwork {
  readonly nodeIps: readonly string[];
  readonly podCidrs: readonly string[];
  /** All addresses of the machine. */
  readonly machineIps: readonly string[];
  /** Where cluster IPs come from. */
  readonly serviceCidrs: readonly string[];
}

export const PRIMARY = "primary";

export function tableSettings(
  family: Family,
  configuration: TrafficConfiguration,
  network: NodeNetwork,
): TableSettings {
  const { nftables } = configuration;
  return {
    family,
    masqueradeMark: 2 ** nftables.masqueradeBit,
    masqueradeAll: nftables.masqueradeAll,
    localTraffic: localTrafficOf(family, configuration, network),
    nodePorts: nodePortsOf(family, configuration, network),
    serviceCidrs: foreignCidrs(family, network),
  };
}

function localTrafficOf(family: Family, configuration: TrafficConfiguration, { podCidrs }: NodeNetwork): LocalTraffic {
  const { detectLocalMode, clusterCIDR, detectLocal } = configuration;
  switch (detectLocalMode) {
    case "ClusterCIDR":
      return {
        by: "addresses",
        cidrs: cidrsOf(
          clusterCIDR.split(",").map((each) => each.trim()),
          family,
        ),
      };
    case "NodeCIDR":
      return { by: "addresses", cidrs: cidrsOf(podCidrs, family) };
    case "BridgeInterface":
      return { by: "interface", name: detectLocal.bridgeInterface };
    case "InterfaceNamePrefix":
      return { by: "interface prefix", prefix: detectLocal.interfaceNamePrefix };
  }
}

function nodePortsOf(
  family: Family,
  { nodePortAddresses }: TrafficConfiguration,
  { nodeIps, machineIps }: NodeNetwork,
): NodePortAddresses {
  const given = nodePortAddresses.filter((each) => each !== PRIMARY);
  if (given.length === 0) return { at: "addresses", ips: ipsOf(nodeIps, family) };
  const cidrs = given.flatMap((text) => parseCidr(text) ?? []).filter(({ ip }) => ip.family === family);
  if (cidrs.some(({ prefixLength }) => prefixLength === 0)) return { at: "all" };
  const ips = ipsOf(machineIps, family).filter((text) => {
    const ip = parseIp(text)!;
    return (
      !isLoopback(ip) && !(isLinkLocalUnicast(ip) && family === 6) && cidrs.some((cidr) => cidrContainsIp(cidr, ip))
    );
  });
  return { at: "addresses", ips };
}

/** Without networks that the machine itself has an address in: to drop what goes there would cut it off. */
function foreignCidrs(family: Family, { serviceCidrs, machineIps }: NodeNetwork): string[] {
  const own = machineIps.flatMap((text) => parseIp(text) ?? []).filter((ip) => ip.family === family);
  return apartCidrs(serviceCidrs, family)
    .filter((cidr) => !own.some((ip) => cidrContainsIp(cidr, ip)))
    .map(formatCidr);
}

function cidrsOf(texts: readonly string[], family: Family): string[] {
  const cidrs = texts.flatMap((text) => parseCidr(text) ?? []).filter(({ ip }) => ip.family === family);
  return [...new Set(cidrs.map((cidr) => formatCidr(maskCidr(cidr))))];
}

function ipsOf(texts: readonly string[], family: Family): string[] {
  const ips = texts.flatMap((text) => parseIp(text) ?? []).filter((ip) => ip.family === family && ip.zone === "");
  return [...new Set(ips.map(formatIp))];
}
