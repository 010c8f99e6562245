// The tables of the proxy, one for each family, as nft reads them: what is the same whatever Services there are. Services are
// elements of the maps here (see render-port.ts), so that a change is a few elements and never a new table.
//
//   packet to 10.96.0.10:80 (tcp)
//     nat-prerouting, nat-output -> services
//       service-ips       10.96.0.10 . tcp . 80 : goto cluster-tcp-3
//       cluster-tcp-3     dnat to the address that the draw of 0, 1 or 2 finds in
//       endpoints-tcp     10.96.0.10 . 80 . 1   : 10.1.0.7 . 8080

import type { Family } from "../rules/backends.ts";

export const TABLE = "plinth-proxy";

/** What tells traffic of this node's own pods from that of others. */
export type LocalTraffic =
  | { readonly by: "nothing" }
  | { readonly by: "addresses"; readonly cidrs: readonly string[] }
  | { readonly by: "interface"; readonly name: string }
  | { readonly by: "interface prefix"; readonly prefix: string };

/** Where node ports are served: at these addresses, or at every one of the machine but loopback ones. */
export type NodePortAddresses = { readonly at: "all" } | { readonly at: "addresses"; readonly ips: readonly string[] };

export interface TableSettings {
  readonly family: Family;
  /** One bit of the packet mark, which says that a packet shall get the address of this node. */
  readonly masqueradeMark: number;
  /** Whether everything to cluster IPs gets the address of this node. */
  readonly masqueradeAll: boolean;
  readonly localTraffic: LocalTraffic;
  readonly nodePorts: NodePortAddresses;
  /** The networks of cluster IPs: what goes to an address there that no Service has is dropped. */
  readonly serviceCidrs: readonly string[];
}

interface FamilyWords {
  /** How nft calls the family. */
  readonly word: "ip" | "ip6";
  readonly addressType: "ipv4_addr" | "ipv6_addr";
  readonly loopback: string;
}

export function wordsOf(family: Family): FamilyWords {
  return family === 4
    ? { word: "ip", addressType: "ipv4_addr", loopback: "127.0.0.0/8" }
    : { word: "ip6", addressType: "ipv6_addr", loopback: "::1" };
}

/** A rule's beginning that only traffic of this node's own pods passes; undefined when nobody can tell. */
export function isLocalPod(family: Family, local: LocalTraffic): string | undefined {
  return matchLocal(family, local, "");
}

function matchLocal(family: Family, local: LocalTraffic, not: "" | "!= "): string | undefined {
  switch (local.by) {
    case "nothing":
      return undefined;
    case "addresses":
      return local.cidrs.length === 0 ? undefined : `${wordsOf(family).word} saddr ${not}{ ${local.cidrs.join(", ")} }`;
    case "interface":
      return `iifname ${not}"${local.name}"`;
    case "interface prefix":
      return `iifname ${not}"${local.prefix}*"`;
  }
}

/** Removes the table, whether it is there or not. */
export function withoutTable(family: Family): string {
  const { word } = wordsOf(family);
  return `add table ${word} ${TABLE}\ndelete table ${word} ${TABLE}\n`;
}

/** Empties chains, sets and maps but those of clients: what follows fills them anew, and clients keep their backends. */
export function emptiedTable({ family, nodePorts }: TableSettings): string {
  const path = `${wordsOf(family).word} ${TABLE}`;
  const sets = nodePorts.at === "all" ? SETS : [...SETS, "nodeport-ips"];
  return [
    `flush table ${path}`,
    ...sets.map((set) => `flush set ${path} ${set}`),
    ...MAPS.map((map) => `flush map ${path} ${map}`),
    "",
  ].join("\n");
}

const SETS = ["cluster-ips", "hairpin-ips"] as const;
const PROTOCOLS = ["tcp", "udp", "sctp"] as const;
/** Where a draw ends: backends of addresses, and of node ports, for policies Cluster and Local. */
const BACKENDS = ["endpoints", "local-endpoints", "nodeport-endpoints", "nodeport-local-endpoints"] as const;
export type BackendsOf = (typeof BACKENDS)[number];

/** The maps of one protocol in which backends are found. The protocol is no part of keys: nft binds ports that it writes to one. */
interface BackendMaps {
  /** Number drawn -> address and port. */
  readonly direct: string;
  /** Number drawn -> id of a backend, and id -> address and port: for clients that stay with one. */
  readonly drawn: string;
  readonly sticky: string;
  /** Client -> id of its backend; filled by rules, emptied by time. */
  readonly clients: string;
}

export function backendMaps(backends: BackendsOf, protocol: string): BackendMaps {
  const clients = isOfNodePort(backends) ? "nodeport-clients" : "clients";
  return {
    direct: `${backends}-${protocol}`,
    drawn: `drawn-${backends}-${protocol}`,
    sticky: `sticky-${backends}-${protocol}`,
    clients: `${clients}-${protocol}`,
  };
}

/** What of a packet says where it arrives, in rules; with values instead of the words, in keys. */
export function arrival(backends: BackendsOf, family: Family, protocol: string): string {
  const port = `${protocol} dport`;
  return isOfNodePort(backends) ? port : `${wordsOf(family).word} daddr . ${port}`;
}

/**
 * Who a client is, where it arrives. Addresses of IPv6 are too long for nft to write down next to what is remembered of them:
 * it is their hashes there, and clients that share one share a backend.
 */
export function clientOf(backends: BackendsOf, family: Family, protocol: string): string {
  if (family === 4) return `ip saddr . ${arrival(backends, family, protocol)}`;
  const hashed = (address: string) => `jhash ip6 ${address} mod 4294967295 seed 1`;
  const port = `${protocol} dport`;
  return isOfNodePort(backends) ? `${hashed("saddr")} . ${port}` : `${hashed("saddr")} . ${hashed("daddr")} . ${port}`;
}

