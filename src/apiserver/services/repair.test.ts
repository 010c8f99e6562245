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
    addresses.set(`/${formatIp(ip)}`, { ip, service: owner, managed: true, uid: `r${index}`, maker: "m" });
    ports.set(`/${index}`, { port: index, owner, uid: `r${index}`, maker: "m" });
  }
  const claims = () => ({ claim: vi.fn(async () => "r"), release: vi.fn(async () => undefined) });
  const [addressClaims, portClaims] = [claims(), claims()];
  const clock = new FakeClock();
  const deps = {
    pools: {
      sync: async () => undefined,
      services: lookup(services),
      addressRecords: lookup(addresses),
      portRecords: lookup(ports),
    },
    addressClaims,
    portClaims,
    clock,
    unusedSinceMs: new WeakMap(),
    log: silentLog,
    stored: async () => undefined,
  } as unknown as RepairDeps;
  return { deps, clock, services, addresses, ports, addressClaims, portClaims };
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
      return "r";
    });
    expect((await repair(deps)).map(({ what }) => what)).toEqual(["10.0.0.1", "1"]);
    expect([addressClaims.claim.mock.calls.length, portClaims.claim.mock.calls.length]).toEqual([1, 1]);
  });

  it("releases no record that has been made anew meanwhile", async () => {
    const { deps, services, addresses, ports, addressClaims, portClaims } = picture(2);
    services.clear();
    const alone = true;
    const [address, port] = [addresses.get("/10.0.0.2")!, ports.get("/2")!];
    addressClaims.release.mockImplementation(async () => void addresses.set("/10.0.0.2", { ...address }));
    portClaims.release.mockImplementation(async () => void ports.set("/2", { ...port }));
    expect((await repair(deps, alone)).map(({ what }) => what)).toEqual(["10.0.0.1", "1"]);
  });

  const MINUTE_MS = 60_000;
  const freedWith = (makers: readonly string[] | undefined, maker: string | undefined) => {
    const given = picture(1);
    given.services.clear();
    given.addresses.set("/10.0.0.1", { ...given.addresses.get("/10.0.0.1")!, maker });
    given.ports.set("/1", { ...given.ports.get("/1")!, maker });
    const deps = { ...given.deps, makers: makers && (async () => new Set(makers)) };
    return { ...given, deps, freed: async () => (await repair(deps)).map(({ what }) => what) };
  };

  it("releases at once what a maker has left that has gone", async () => {
    const { freed, addressClaims, portClaims } = freedWith(["other"], "m");
    expect(await freed()).toEqual(["10.0.0.1", "1"]);
    expect(addressClaims.release).toHaveBeenCalledWith(expect.anything(), expect.anything(), { uid: "r1" });
    expect(portClaims.release).toHaveBeenCalledWith(1, expect.anything(), { uid: "r1" });
  });

  it.each([
    ["the maker is there", ["m"], "m"],
    ["nobody knows who made it", ["m"], undefined],
    ["no other server shares the store", undefined, undefined],
  ])("releases only what it has seen for five minutes without a Service when %s", async (_what, makers, maker) => {
    const { freed, clock } = freedWith(makers, maker);
    // Set by another machine, or later: the time of day says nothing.
    clock.setTimeOfDay(60 * MINUTE_MS);
    expect(await freed()).toEqual([]);
    clock.setTimeOfDay(120 * MINUTE_MS);
    await clock.advance(5 * MINUTE_MS);
    expect(await freed()).toEqual([]);
    await clock.advance(1);
    expect(await freed()).toEqual(["10.0.0.1", "1"]);
  });

  it("counts the five minutes from the last time that the Service was seen", async () => {
    const { freed, clock, services, deps } = freedWith(["m"], "m");
    expect(await freed()).toEqual([]);
    await clock.advance(4 * MINUTE_MS);
    const owner = { namespace: "n", name: "s1", uid: "u1" };
    services.set("n/s1", { owner, addresses: [parseIp("10.0.0.1")!], ports: [1] });
    expect(await repair(deps)).toEqual([]);
    services.clear();
    await clock.advance(4 * MINUTE_MS);
    expect(await freed()).toEqual([]);
  });

  it("takes nobody for gone who comes between: makers are asked for after the records were looked up", async () => {
    const { deps, ports } = picture(0);
    const makers = async () => {
      ports.set("/7", { port: 7, owner: { namespace: "n", name: "new", uid: "u" }, uid: "r7", maker: "late" });
      return new Set<string>();
    };
    expect(await repair({ ...deps, makers })).toEqual([]);
  });
});
