// UDP has no end that the kernel sees: a client that goes on sending keeps the backend that it was given, also when that one
// is gone, or keeps having none when there is one at last. Which flows have to be forgotten when a Service changes. Pure.

import type { Family, Target } from "../rules/backends.ts";
import type { PortPlan, ServicePlan } from "../rules/service-plan.ts";

/** Flows to an address and port, or to a port of this node; of one backend, or all. */
export interface StaleFlows {
  readonly family: Family;
  /** Undefined: every address. */
  readonly ip: string | undefined;
  readonly port: number;
  readonly backendIp: string | undefined;
}

/** From here on all flows of an address are forgotten: fewer calls, and clients of the others only draw again. */
const MAX_BACKENDS_EACH = 16;

export function staleFlows(before: ServicePlan | undefined, after: ServicePlan): StaleFlows[] {
  const old = new Map(before?.ports.map((port) => [nameOf(port), port]));
  const flows: StaleFlows[] = [];
  for (const port of after.ports) {
    if (port.protocol !== "udp") continue;
    const known = old.get(nameOf(port));
    old.delete(nameOf(port));
    if (known === undefined || backendsOf(known).size === 0) {
      // Whoever asked before there was anybody is remembered as one without a backend.
      if (backendsOf(port).size > 0) addFrontends(port, undefined, flows);
      continue;
    }
    const left = [...backendsOf(known)].filter((ip) => !backendsOf(port).has(ip));
    addEach(known, left, flows);
  }
  for (const port of old.values()) if (port.protocol === "udp") addEach(port, [...backendsOf(port)], flows);
  return flows;
}

const nameOf = ({ family, id, port }: PortPlan): string => `${family} ${id} ${port}`;

function backendsOf({ cluster, local }: PortPlan): ReadonlySet<string> {
  const ipOf = ({ ip }: Target) => ip;
  return new Set([...cluster.map(ipOf), ...local.map(ipOf)]);
}

function addEach(port: PortPlan, backends: readonly string[], flows: StaleFlows[]): void {
  if (backends.length > MAX_BACKENDS_EACH) addFrontends(port, undefined, flows);
  else for (const backendIp of backends) addFrontends(port, backendIp, flows);
}

function addFrontends(
  { family, port, clusterIp, external }: PortPlan,
  backendIp: string | undefined,
  flows: StaleFlows[],
) {
  for (const ip of new Set([clusterIp, ...external.externalIps, ...external.loadBalancerIps]))
    flows.push({ family, ip, port, backendIp });
  if (external.nodePort > 0) flows.push({ family, ip: undefined, port: external.nodePort, backendIp });
}
