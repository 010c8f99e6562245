// What a Service asks of this node: where its traffic arrives, and where it goes. Headless Services and those that are only
// a name ask nothing. Requirements: document 3, "Service".

import { createHash } from "node:crypto";
import type { Service, ServicePort } from "../../kinds/core/service/schema.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice-schema.ts";
import { cidrContainsIp, formatCidr, formatIp, parseIp } from "../../meta/ip.ts";
import { apartCidrs } from "./apart-cidrs.ts";
import { backendsOf, type Family, type NodeFacts, type Target } from "./backends.ts";
import { chooseBackends } from "./choose-backends.ts";

type Protocol = "tcp" | "udp" | "sctp";

/** What becomes of traffic when there is nobody to send it to: the client hears of it, or it vanishes. */
export type Refusal = "reject" | "drop";

export interface PortPlan {
  readonly family: Family;
  readonly protocol: Protocol;
  readonly port: number;
  /** Short, and the port's own: for names. */
  readonly id: string;
  /** Where the traffic of the cluster arrives. */
  readonly clusterIp: string;
  readonly external: ExternalPlan;
  /** For traffic that may go to any node. */
  readonly cluster: readonly Target[];
  /** For traffic that must stay on this node. */
  readonly local: readonly Target[];
  readonly isInternalLocal: boolean;
  /** Set exactly when the cluster IP has nobody to send traffic to. */
  readonly internalRefusal: Refusal | undefined;
  /** How long a client stays with its backend; undefined when it need not. */
  readonly affinitySeconds: number | undefined;
  /** Backends that may be on this node: what they send to themselves needs another source address. */
  readonly hairpinIps: readonly string[];
  /** Whose UDP flows go on: all that answer, whatever policies and hints say of new ones. Empty for other protocols. */
  readonly flowTargets: readonly Target[];
}

export interface ExternalPlan {
  readonly isLocal: boolean;
  /** Set exactly when traffic from outside has nobody to go to. */
  readonly refusal: Refusal | undefined;
  readonly externalIps: readonly string[];
  readonly loadBalancerIps: readonly string[];
  /** Who may come to the load balancer's addresses; undefined: everybody. */
  readonly sourceRanges: readonly string[] | undefined;
  /** 0: none. */
  readonly nodePort: number;
}

export interface HealthCheckPlan {
  readonly port: number;
  readonly localEndpoints: number;
}

export interface ServicePlan {
  readonly ports: readonly PortPlan[];
  /** For load balancers that ask nodes whether they have endpoints. */
  readonly healthCheck: HealthCheckPlan | undefined;
  /** When the Service was made: among two that claim the same address the older one has it. */
  readonly since: string;
}

export function planService(service: Service, slices: readonly EndpointSlice[], node: NodeFacts): ServicePlan {
  const since = service.metadata?.creationTimestamp ?? "";
  if (!isProxied(service)) return { ports: [], healthCheck: undefined, since };
  const ports = FAMILIES.flatMap((family) => {
    const clusterIp = ipsOf(clusterIps(service), family)[0];
    if (clusterIp === undefined) return [];
    return (service.spec?.ports ?? []).map((port) => planPort({ service, port, family, clusterIp, slices, node }));
  });
  return { ports, healthCheck: healthCheckOf(service, slices, node), since };
}

/** Headless Services and aliases of names have no address here. */
function isProxied({ spec }: Service): boolean {
  return spec?.type !== "ExternalName" && (spec?.clusterIP ?? "") !== "" && spec?.clusterIP !== "None";
}

const FAMILIES: readonly Family[] = [4, 6];
const DEFAULT_AFFINITY_SECONDS = 10_800;

interface PortParts {
  readonly service: Service;
  readonly port: ServicePort;
  readonly family: Family;
  readonly clusterIp: string;
  readonly slices: readonly EndpointSlice[];
  readonly node: NodeFacts;
}

