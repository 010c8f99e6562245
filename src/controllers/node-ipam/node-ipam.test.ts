// Parts of the network of pods: the pool, the flags, and the controller on a whole server.

import { describe, expect, it } from "vitest";
import { parseFlags } from "../../base/flags.ts";
import { parseCidr } from "../../meta/ip.ts";
import { DIALECTS } from "../../meta/names.ts";
import { controllerFlags } from "../controller-options.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { CidrPool } from "./cidr-pool.ts";
import { nodeIpamController } from "./node-ipam-controller.ts";
import { networkPools } from "./node-networks.ts";

describe("a network in parts", () => {
  const pool = (network: string, size: number) => new CidrPool(parseCidr(network)!, size);
  const all = (given: CidrPool): string[] => {
    const taken: string[] = [];
    for (let cidr = given.take(); cidr !== undefined; cidr = given.take()) taken.push(cidr);
    return taken;
  };

  it("is given out until nothing is left", () => {
    expect(all(pool("10.0.0.0/22", 24))).toEqual(["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]);
    expect(all(pool("fd00::/62", 64))).toEqual(["fd00::/64", "fd00:0:0:1::/64", "fd00:0:0:2::/64", "fd00:0:0:3::/64"]);
    expect(all(pool("10.0.0.0/24", 24))).toEqual(["10.0.0.0/24"]);
  });

  it.each([
    ["a part", "10.0.1.0/24", ["10.0.0.0/24", "10.0.2.0/24", "10.0.3.0/24"]],
    ["less than a part", "10.0.1.128/25", ["10.0.0.0/24", "10.0.2.0/24", "10.0.3.0/24"]],
    ["several parts", "10.0.2.0/23", ["10.0.0.0/24", "10.0.1.0/24"]],
    ["more than all", "10.0.0.0/8", []],
    ["another network", "192.168.0.0/24", ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]],
    ["nonsense", "nonsense", ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]],
  ])("does not give out what others hold: %s", (_what, cidr, left) => {
    const given = pool("10.0.0.0/22", 24);
    given.hold(cidr);
    expect(all(given)).toEqual(left);
    given.release(cidr);
    expect(all(given)).toHaveLength(4 - left.length);
  });

  it("gives what was freed last when it comes round", () => {
    const given = pool("10.0.0.0/22", 24);
    const first = given.take()!;
    given.release(first);
    expect(given.take()).toBe("10.0.1.0/24");
  });
});

describe("the flags", () => {
  it.each([
    [[], "--allocate-node-cidrs"],
    [["--allocate-node-cidrs"], "--cluster-cidr"],
    [["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/16"], undefined],
    [["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/16,fd00::/48"], undefined],
    [["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/16,10.1.0.0/16"], /one network a family/],
    [["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/26"], /--node-cidr-mask-size that fits/],
    [["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/26", "--node-cidr-mask-size=28"], undefined],
    [["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/8", "--node-cidr-mask-size=28"], /at most 16 bits/],
  ] as const)("%j", (flags, missing) => {
    const { options } = parseFlags(controllerFlags, flags);
    const why = nodeIpamController.missing?.(options);
    if (missing instanceof RegExp) expect(why).toMatch(missing);
    else expect(why).toBe(missing);
  });
});

describe("the networks of Services", () => {
  it.each([
    ["10.0.1.0/24", ["10.0.0.0/24", "10.0.2.0/24", "10.0.3.0/24"]],
    ["10.0.2.0/23,fd00::/108", ["10.0.0.0/24", "10.0.1.0/24"]],
    ["10.96.0.0/12", ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]],
  ])("%s are no node's", (ranges, left) => {
    const flags = ["--cluster-cidr=10.0.0.0/22", `--service-cluster-ip-range=${ranges}`];
    const pools = networkPools(parseFlags(controllerFlags, flags).options);
    if (typeof pools === "string") expect.fail(pools);
    const taken: string[] = [];
    for (let cidr = pools[0]!.take(); cidr !== undefined; cidr = pools[0]!.take()) taken.push(cidr);
    expect(taken).toEqual(left);
  });
});

describe.each(DIALECTS)("on a server of the dialect %s", (dialect) => {
  it("nodes get parts of both families, and what one gives back goes to the one that waits", async () => {
    const { client, eventually, restart, close } = await controllersInProcess({
      definitions: [nodeIpamController],
      dialect,
      flags: [
        "--allocate-node-cidrs",
        "--cluster-cidr=10.0.0.0/23,fd00::/56",
        "--node-cidr-mask-size-ipv4=24",
        "--node-cidr-mask-size-ipv6=64",
      ],
    });
    const nodes = client.core.v1.nodes();
    const cidrs = async (name: string) => (await nodes.get(name)).spec?.podCIDRs;
    await nodes.create({ metadata: { name: "a" }, spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] } });
    await nodes.create({ metadata: { name: "b" } });
    await eventually(async () => expect(await cidrs("b")).toEqual(["10.0.1.0/24", "fd00::/64"]));
    await nodes.create({ metadata: { name: "c" } });
    await eventually(async () => {
      const { items } = await client.core.v1.events("default").list();
      expect(items.map(({ reason, involvedObject }) => [reason, involvedObject.name])).toEqual([
        ["CIDRNotAvailable", "c"],
      ]);
    });
    await restart();
    expect(await cidrs("c")).toBeUndefined();
    await nodes.delete("a");
    await eventually(async () => expect((await cidrs("c"))?.[0]).toBe("10.0.0.0/24"));
    await close();
  });
});
