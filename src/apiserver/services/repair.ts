// Compares what services use with what is recorded, and mends the difference: records of services that are gone or use
// something else are released, missing ones are made, and what two services claim is reported.

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { nextWorkTurn, turnIsOver } from "../../base/work-turns.ts";
import { formatIp } from "../../meta/ip.ts";
import type { AddressClaims } from "./address-claims.ts";
import type { PortClaims } from "./port-claims.ts";
import type { ServicePools } from "./service-pools.ts";
import { addressKey, type Owner, type ServiceUsage } from "./service-usage.ts";

/** A younger record may belong to a request that is still under way, here or on another server. */
const GRACE_MS = 5 * 60_000;

export interface RepairDeps {
  readonly pools: ServicePools;
  readonly addressClaims: AddressClaims;
  readonly portClaims: PortClaims;
  readonly clock: Clock;
  readonly log: Log;
  stored(namespace: string, name: string): Promise<ServiceUsage | undefined>;
}

export interface Finding {
  /** An address or a port. */
  readonly what: string;
  readonly problem: "leaked" | "unrecorded" | "conflict";
  readonly owner: Pick<Owner, "namespace" | "name">;
}

/** `graceMs`: how long a record may be there without its service; 0 where no other server writes to the store. */
export async function repair(deps: RepairDeps, graceMs = GRACE_MS): Promise<Finding[]> {
  await deps.pools.sync();
  const findings = [
    ...(await releaseLeakedAddresses(deps, graceMs)),
    ...(await releaseLeakedPorts(deps, graceMs)),
    ...(await recordMissing(deps)),
  ];
  return findings;
}

async function releaseLeakedAddresses(deps: RepairDeps, graceMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const record of [...deps.pools.addressRecords.values()]) {
    if (turnIsOver()) await nextWorkTurn();
    const { ip, service, managed, createdMs } = record;
    if (service === undefined || !managed || !isOld(deps, createdMs, graceMs)) continue;
    const uses = (usage: ServiceUsage | undefined) =>
      usage?.addresses.some((used) => addressKey(used) === addressKey(ip));
    if (uses(deps.pools.services.get(service.namespace, service.name))) continue;
    // One that has been made anew meanwhile may belong to a request that is under way.
    if (deps.pools.addressRecords.get("", formatIp(ip)) !== record) continue;
    if (uses(await deps.stored(service.namespace, service.name))) continue;
    await deps.addressClaims.release(ip, service);
    found(deps, findings, { what: formatIp(ip), problem: "leaked", owner: service });
  }
  return findings;
}

async function releaseLeakedPorts(deps: RepairDeps, graceMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const record of [...deps.pools.portRecords.values()]) {
    if (turnIsOver()) await nextWorkTurn();
    const { port, owner, createdMs } = record;
    if (!isOld(deps, createdMs, graceMs)) continue;
    const uses = (usage: ServiceUsage | undefined) => usage?.owner.uid === owner.uid && usage.ports.includes(port);
    if (uses(deps.pools.services.get(owner.namespace, owner.name))) continue;
    if (deps.pools.portRecords.get("", String(port)) !== record) continue;
    if (uses(await deps.stored(owner.namespace, owner.name))) continue;
    await deps.portClaims.release(port, owner);
    found(deps, findings, { what: String(port), problem: "leaked", owner });
  }
  return findings;
}

async function recordMissing(deps: RepairDeps): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { pools, addressClaims, portClaims } = deps;
  for (const usage of [...pools.services.values()]) {
    if (turnIsOver()) await nextWorkTurn();
    const { owner, addresses, ports } = usage;
    // What has changed or gone meanwhile has seen to its records itself.
    if (pools.services.get(owner.namespace, owner.name) !== usage) continue;
    for (const ip of addresses) {
      const { service: holder } = pools.addressRecords.get("", formatIp(ip)) ?? {};
      if (holder?.namespace === owner.namespace && holder.name === owner.name) continue;
      const made = pools.addressRecords.get("", formatIp(ip)) === undefined && (await addressClaims.claim(ip, owner));
      found(deps, findings, { what: formatIp(ip), problem: made ? "unrecorded" : "conflict", owner });
    }
    for (const port of ports) {
      const holder = pools.portRecords.get("", String(port))?.owner;
      if (holder?.uid === owner.uid) continue;
      const made = holder === undefined && (await portClaims.claim(port, owner));
      found(deps, findings, { what: String(port), problem: made ? "unrecorded" : "conflict", owner });
    }
  }
  return findings;
}

/** Said at once: there may be very many. */
function found({ log }: RepairDeps, findings: Finding[], finding: Finding): void {
  findings.push(finding);
  log.warn({ finding }, "the records of Service addresses and ports did not match");
}

function isOld({ clock }: RepairDeps, createdMs: number, graceMs: number): boolean {
  return graceMs === 0 || clock.nowMs() - createdMs > graceMs;
}
