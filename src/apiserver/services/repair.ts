// Compares what services use with what is recorded, and mends the difference: records of services that are gone or use
// something else are released, missing ones are made, and what two services claim is reported.

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
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
  for (const finding of findings)
    deps.log.warn({ finding }, "the records of Service addresses and ports did not match");
  return findings;
}

async function releaseLeakedAddresses(deps: RepairDeps, graceMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { ip, service, managed, createdMs } of [...deps.pools.addressRecords.values()]) {
    if (service === undefined || !managed || !isOld(deps, createdMs, graceMs)) continue;
    const uses = (usage: ServiceUsage | undefined) =>
      usage?.addresses.some((used) => addressKey(used) === addressKey(ip));
    if (uses(deps.pools.services.get(service.namespace, service.name))) continue;
    if (uses(await deps.stored(service.namespace, service.name))) continue;
    await deps.addressClaims.release(ip, service);
    findings.push({ what: formatIp(ip), problem: "leaked", owner: service });
  }
  return findings;
}

async function releaseLeakedPorts(deps: RepairDeps, graceMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const record of [...deps.pools.portRecords.values()]) {
    const { port, owner, createdMs } = record;
    if (!isOld(deps, createdMs, graceMs)) continue;
    const uses = (usage: ServiceUsage | undefined) => usage?.owner.uid === owner.uid && usage.ports.includes(port);
    if (uses(deps.pools.services.get(owner.namespace, owner.name))) continue;
    if (uses(await deps.stored(owner.namespace, owner.name))) continue;
    await deps.portClaims.release(port, owner);
    findings.push({ what: String(port), problem: "leaked", owner });
  }
  return findings;
}

async function recordMissing(deps: RepairDeps): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { pools, addressClaims, portClaims } = deps;
  for (const { owner, addresses, ports } of [...pools.services.values()]) {
    for (const ip of addresses) {
      const { service: holder } = pools.addressRecords.get("", formatIp(ip)) ?? {};
      if (holder?.namespace === owner.namespace && holder.name === owner.name) continue;
      const made = pools.addressRecords.get("", formatIp(ip)) === undefined && (await addressClaims.claim(ip, owner));
      findings.push({ what: formatIp(ip), problem: made ? "unrecorded" : "conflict", owner });
    }
    for (const port of ports) {
      const holder = pools.portRecords.get("", String(port))?.owner;
      if (holder?.uid === owner.uid) continue;
      const made = holder === undefined && (await portClaims.claim(port, owner));
      findings.push({ what: String(port), problem: made ? "unrecorded" : "conflict", owner });
    }
  }
  return findings;
}

function isOld({ clock }: RepairDeps, createdMs: number, graceMs: number): boolean {
  return graceMs === 0 || clock.nowMs() - createdMs > graceMs;
}
