// The node ports of one Service: given ones are taken, missing ones are picked.
// Requirements: document 3, "Service": nodePort, allocateLoadBalancerNodePorts, healthCheckNodePort.

import { allocatesNodePorts, needsHealthCheckPort, needsNodePort } from "../../kinds/core/service-needs.ts";
import type { Service, ServicePort } from "../../kinds/core/service-schema.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { internalError } from "../../meta/status-error.ts";
import { explained } from "./allocation-failed.ts";
import { RangeFull, type Reservation } from "./reservation.ts";
import { HEALTH_CHECK_PROTOCOL, nodePortsOf, portKey } from "./service-usage.ts";

/** Refuses early what would fail after addresses were claimed for it. Fails with AllocationFailed. */
export async function requireNodePorts(reservation: Reservation, { spec }: Service): Promise<void> {
  if (!allocatesNodePorts(spec)) return;
  const missing = (spec.ports ?? []).filter(({ nodePort }) => !nodePort).map(protocolOf);
  for (const protocol of new Set(missing)) await explained(reservation.requirePort(protocol), "a nodePort");
}

/** Takes and fills in node ports. What it answers refuses the write; fails with AllocationFailed when nothing is free. */
export async function allocateNodePorts(
  reservation: Reservation,
  { spec }: Service,
  old: Service | undefined,
): Promise<FieldError[]> {
  if (!needsNodePort(spec)) return [];
  const owned = new Set(old === undefined ? [] : nodePortsOf(old).map(portKey));
  const ports = spec.ports ?? [];
  for (const [index, port] of ports.entries()) {
    if (!port.nodePort) continue;
    const wanted = { protocol: protocolOf(port), port: port.nodePort };
    const refusal = owned.has(portKey(wanted)) ? undefined : await reservation.takePort(wanted);
    if (refusal !== undefined) return [invalid(`spec.ports[${index}].nodePort`, port.nodePort, refusal)];
    owned.add(portKey(wanted));
  }
  if (!allocatesNodePorts(spec)) return [];
  // One number serves all protocols of a port of a new service, where it can.
  if (old === undefined) await shareNumbers(reservation, ports);
  const missing = ports.filter(({ nodePort }) => !nodePort);
  const picked = await explained(reservation.takeAnyPorts(missing.map(protocolOf)), "a nodePort");
  missing.forEach((port, index) => {
    port.nodePort = picked[index]!;
  });
  return [];
}

async function shareNumbers(reservation: Reservation, ports: readonly ServicePort[]): Promise<void> {
  for (const port of ports) {
    const same = ports.filter((other) => other !== port && other.port === port.port);
    if (port.nodePort || same.length === 0) continue;
    const known = same.find(({ nodePort }) => nodePort)?.nodePort;
    const protocol = protocolOf(port);
    if (known !== undefined) {
      if ((await reservation.takePort({ protocol, port: known })) === undefined) port.nodePort = known;
      continue;
    }
    try {
      port.nodePort = await reservation.takeAnyPort([protocol, ...same.map(protocolOf)]);
    } catch (error) {
      // No number is free for all of them: each gets its own.
      if (!(error instanceof RangeFull)) throw error;
    }
  }
}

const protocolOf = ({ protocol }: ServicePort): string => protocol ?? "TCP";

/** The port under which load balancers ask for the health of a node. */
export async function allocateHealthCheckPort(
  reservation: Reservation,
  { spec }: Service,
  old: Service | undefined,
): Promise<void> {
  // One that is there stays: that it cannot change is for validation to say.
  if (!needsHealthCheckPort(spec) || (old !== undefined && needsHealthCheckPort(old.spec))) return;
  const given = spec.healthCheckNodePort ?? 0;
  if (given !== 0) {
    const refusal = await reservation.takePort({ protocol: HEALTH_CHECK_PROTOCOL, port: given });
    if (refusal === undefined) return;
    throw internalError(`failed to allocate requested HealthCheck NodePort ${given}: ${refusal}`);
  }
  const picking = reservation.takeAnyPort([HEALTH_CHECK_PROTOCOL]);
  spec.healthCheckNodePort = await explained(picking, "a HealthCheck NodePort 0");
}
