// What a writer left out of an update, though it was allocated once: it stays. Pure.
// Requirements: document 3, "Service".

import { allocatesNodePorts, needsClusterIp, needsHealthCheckPort } from "../../kinds/core/service/needs.ts";
import type { Service, ServiceSpec } from "../../kinds/core/service/schema.ts";

/** Fills in allocated values of the stored object, so that a body may be sent again without them. */
export function keepAllocatedValues({ spec }: Service, { spec: before }: Service): void {
  if (needsClusterIp(before) && needsClusterIp(spec)) keepClusterIps(spec, before);
  if (allocatesNodePorts(before) && allocatesNodePorts(spec)) keepNodePorts(spec, before);
  if (needsHealthCheckPort(before) && needsHealthCheckPort(spec) && !spec.healthCheckNodePort) {
    if (before.healthCheckNodePort !== undefined) spec.healthCheckNodePort = before.healthCheckNodePort;
  }
}

function keepClusterIps(spec: ServiceSpec, before: ServiceSpec): void {
  if (!spec.clusterIP && before.clusterIP !== undefined) spec.clusterIP = before.clusterIP;
  if (!spec.clusterIPs?.length && spec.clusterIP === before.clusterIP && before.clusterIPs !== undefined) {
    spec.clusterIPs = [...before.clusterIPs];
  }
}

/** By the name of the port; unless the number is used for another port now. */
function keepNodePorts(spec: ServiceSpec, before: ServiceSpec): void {
  const now = numbersOf(spec);
  const used = new Set([...numbersOf(before)].filter((port) => now.has(port)));
  const byName = new Map((before.ports ?? []).map(({ name, nodePort }) => [name ?? "", nodePort ?? 0]));
  for (const port of spec.ports ?? []) {
    if (port.nodePort) continue;
    const kept = byName.get(port.name ?? "") ?? 0;
    if (kept === 0 || used.has(kept)) continue;
    port.nodePort = kept;
    used.add(kept);
  }
}

function numbersOf({ ports }: ServiceSpec): Set<number> {
  return new Set((ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])));
}
