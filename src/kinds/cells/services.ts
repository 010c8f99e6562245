// What the table of services says about a service. Pure.

import type { Service } from "../core/service/schema.ts";

export function clusterIpCell({ spec }: Service): string {
  return spec.clusterIPs?.[0] || spec.clusterIP || "<none>";
}

export function externalIpCell({ spec, status }: Service): string {
  const external = spec.externalIPs ?? [];
  switch (spec.type) {
    case "LoadBalancer": {
      const ingress = new Set((status.loadBalancer.ingress ?? []).map((point) => point.ip || point.hostname || ""));
      const all = [...[...ingress].sort(), ...external].filter((address) => address !== "");
      return all.length === 0 ? "<pending>" : all.join(",");
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return external.length === 0 ? "<none>" : external.join(",");
  }
}

/** `80:30080/TCP,53/UDP`. */
export function servicePortsCell({ spec }: Service): string {
  const ports = (spec.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return ports.length === 0 ? "<none>" : ports.join(",");
}
