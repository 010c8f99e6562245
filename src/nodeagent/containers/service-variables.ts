// The variables with which containers find services: <NAME>_SERVICE_HOST, <NAME>_SERVICE_PORT and the older forms.

import type { Service } from "../../kinds/core/service.ts";

/**
 * The variables of all services that have an address. Of services with the same name in two lists the later wins, so
 * those of the pod's own namespace stand last.
 */
export function serviceVariables(services: readonly Service[]): Map<string, string> {
  const variables = new Map<string, string>();
  for (const { metadata, spec } of services) {
    const address = spec.clusterIP;
    const ports = spec.ports ?? [];
    if (!address || address === "None" || ports.length === 0) continue;
    const name = variableName(metadata.name ?? "");
    variables.set(`${name}_SERVICE_HOST`, address);
    variables.set(`${name}_SERVICE_PORT`, String(ports[0]!.port));
    for (const { name: portName, port } of ports)
      if (portName) variables.set(`${name}_SERVICE_PORT_${variableName(portName)}`, String(port));
    ports.forEach(({ port, protocol = "TCP" }, index) => {
      const lower = protocol.toLowerCase();
      const target = `${lower}://${hostOf(address)}:${port}`;
      const prefix = `${name}_PORT_${port}_${protocol}`;
      if (index === 0) variables.set(`${name}_PORT`, target);
      variables.set(prefix, target);
      variables.set(`${prefix}_PROTO`, lower);
      variables.set(`${prefix}_PORT`, String(port));
      variables.set(`${prefix}_ADDR`, address);
    });
  }
  return variables;
}

const variableName = (name: string): string => name.replaceAll("-", "_").toUpperCase();
const hostOf = (address: string): string => (address.includes(":") ? `[${address}]` : address);
