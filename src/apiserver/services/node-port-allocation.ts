// The node ports of one Service: given ones are taken, missing ones are picked.
// Requirements: document 3, "Service": nodePort, allocateLoadBalancerNodePorts, healthCheckNodePort.

import { allocatesNodePorts, needsHealthCheckPort, needsNodePort } from "../../kinds/core/service-needs.ts";
import type { Service, ServicePort } from "../../kinds/core/service-schema.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { internalError } from "../../meta/status-error.ts";
import { FULL, type Reservation } from "./reservation.ts";
import { HEALTH_CHECK_PROTOCOL, nodePortsOf, portKey } from "./service-usage.ts";

/** Takes and fills in node ports. What it answers refuses the write. */
export async function allocateNodePorts(
  reservation: Reservation,
  { spec }: Service,
  old: Service | undefined,
): Promise<FieldError[]> {
  if (!needsNodePort(spec)) return [];
  const owned = new Set(old === undefined ? [] : nodePortsOf(old).map(portKey));
  const ports = spec.ports ?? [];
  const shared = new Map<number, number>();
  for (const [index, port] of ports.entries()) {
    const protocol = port.protocol ?? "TCP";
    if (port.nodePort) {
      const wanted = { protocol, port: port.nodePort };
      const refusal = owned.has(portKey(wanted)) ? undefined : await reservation.takePort(wanted);
      if (refusal !== undefined) return [invalid(`spec.ports[${index}].nodePort`, port.nodePort, refusal)];
      owned.add(portKey(wanted));
    } else if (allocatesNodePorts(spec)) {
      port.nodePort = await pickFor(reservation, port, old === undefined ? ports : [port], shared);
    }
    if (port.nodePort) shared.set(port.port, port.nodePort);
  }
  return [];
}

/** One number serves all protocols of a port of a new service, where it can. */
async function pickFor(
  reservation: Reservation,
  port: ServicePort,
  siblings: readonly ServicePort[],
  shared: ReadonlyMap<number, number>,
): Promise<number> {
  const protocol = port.protocol ?? "TCP";
  const same = siblings.filter((other) => other !== port && other.port === port.port);
  const known =
    same.length === 0 ? undefined : (shared.get(port.port) ?? same.find(({ nodePort }) => nodePort)?.nodePort);
  if (known !== undefined && (await reservation.takePort({ protocol, port: known })) === undefined) return known;
  const protocols = [protocol, ...same.map((other) => other.protocol ?? "TCP").filter((other) => other !== protocol)];
  const picked = (await reservation.takeAnyPort(protocols)) ?? (await reservation.takeAnyPort([protocol]));
  if (picked === undefined) throw internalError(`failed to allocate a nodePort: ${FULL}`);
  return picked;
}

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
  const picked = await reservation.takeAnyPort([HEALTH_CHECK_PROTOCOL]);
  if (picked === undefined) throw internalError(`failed to allocate a HealthCheck NodePort 0: ${FULL}`);
  spec.healthCheckNodePort = picked;
}
