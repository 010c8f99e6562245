// The node ports of one Service: given ones are taken, missing ones are picked.
// Requirements: document 3, "Service": nodePort, allocateLoadBalancerNodePorts, healthCheckNodePort.

import { allocatesNodePorts, needsHealthCheckPort, needsNodePort } from "../../kinds/core/service/needs.ts";
import type { Service, ServicePort } from "../../kinds/core/service/schema.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { invalidObject } from "../../meta/status-error.ts";
import { explained } from "./allocation-failed.ts";
import type { Reservation } from "./reservation.ts";
import { nodePortsOf } from "./service-usage.ts";

/** Refuses early what would fail after addresses were claimed for it. Fails with AllocationFailed. */
export async function requireNodePorts(reservation: Reservation, { spec }: Service): Promise<void> {
  if (!allocatesNodePorts(spec) || (spec.ports ?? []).every(({ nodePort }) => nodePort)) return;
  await explained(reservation.requirePort(), "a nodePort");
}

/** Takes and fills in node ports. What it answers refuses the write; fails with AllocationFailed when nothing is free. */
export async function allocateNodePorts(
  reservation: Pick<Reservation, "takePort" | "takeAnyPorts">,
  { spec }: Service,
  old: Service | undefined,
): Promise<FieldError[]> {
  if (!needsNodePort(spec)) return [];
  const ports = spec.ports ?? [];
  const taken = new Map<number, number>((old === undefined ? [] : nodePortsOf(old)).map((port) => [port, ANY_PORT]));
  for (const [index, { nodePort, port }] of ports.entries()) {
    if (!nodePort) continue;
    const user = taken.get(nodePort);
    // One number serves several protocols of one port. What else an update repeats is for validation to judge.
    if (user === port || user === ANY_PORT || (user !== undefined && old !== undefined)) continue;
    const refusal = await reservation.takePort(nodePort);
    if (refusal !== undefined) return [invalid(`spec.ports[${index}].nodePort`, nodePort, refusal)];
    taken.set(nodePort, port);
  }
  if (!allocatesNodePorts(spec)) return [];
  const missing = withoutNumber(ports, old === undefined);
  const picked = await explained(reservation.takeAnyPorts(missing.length), "a nodePort");
  for (const [index, sharing] of missing.entries()) for (const port of sharing) port.nodePort = picked[index]!;
  return [];
}

/** Uses a number that the stored service has already. */
const ANY_PORT = -1;

/** Those that are to get a number, one for each of the lists. One serves all protocols of a port of a new service. */
function withoutNumber(ports: readonly ServicePort[], isNew: boolean): ServicePort[][] {
  const without = ports.filter(({ nodePort }) => !nodePort);
  if (!isNew) return without.map((port) => [port]);
  const given = new Map<number, number>();
  for (const { port, nodePort } of ports) if (nodePort && !given.has(port)) given.set(port, nodePort);
  const sharing = new Map<number, ServicePort[]>();
  for (const port of without) {
    const known = given.get(port.port);
    const others = sharing.get(port.port);
    if (known !== undefined) port.nodePort = known;
    else if (others !== undefined) others.push(port);
    else sharing.set(port.port, [port]);
  }
  return [...sharing.values()];
}

/** The port under which load balancers ask for the health of a node. */
export async function allocateHealthCheckPort(
  reservation: Reservation,
  { metadata, spec }: Service,
  old: Service | undefined,
): Promise<void> {
  // One that is there stays: that it cannot change is for validation to say.
  if (!needsHealthCheckPort(spec) || (old !== undefined && needsHealthCheckPort(old.spec))) return;
  const given = spec.healthCheckNodePort ?? 0;
  if (given !== 0) {
    const refusal = await reservation.takePort(given);
    if (refusal === undefined) return;
    const why = `failed to allocate requested HealthCheck NodePort ${given}: ${refusal}`;
    throw invalidObject("", "Service", metadata.name ?? "", [invalid("spec.healthCheckNodePort", given, why)]);
  }
  const picking = reservation.takeAnyPort();
  spec.healthCheckNodePort = await explained(picking, "a HealthCheck NodePort 0");
}
