import type { NetworkInterfaceInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { askers } from "./may-ask.ts";

const at = (address: string, cidr: string, internal = false): NetworkInterfaceInfo =>
  ({ address, cidr, internal, family: "IPv4", netmask: "", mac: "" }) as NetworkInterfaceInfo;
const mayAsk = askers({
  clusterCidrs: ["10.244.0.0/16"],
  nodeIps: ["192.0.2.1"],
  interfaces: () => ({
    lo: [at("127.0.0.1", "127.0.0.1/8", true)],
    eth0: [at("192.0.2.1", "192.0.2.1/24")],
    br0: [at("10.9.0.1", "10.9.0.1/24")],
  }),
});

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
});
