import type { NetworkInterfaceInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { askers } from "./may-ask.ts";

const at = (address: string, cidr: string, internal = false): NetworkInterfaceInfo =>
  ({ address, cidr, internal, family: "IPv4", netmask: "", mac: "" }) as NetworkInterfaceInfo;
const clock = new FakeClock();
const interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = {
  lo: [at("127.0.0.1", "127.0.0.1/8", true)],
  eth0: [at("192.0.2.1", "192.0.2.1/24")],
  br0: [at("10.9.0.1", "10.9.0.1/24")],
};
const facts = { clusterCidrs: ["10.244.0.0/16"], nodeIps: ["192.0.2.1"], clock };
const mayAsk = askers({ ...facts, interfaces: () => interfaces });

describe("the resolver answers", () => {
  it.each([
    ["a pod", "10.244.3.4", true],
    ["the machine itself", "127.0.0.1", true],
    ["the node by its address", "192.0.2.1", true],
    ["a pod of a network that was there before", "10.9.0.77", true],
    ["nobody of the network that leads elsewhere", "192.0.2.2", false],
    ["nobody from afar", "198.51.100.7", false],
    ["nothing that is no address", "here", false],
  ])("%s", (_, address, may) => {
    expect(mayAsk(address)).toBe(may);
  });

  it("pods of a bridge that is new, and does not look at the machine for each of many that it does not know", async () => {
    let looks = 0;
    const bridges: NodeJS.Dict<NetworkInterfaceInfo[]> = { ...interfaces };
    const may = askers({
      ...facts,
      interfaces: () => {
        looks += 1;
        return bridges;
      },
    });
    for (let host = 0; host < 100; host += 1) expect(may(`198.51.100.${host}`)).toBe(false);
    expect(looks).toBe(1);
    bridges["br1"] = [at("10.8.0.1", "10.8.0.1/24")];
    await clock.advance(1_000);
    expect(may("10.8.0.2")).toBe(true);
    expect(looks).toBe(2);
  });
});
