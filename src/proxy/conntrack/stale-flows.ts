// UDP has no end that the kernel sees: a client that goes on sending keeps the backend that it was given, also when that one
// is gone, or keeps having none when there is one at last. Which flows have to be forgotten when a Service changes. Pure.

import type { Family, Target } from "../rules/backends.ts";
import type { PortPlan, ServicePlan } from "../rules/service-plan.ts";

interface Frontend {
  readonly family: Family;
  /** Undefined: every address. */
  readonly ip: string | undefined;
  readonly port: number;
}

/** Flows to an address and port, or to a port of this node. */
export interface StaleFlows extends Frontend {
  /** All but those to these backends ("address port"), so that clients of the others stay with them; or only those to these. */
  readonly backends: { readonly but: ReadonlySet<string> } | { readonly only: ReadonlySet<string> };
}

export function staleFlows(before: ServicePlan | undefined, after: ServicePlan): StaleFlows[] {
  const flows: StaleFlows[] = [];
  const old = new Map(udpPorts(before).map((port) => [nameOf(port), port]));
  const isServed = new Set<string>();
  for (const port of udpPorts(after)) {
    const known = targetsOf(old.get(nameOf(port)));
    const but = new Set(targetsOf(port));
    const frontends = frontendsOf(port);
    for (const frontend of frontends) isServed.add(textOf(frontend));
    const hasFirst = known.length === 0 && but.size > 0;
    if (hasFirst || known.some((target) => !but.has(target)))
      for (const frontend of frontends) flows.push({ ...frontend, backends: { but } });
  }
  // What else goes to the port of a node is no business of ours.
  for (const port of old.values())
    for (const frontend of frontendsOf(port))
      if (!isServed.has(textOf(frontend))) flows.push({ ...frontend, backends: { only: new Set(targetsOf(port)) } });
  return flows;
}

const udpPorts = (plan: ServicePlan | undefined): PortPlan[] =>
  plan?.ports.filter(({ protocol }) => protocol === "udp") ?? [];

const targetsOf = (port: PortPlan | undefined): string[] => port?.flowTargets.map(targetText) ?? [];

export const targetText = ({ ip, port }: Target): string => `${ip} ${port}`;

const nameOf = ({ family, id, port }: PortPlan): string => `${family} ${id} ${port}`;

const textOf = ({ family, ip, port }: Frontend): string => `${family} ${ip} ${port}`;

function frontendsOf({ family, port, clusterIp, external }: PortPlan): Frontend[] {
  const ips = new Set([clusterIp, ...external.externalIps, ...external.loadBalancerIps]);
  const frontends: Frontend[] = [...ips].map((ip) => ({ family, ip, port }));
  if (external.nodePort > 0) frontends.push({ family, ip: undefined, port: external.nodePort });
  return frontends;
}