function planPort({ service, port, family, clusterIp, slices, node }: PortParts): PortPlan {
  const { spec, metadata } = service;
  const protocol = port.protocol ?? "TCP";
  const externalIps = ipsOf(spec?.externalIPs ?? [], family);
  const loadBalancerIps = ipsOf(loadBalancerVips(service), family);
  const nodePort = port.nodePort ?? 0;
  const isInternalLocal = spec?.internalTrafficPolicy === "Local";
  const isExternalLocal = spec?.externalTrafficPolicy === "Local";
  const isReachableFromOutside = externalIps.length > 0 || loadBalancerIps.length > 0 || nodePort > 0;
  const ignoresReadiness = spec?.publishNotReadyAddresses === true;
  const all = backendsOf(slices, { name: port.name ?? "", protocol, family, ignoresReadiness }, node);
  const { cluster, local, hasAny } = chooseBackends(
    all,
    { isInternalLocal, isExternalLocal, isReachableFromOutside },
    node,
  );
  const refusal = (found: readonly Target[]): Refusal | undefined => {
    if (found.length > 0) return undefined;
    return hasAny ? "drop" : "reject";
  };
  const used = new Set([...cluster, ...local].filter(({ mayBeHere }) => mayBeHere).map(({ ip }) => ip));
  return {
    family,
    protocol: protocol.toLowerCase() as Protocol,
    port: port.port,
    id: portId(`${metadata?.namespace}/${metadata?.name}/${port.name ?? ""}/${protocol}`),
    clusterIp,
    external: {
      isLocal: isExternalLocal,
      refusal: refusal(isExternalLocal ? local : cluster),
      externalIps,
      loadBalancerIps,
      sourceRanges: sourceRangesOf(service, family, loadBalancerIps, node.ips),
      nodePort,
    },
    cluster: cluster.map(targetOf),
    local: local.map(targetOf),
    isInternalLocal,
    internalRefusal: refusal(isInternalLocal ? local : cluster),
    affinitySeconds: affinitySecondsOf(service),
    hairpinIps: [...used],
    flowTargets: protocol === "UDP" ? all.filter(({ isReady, isServing }) => isReady || isServing).map(targetOf) : [],
  };
}

const targetOf = ({ ip, port }: Target): Target => ({ ip, port });

const ID_LENGTH = 16;

/** Names of chains are short, and what users write does not belong into them. */
function portId(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, ID_LENGTH);
}

function clusterIps({ spec }: Service): readonly string[] {
  const { clusterIPs = [], clusterIP = "" } = spec ?? {};
  return clusterIPs.length > 0 ? clusterIPs : [clusterIP];
}

/** Load balancers of the mode Proxy send traffic on with another destination: nothing arrives with their address. */
function loadBalancerVips({ spec, status }: Service): string[] {
  if (spec?.type !== "LoadBalancer") return [];
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, ipMode }) =>
    ip === undefined || ip === "" || ipMode === "Proxy" ? [] : [ip],
  );
}

/**
 * Who may come to the addresses of the load balancer. Where those are addresses of the machine too, what the node itself sends
 * there has that very address: it is let in as the node is.
 */
function sourceRangesOf({ spec }: Service, family: Family, vips: readonly string[], nodeIps: readonly string[]) {
  const given = spec?.type === "LoadBalancer" ? (spec.loadBalancerSourceRanges ?? []) : [];
  const ranges = apartCidrs(given, family);
  // Ranges of the other family alone say nothing about this one; a range of all lets everybody in.
  if (ranges.length === 0 || ranges[0]?.prefixLength === 0) return undefined;
  const isWithin = (text: string) => {
    const ip = parseIp(text);
    return ip !== undefined && ip.family === family && ranges.some((range) => cidrContainsIp(range, ip));
  };
  const own = nodeIps.some(isWithin) ? vips.filter((vip) => !isWithin(vip)) : [];
  return [...ranges.map(formatCidr), ...own];
}

function affinitySecondsOf({ spec }: Service): number | undefined {
  if (spec?.sessionAffinity !== "ClientIP") return undefined;
  return spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY_SECONDS;
}

/** How many of its backends on this node are ready, each counted once whatever ports it has. */
function healthCheckOf(
  service: Service,
  slices: readonly EndpointSlice[],
  node: NodeFacts,
): HealthCheckPlan | undefined {
  const { spec } = service;
  const port = spec?.healthCheckNodePort ?? 0;
  if (port === 0 || spec?.type !== "LoadBalancer" || spec.externalTrafficPolicy !== "Local") return undefined;
  const ips = new Set<string>();
  for (const { name = "", protocol = "TCP" } of spec.ports ?? []) {
    for (const family of FAMILIES) {
      const ignoresReadiness = spec.publishNotReadyAddresses === true;
      for (const { ip, isLocal, isReady } of backendsOf(slices, { name, protocol, family, ignoresReadiness }, node))
        if (isLocal && isReady) ips.add(ip);
    }
  }
  return { port, localEndpoints: ips.size };
}

/** Those of the family, canonical, each once. */
function ipsOf(texts: readonly string[], family: Family): string[] {
  const ips = texts.flatMap((text) => {
    const ip = parseIp(text);
    return ip === undefined || ip.family !== family || ip.zone !== "" ? [] : [formatIp(ip)];
  });
  return [...new Set(ips)];
}
