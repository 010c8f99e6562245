// Ranges of Service addresses: the rule, and the controller on a whole server.

import { describe, expect, it } from "vitest";
import { type Cidr, parseCidr, parseIp } from "../../meta/ip.ts";
import { DIALECTS } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { isInUse } from "./cidr-in-use.ts";
import { serviceCidrController } from "./service-cidr-controller.ts";

describe("a range that ends", () => {
  const ranges = (...texts: string[]): Cidr[] => texts.map((text) => parseCidr(text)!);
  const cases: [string, ranges: Cidr[], others: Cidr[], ips: string[], inUse: boolean][] = [
    ["may go when it is empty", ranges("10.0.0.0/24"), [], [], false],
    ["may go when only others are used", ranges("10.0.0.0/24"), [], ["10.0.1.1"], false],
    ["stays while an address is in it", ranges("10.0.0.0/24"), [], ["10.0.0.9"], true],
    ["may go when a larger one holds it", ranges("10.0.0.0/24"), ranges("10.0.0.0/16"), ["10.0.0.9"], false],
    ["may go when the same one is there twice", ranges("10.0.0.0/24"), ranges("10.0.0.0/24"), ["10.0.0.9"], false],
    ["may go when a smaller one holds what is used", ranges("10.0.0.0/24"), ranges("10.0.0.0/28"), ["10.0.0.9"], false],
    ["stays when a smaller one does not", ranges("10.0.0.0/24"), ranges("10.0.0.0/28"), ["10.0.0.99"], true],
    ["stays for either family", ranges("10.0.0.0/24", "fd00::/112"), ranges("10.0.0.0/16"), ["fd00::1"], true],
  ];
  it.each(cases)("%s", (_what, own, others, ips, expected) => {
    expect(
      isInUse(
        own,
        others,
        ips.map((ip) => parseIp(ip)!),
      ),
    ).toBe(expected);
  });
});

describe.each(DIALECTS)("on a server of the dialect %s", (dialect) => {
  it("a range becomes ready, waits for its last address, and goes after a while", async () => {
    const { client, clock, eventually, restart, close } = await controllersInProcess({
      definitions: [serviceCidrController],
      dialect,
      serverFlags: ["--service-cluster-ip-range=10.97.0.0/24"],
    });
    const cidrs = client.networking.v1.serviceCIDRs();
    const readiness = async () =>
      (await cidrs.get("more")).status?.conditions?.map(({ status, reason }) => [status, reason]);
    await cidrs.create({ metadata: { name: "more" }, spec: { cidrs: ["10.98.0.0/24"] } });
    await eventually(async () => expect(await readiness()).toEqual([["True", ""]]));
    expect((await cidrs.get("more")).metadata.finalizers).toEqual([client.names.serviceCidrFinalizer]);
    const services = client.core.v1.services("default");
    await eventually(() =>
      services.create({ metadata: { name: "web" }, spec: { clusterIP: "10.98.0.9", ports: [{ port: 80 }] } }),
    );
    await eventually(() => client.networking.v1.ipAddresses().get("10.98.0.9"));
    await cidrs.delete("more");
    await eventually(async () => expect(await readiness()).toEqual([["False", "Terminating"]]));
    await clock.advance(60_000);
    await restart();
    expect(await cidrs.find("more")).toBeDefined();
    await services.delete("web");
    await eventually(async () => expect(await cidrs.find("more")).toBeUndefined());
    await close();
  });

  it("a range without addresses stays for the time that servers need to hear of its end", async () => {
    const { client, clock, eventually, close } = await controllersInProcess({
      definitions: [serviceCidrController],
      dialect,
    });
    const cidrs = client.networking.v1.serviceCIDRs();
    await cidrs.create({ metadata: { name: "more" }, spec: { cidrs: ["10.98.0.0/24"] } });
    await eventually(async () => expect((await cidrs.get("more")).metadata.finalizers).toHaveLength(1));
    await cidrs.delete("more");
    const deletedMs = clock.nowMs();
    await eventually(async () => {
      // The time passes by itself too, but ten seconds are many turns of a busy machine.
      await clock.advance(100);
      expect(await cidrs.find("more")).toBeUndefined();
    });
    expect(clock.nowMs() - deletedMs).toBeGreaterThan(9_000);
    await close();
  });
});
