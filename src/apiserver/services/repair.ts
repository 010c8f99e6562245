// Compares what services use with what is recorded, and mends the difference: records of services that are gone or use
// something else are released, missing ones are made, and what two services claim is reported.
//
// A record without its service may belong to a request that is still under way, here or on another server. It is released at once
// when nobody can write with it any more, since its maker has gone (reservation-makers.ts), and else after five minutes by the clock
// of the process that looks: nobody writes with what is that old.

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { nextWorkTurn, turnIsOver } from "../../base/work-turns.ts";
import { formatIp } from "../../meta/ip.ts";
import type { AddressClaims, AddressRecord } from "./address-claims.ts";
import type { PortClaims, PortRecord } from "./port-claims.ts";
import type { ServicePools } from "./service-pools.ts";
import { addressKey, type Owner, type ServiceUsage } from "./service-usage.ts";

const GRACE_MS = 5 * 60_000;

export interface RepairDeps {
  readonly pools: ServicePools;
  readonly addressClaims: AddressClaims;
  readonly portClaims: PortClaims;
  readonly clock: Clock;
  readonly log: Log;
  stored(namespace: string, name: string): Promise<ServiceUsage | undefined>;
  /** The names of all makers that are there, as the store has them now; absent where no other server or process shares the store. */
  makers?: (() => Promise<ReadonlySet<string>>) | undefined;
  /** Since when records have been seen without their service. */
  readonly unusedSinceMs: WeakMap<AddressRecord | PortRecord, number>;
}

export interface Finding {
  /** An address or a port. */
  readonly what: string;
  readonly problem: "leaked" | "unrecorded" | "conflict";
  readonly owner: Pick<Owner, "namespace" | "name">;
}

/** `nothingUnderWay`: whether no record can belong to a request, here or elsewhere. */
export async function repair(deps: RepairDeps, nothingUnderWay = false): Promise<Finding[]> {
  const { pools } = deps;
  await pools.sync();
  const addresses = [...pools.addressRecords.values()];
  const ports = [...pools.portRecords.values()];
  // Asked after the records were looked up: a maker is there before what it makes.
  const makers = await deps.makers?.();
  const mayGo = (record: AddressRecord | PortRecord): boolean =>
    nothingUnderWay || isGone(record, makers) || isOld(deps, record);
  return [
    ...(await releaseLeakedAddresses(deps, addresses, mayGo)),
    ...(await releaseLeakedPorts(deps, ports, mayGo)),
    ...(await recordMissing(deps)),
  ];
}

const isGone = ({ maker }: AddressRecord | PortRecord, makers: ReadonlySet<string> | undefined): boolean =>
  maker !== undefined && makers !== undefined && !makers.has(maker);

async function releaseLeakedAddresses(
  deps: RepairDeps,
  records: readonly AddressRecord[],
  mayGo: (record: AddressRecord) => boolean,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const record of records) {
    if (turnIsOver()) await nextWorkTurn();
    const { ip, service, managed, uid } = record;
    if (service === undefined || !managed) continue;
    const uses = (usage: ServiceUsage | undefined) =>
      usage?.addresses.some((used) => addressKey(used) === addressKey(ip));
    if (uses(deps.pools.services.get(service.namespace, service.name))) {
      deps.unusedSinceMs.delete(record);
      continue;
    }
    if (!mayGo(record)) continue;
    // One that has been made anew meanwhile may belong to a request that is under way.
    if (deps.pools.addressRecords.get("", formatIp(ip)) !== record) continue;
    if (uses(await deps.stored(service.namespace, service.name))) continue;
    await deps.addressClaims.release(ip, service, { uid });
    found(deps, findings, { what: formatIp(ip), problem: "leaked", owner: service });
  }
  return findings;
}

async function releaseLeakedPorts(
  deps: RepairDeps,
  records: readonly PortRecord[],
  mayGo: (record: PortRecord) => boolean,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const record of records) {
    if (turnIsOver()) await nextWorkTurn();
    const { port, owner, uid } = record;
    const uses = (usage: ServiceUsage | undefined) => usage?.owner.uid === owner.uid && usage.ports.includes(port);
    if (uses(deps.pools.services.get(owner.namespace, owner.name))) {
      deps.unusedSinceMs.delete(record);
      continue;
    }
    if (!mayGo(record)) continue;
    if (deps.pools.portRecords.get("", String(port)) !== record) continue;
    if (uses(await deps.stored(owner.namespace, owner.name))) continue;
    await deps.portClaims.release(port, owner, { uid });
    found(deps, findings, { what: String(port), problem: "leaked", owner });
  }
  return findings;
}

async function recordMissing(deps: RepairDeps): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { pools, addressClaims, portClaims } = deps;
  // In nobody's name: they are used already.
  const maker = undefined;
  for (const usage of [...pools.services.values()]) {
    if (turnIsOver()) await nextWorkTurn();
    const { owner, addresses, ports } = usage;
    // What has changed or gone meanwhile has seen to its records itself.
    if (pools.services.get(owner.namespace, owner.name) !== usage) continue;
    for (const ip of addresses) {
      const { service: holder } = pools.addressRecords.get("", formatIp(ip)) ?? {};
      if (holder?.namespace === owner.namespace && holder.name === owner.name) continue;
      const made =
        pools.addressRecords.get("", formatIp(ip)) === undefined &&
        (await addressClaims.claim(ip, owner, maker)) !== undefined;
      found(deps, findings, { what: formatIp(ip), problem: made ? "unrecorded" : "conflict", owner });
    }
    for (const port of ports) {
      const holder = pools.portRecords.get("", String(port))?.owner;
      if (holder?.uid === owner.uid) continue;
      const made = holder === undefined && (await portClaims.claim(port, owner, maker)) !== undefined;
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

function isOld({ clock, unusedSinceMs }: RepairDeps, record: AddressRecord | PortRecord): boolean {
  const nowMs = clock.monotonicMs();
  const sinceMs = unusedSinceMs.get(record) ?? nowMs;
  unusedSinceMs.set(record, sinceMs);
  return nowMs - sinceMs > GRACE_MS;
}
