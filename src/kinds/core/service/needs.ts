// What a Service needs by its type: cluster addresses, node ports, a health check port. Requirements: document 3, "Service".

import type { Service, ServiceSpec } from "./schema.ts";

/** The clusterIP of a service without a virtual address. */
export const HEADLESS = "None";

export const needsClusterIp = ({ type }: ServiceSpec): boolean => type !== "ExternalName";

export const needsNodePort = ({ type }: ServiceSpec): boolean => type === "NodePort" || type === "LoadBalancer";

/** Whether ports that name no node port get one. */
export function allocatesNodePorts(spec: ServiceSpec): boolean {
  if (spec.type === "NodePort") return true;
  return spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts === true;
}

export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

export function isReachedFromOutside(spec: ServiceSpec): boolean {
  return needsNodePort(spec) || (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);
}

export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === HEADLESS;
}

/** The addresses that a service holds; none for headless ones. */
export function heldAddresses({ spec }: Service): string[] {
  return needsClusterIp(spec) ? (spec.clusterIPs ?? []).filter((ip) => ip !== HEADLESS && ip !== "") : [];
}
