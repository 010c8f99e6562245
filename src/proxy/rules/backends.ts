// The backends of one port of a Service, as its EndpointSlices name them.
// Requirements: document 3, "EndpointSlice" (conditions, hints, address types).

import type { Endpoint, EndpointSlice } from "../../kinds/discovery/endpoint-slice-schema.ts";
import { formatIp, parseIp } from "../../meta/ip.ts";

export type Family = 4 | 6;

/** The node whose traffic is looked at. */
export interface NodeFacts {
  readonly name: string;
  /** Empty when nobody knows. */
  readonly zone: string;
  readonly ips: readonly string[];
  /** Whether hints for single nodes count (gate PreferSameTrafficDistribution). */
  readonly followsNodeHints: boolean;
}

/** Where a connection may end. */
export interface Target {
  /** In its canonical form. */
  readonly ip: string;
  readonly port: number;
}

export interface Backend extends Target {
  /** On this node. */
  readonly isLocal: boolean;
  /** Whether connections may come from it to itself: it is on this node, or nobody knows where. */
  readonly mayBeHere: boolean;
  readonly isReady: boolean;
  /** Whether it still answers, though it may be on its way out. */
  readonly isServing: boolean;
  readonly isTerminating: boolean;
  readonly forZones: readonly string[];
  readonly forNodes: readonly string[];
}

export interface PortOfSlices {
  /** Empty for a port without a name. */
  readonly name: string;
  readonly protocol: string;
  readonly family: Family;
  /** Whether readiness does not count (publishNotReadyAddresses). */
  readonly ignoresReadiness: boolean;
}

/** One for each address and port, in the order of the slices. Addresses that are no addresses are passed over. */
export function backendsOf(slices: readonly EndpointSlice[], wanted: PortOfSlices, node: NodeFacts): Backend[] {
  const found = new Map<string, Backend>();
  const addressType = wanted.family === 4 ? "IPv4" : "IPv6";
  for (const slice of slices) {
    if (slice.addressType !== addressType) continue;
    for (const port of slice.ports ?? []) {
      if ((port.name ?? "") !== wanted.name || (port.protocol ?? "TCP") !== wanted.protocol) continue;
      if (port.port === undefined || port.port < 1) continue;
      for (const endpoint of slice.endpoints ?? []) {
        const backend = backendOf(endpoint, port.port, wanted, node);
        if (backend === undefined) continue;
        const id = `${backend.ip} ${backend.port}`;
        const known = found.get(id);
        // A pod that moves from one slice to another is in both for a moment: the better word counts.
        if (known === undefined || rank(backend) > rank(known)) found.set(id, backend);
      }
    }
  }
  return [...found.values()];
}

function backendOf(
  endpoint: Endpoint,
  port: number,
  { family, ignoresReadiness }: PortOfSlices,
  node: NodeFacts,
): Backend | undefined {
  // Only the first address has a meaning.
  const ip = parseIp(endpoint.addresses?.[0] ?? "");
  if (ip === undefined || ip.family !== family || ip.zone !== "") return undefined;
  const { ready, serving, terminating } = endpoint.conditions ?? {};
  const isReady = ignoresReadiness || (ready ?? true);
  const isLocal = endpoint.nodeName === node.name;
  return {
    ip: formatIp(ip),
    port,
    isLocal,
    mayBeHere: isLocal || (endpoint.nodeName ?? "") === "",
    isReady,
    isServing: serving ?? true,
    isTerminating: terminating ?? false,
    forZones: endpoint.hints?.forZones?.map(({ name }) => name) ?? NOBODY,
    forNodes: endpoint.hints?.forNodes?.map(({ name }) => name) ?? NOBODY,
  };
}

const NOBODY: readonly string[] = [];

function rank({ isReady, isServing }: Backend): number {
  return (isReady ? 2 : 0) + (isServing ? 1 : 0);
}
