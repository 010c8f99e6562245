// What the server does with records that do not match, by a picture of them that changes while it is gone through. How it does on a
// store: service-allocation.test.ts.

import { describe, expect, it, vi } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { asSlowWork, turnsOf } from "../../base/steps.testing.ts";
import { formatIp, parseIp } from "../../meta/ip.ts";
import type { AddressRecord } from "./address-claims.ts";
import type { PortRecord } from "./port-claims.ts";
import { type RepairDeps, repair } from "./repair.ts";
import type { ServiceUsage } from "./service-usage.ts";

const OLD_MS = 10 * 60_000;

/** A mirror that holds what a test puts there. */
class Mirror<T> extends Map<string, T> {
  readonly at = (namespace: string, name: string) => super.get(`${namespace}/${name}`);
}

const lookup = <T>(mirror: Mirror<T>) => ({ get: mirror.at, values: () => mirror.values() });

function picture(count: number, { recorded = true } = {}) {
  const services = new Mirror<ServiceUsage>();
  const addresses = new Mirror<AddressRecord>();
  const ports = new Mirror<PortRecord>();
  for (let index = 1; index <= count; index += 1) {
    const owner = { namespace: "n", name: `s${index}`, uid: `u${index}` };
    const ip = parseIp(`10.0.0.${index}`)!;
    services.set(`n/s${index}`, { owner, addresses: [ip], ports: [index] });
    if (!recorded) continue;
    addresses.set(`/${formatIp(ip)}`, { ip, service: owner, managed: true, createdMs: 0 });
    ports.set(`/${index}`, { port: index, owner, createdMs: 0 });
  }
  const claims = () => ({ claim: vi.fn(async () => true), release: vi.fn(async () => undefined) });
  const [addressClaims, portClaims] = [claims(), claims()];
  const deps = {
    pools: {
      sync: async () => undefined,
      services: lookup(services),
      addressRecords: lookup(addresses),
      portRecords: lookup(ports),
    },
    addressClaims,
    portClaims,
    clock: new FakeClock(OLD_MS),
    log: silentLog,
    stored: async () => undefined,
  } as unknown as RepairDeps;
  return { deps, services, addresses, ports, addressClaims, portClaims };
}

describe("the repair of records", () => {
  it("lets others have their turn while it goes through them", async () => {
    const { deps } = picture(20);
    const { result, turns } = await turnsOf(() => asSlowWork(4, () => repair(deps)));
    expect(result).toEqual([]);
    expect(turns).toBeGreaterThan(50);
  });

  it("records nothing of a Service that has gone meanwhile", async () => {
    const { deps, services, addressClaims, portClaims } = picture(2, { recorded: false });
    addressClaims.claim.mockImplementation(async () => {
      services.delete("n/s2");
      return true;
    });
    expect((await repair(deps)).map(({ what }) => what)).toEqual(["10.0.0.1", "1"]);
    expect([addressClaims.claim.mock.calls.length, portClaims.claim.mock.calls.length]).toEqual([1, 1]);
  });

  it("releases no record that has been made anew meanwhile", async () => {
    const { deps, services, addresses, ports, addressClaims, portClaims } = picture(2);
    services.clear();
    const [address, port] = [addresses.get("/10.0.0.2")!, ports.get("/2")!];
    addressClaims.release.mockImplementation(async () => void addresses.set("/10.0.0.2", { ...address }));
    portClaims.release.mockImplementation(async () => void ports.set("/2", { ...port }));
    expect((await repair(deps)).map(({ what }) => what)).toEqual(["10.0.0.1", "1"]);
  });
});
