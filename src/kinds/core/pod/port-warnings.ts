// Ports of a pod that mean the same, or nearly so.

import { append } from "../../../base/append.ts";
import type { ContainerPort } from "./container.ts";
import type { PlacedContainer } from "./containers.ts";

/** Ports of one number beyond this many are not compared: warnings would grow with their square. */
const MAX_COMPARED_PORTS = 10;

export function warnPorts(containers: readonly PlacedContainer[], at: string, warnings: string[]): void {
  const byNumber = new Map<string, { field: string; port: ContainerPort }[]>();
  const byName = new Map<string, string>();
  const named: string[] = [];
  for (const { container, place } of containers) {
    (container.ports ?? []).forEach((port, index) => {
      const field = `${at}.${place}.ports[${index}]`;
      if (port.hostIP && !port.hostPort) warnings.push(`${field}: hostIP set without hostPort: ${portText(port)}`);
      const key = `${port.containerPort}/${port.protocol}`;
      const others = byNumber.get(key) ?? [];
      for (const other of others) {
        const relation = relationOf(port, other.port);
        if (relation !== undefined) warnings.push(`${field}: ${relation} port definition with ${other.field}`);
      }
      if (others.length < MAX_COMPARED_PORTS) others.push({ field, port });
      byNumber.set(key, others);
      if (!port.name) return;
      const first = byName.get(port.name);
      if (first === undefined) byName.set(port.name, field);
      else {
        const name = JSON.stringify(port.name);
        const detail = `services and probes that select ports by name will use ${first}`;
        named.push(`${field}: duplicate port name ${name} with ${first}, ${detail}`);
      }
    });
  }
  append(warnings, named);
}

function relationOf(port: ContainerPort, other: ContainerPort): string | undefined {
  const [ip, otherIp] = [port.hostIP ?? "", other.hostIP ?? ""];
  const [number, otherNumber] = [port.hostPort ?? 0, other.hostPort ?? 0];
  if (ip === otherIp && number === otherNumber) return "duplicate";
  if (number === 0 || otherNumber === 0) return "overlapping";
  const oneOpen = (ip === "") !== (otherIp === "");
  return number === otherNumber && oneOpen ? "dangerously ambiguous" : undefined;
}

/** As upstream prints a whole port. */
const portText = ({ name = "", hostPort = 0, containerPort, protocol = "TCP", hostIP = "" }: ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