const isOfNodePort = (backends: BackendsOf): boolean => backends.startsWith("nodeport-");

const MAPS = [
  "service-ips",
  "service-nodeports",
  "no-endpoint-services",
  "no-endpoint-nodeports",
  "firewall-ips",
  ...BACKENDS.flatMap((backends) =>
    PROTOCOLS.flatMap((protocol) => {
      const { direct, drawn, sticky } = backendMaps(backends, protocol);
      return [direct, drawn, sticky];
    }),
  ),
];

/** More clients than these of all Services have no backend of their own. */
const MAX_CLIENTS = 262_144;

/** The priority of a packet is where an id can be put between two rules: nothing reads it before the packet is on its way. */
function backendMapTexts(family: Family): string {
  const { word } = wordsOf(family);
  const texts = new Set<string>();
  for (const backends of BACKENDS)
    for (const protocol of PROTOCOLS) {
      const { direct, drawn, sticky, clients } = backendMaps(backends, protocol);
      const key = arrival(backends, family, protocol);
      const target = `${word} daddr . ${protocol} dport`;
      texts.add(`map ${direct} { typeof ${key} . numgen random mod 2 : ${target}; }`);
      texts.add(`map ${drawn} { typeof ${key} . numgen random mod 2 : meta priority; }`);
      texts.add(`map ${sticky} { typeof ${key} . meta priority : ${target}; }`);
      const client = clientOf(backends, family, protocol);
      texts.add(`map ${clients} { typeof ${client} : meta priority; flags dynamic,timeout; size ${MAX_CLIENTS}; }`);
    }
  return [...texts].join("\n  ");
}

/** Changes nothing, and fails when the table is not there. */
export function probeText(family: Family): string {
  return `flush chain ${wordsOf(family).word} ${TABLE} probe\n`;
}

export function tableText(settings: TableSettings): string {
  const { word, addressType } = wordsOf(settings.family);
  const mark = `0x${settings.masqueradeMark.toString(16)}`;
  const service = `${addressType} . inet_proto . inet_service`;
  const lookup = `${word} daddr . meta l4proto . th dport`;
  const toNode = toNodePort(settings);
  return `table ${word} ${TABLE} {
  set cluster-ips { type ${addressType}; }
  set hairpin-ips { type ${addressType} . ${addressType}; }
  ${nodePortSet(settings)}
  map service-ips { type ${service} : verdict; }
  map service-nodeports { type inet_proto . inet_service : verdict; }
  map no-endpoint-services { type ${service} : verdict; }
  map no-endpoint-nodeports { type inet_proto . inet_service : verdict; }
  map firewall-ips { type ${service} : verdict; }
  ${backendMapTexts(settings.family)}

  chain nat-prerouting { type nat hook prerouting priority -100; jump services; }
  chain nat-output { type nat hook output priority -100; jump services; }
  chain services {
    ${masqueradeRule(settings)}
    ${lookup} vmap @service-ips
    ${toNode} meta l4proto . th dport vmap @service-nodeports
  }
  chain mark-for-masquerade { meta mark set meta mark or ${mark}; }
  chain nat-postrouting {
    type nat hook postrouting priority 100;
    ct status dnat ${word} saddr . ${word} daddr @hairpin-ips masquerade fully-random
    meta mark and ${mark} != ${mark} return
    meta mark set meta mark xor ${mark}
    masquerade fully-random
  }

  chain filter-prerouting-early { type filter hook prerouting priority -110; ct state new jump firewall; }
  chain filter-output-early { type filter hook output priority -110; ct state new jump firewall; }
  chain firewall { ${lookup} vmap @firewall-ips; }

  chain filter-input {
    type filter hook input priority 0;
    ct state new ${toNode} meta l4proto . th dport vmap @no-endpoint-nodeports
    ct state new jump no-endpoints
  }
  chain filter-forward { type filter hook forward priority 0; ct state new jump no-endpoints; ct state new jump unknown-port; }
  chain filter-output { type filter hook output priority 0; ct state new jump no-endpoints; ct state new jump unknown-port; }
  chain no-endpoints { ${lookup} vmap @no-endpoint-services; }
  chain unknown-port {
    ${word} daddr @cluster-ips reject
    ${unallocatedRule(settings)}
  }
  chain reject-traffic { reject; }
  chain probe { }
}
`;
}

function masqueradeRule({ family, masqueradeAll, localTraffic }: TableSettings): string {
  const toCluster = `${wordsOf(family).word} daddr @cluster-ips`;
  if (masqueradeAll) return `${toCluster} jump mark-for-masquerade`;
  const foreign = matchLocal(family, localTraffic, "!= ");
  return foreign === undefined ? "" : `${toCluster} ${foreign} jump mark-for-masquerade`;
}

function unallocatedRule({ family, serviceCidrs }: TableSettings): string {
  return serviceCidrs.length === 0 ? "" : `${wordsOf(family).word} daddr { ${serviceCidrs.join(", ")} } drop`;
}

function nodePortSet({ family, nodePorts }: TableSettings): string {
  if (nodePorts.at === "all") return "";
  const elements = nodePorts.ips.length === 0 ? "" : ` elements = { ${nodePorts.ips.join(", ")} };`;
  return `set nodeport-ips { type ${wordsOf(family).addressType};${elements} }`;
}

function toNodePort({ family, nodePorts }: TableSettings): string {
  const { word, loopback } = wordsOf(family);
  return nodePorts.at === "all" ? `fib daddr type local ${word} daddr != ${loopback}` : `${word} daddr @nodeport-ips`;
}
