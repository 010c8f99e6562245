// Defaults of Service, and the fields that a change of its type takes away. Addresses and ports are allocated elsewhere.
// Requirements: document 3, "Services".

import { equalJson } from "../../../base/json.ts";
import { isReachedFromOutside, needsClusterIp, needsHealthCheckPort, needsNodePort } from "./needs.ts";
import type { Service, ServiceSpec } from "./schema.ts";

const AFFINITY_SECONDS = 10800;

export function defaultService({ spec, status }: Service): void {
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP") {
    spec.sessionAffinityConfig ??= {};
    spec.sessionAffinityConfig.clientIP ??= {};
    spec.sessionAffinityConfig.clientIP.timeoutSeconds ??= AFFINITY_SECONDS;
  }
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    if (port.targetPort === 0 || port.targetPort === "") port.targetPort = port.port;
  }
  if (isReachedFromOutside(spec)) spec.externalTrafficPolicy ||= "Cluster";
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") {
    spec.allocateLoadBalancerNodePorts ??= true;
    for (const point of status.loadBalancer.ingress ?? []) if (point.ip) point.ipMode ??= "VIP";
  }
}

/**
 * What the old type needed and the new one does not is dropped, as long as the writer has not changed it: an old client
 * sends everything back.
 */
export function dropTypeDependentFields(service: Service, old: Service): void {
  const spec = service.spec;
  const before = old.spec;
  const dropUnchanged = (key: keyof ServiceSpec) => {
    if (equalJson(spec[key], before[key])) delete spec[key];
  };
  if (needsClusterIp(before) && !needsClusterIp(spec)) {
    for (const key of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const) dropUnchanged(key);
  }
  if (needsNodePort(before) && !needsNodePort(spec) && !hasNewNodePorts(spec, before)) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec)) dropUnchanged("healthCheckNodePort");
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    dropUnchanged("allocateLoadBalancerNodePorts");
    dropUnchanged("loadBalancerClass");
  }
  if (isReachedFromOutside(before) && !isReachedFromOutside(spec)) dropUnchanged("externalTrafficPolicy");
  if (spec.type !== "LoadBalancer") service.status = { ...service.status, loadBalancer: {} };
}

function hasNewNodePorts(spec: ServiceSpec, before: ServiceSpec): boolean {
  const known = new Set((before.ports ?? []).map(({ nodePort }) => nodePort));
  return (spec.ports ?? []).some(({ nodePort }) => nodePort && !known.has(nodePort));
}
