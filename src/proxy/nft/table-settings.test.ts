import { describe, expect, it } from "vitest";
import { settings } from "../objects.testing.ts";
import { DEFAULT_CONFIGURATION } from "../proxy-configuration.ts";
import { tableSettings } from "./table-settings.ts";
import { tableText } from "./table-text.ts";

const NETWORK = {
  nodeIps: ["192.0.2.1", "fd00:2::1"],
  podCidrs: ["10.1.0.0/24", "fd00:1::/64"],
  machineIps: ["127.0.0.1", "192.0.2.1", "198.51.100.1", "10.1.0.1", "::1", "fd00:2::1", "fe80::1"],
  serviceCidrs: ["10.96.0.0/16", "10.96.1.0/24", "198.51.100.0/24", "fd00:96::/108"],
};
const of = (family: 4 | 6, changes: Partial<typeof DEFAULT_CONFIGURATION>) =>
  tableSettings(family, { ...DEFAULT_CONFIGURATION, ...changes }, NETWORK);

describe("the addresses of node ports", () => {
  it.each<[string[], 4 | 6, ReturnType<typeof tableSettings>["nodePorts"]]>([
    [[], 4, { at: "addresses", ips: ["192.0.2.1"] }],
    [["primary"], 6, { at: "addresses", ips: ["fd00:2::1"] }],
    [["198.51.100.0/24", "10.0.0.0/8"], 4, { at: "addresses", ips: ["198.51.100.1", "10.1.0.1"] }],
    [["198.51.100.0/24"], 6, { at: "addresses", ips: [] }],
    [["127.0.0.0/8"], 4, { at: "addresses", ips: [] }],
    [["fe80::/10"], 6, { at: "addresses", ips: [] }],
    [["0.0.0.0/0"], 4, { at: "all" }],
  ])("with %j and family %i are %j", (nodePortAddresses, family, expected) => {
    expect(of(family, { nodePortAddresses }).nodePorts).toEqual(expected);
  });
});

describe("the networks of cluster IPs", () => {
  it("are those of the family, without what others contain, and without those that the machine itself is in", () => {
    expect(of(4, {}).serviceCidrs).toEqual(["10.96.0.0/16"]);
    expect(tableText(of(6, {}))).toContain("ip6 daddr { fd00:96::/108 } drop");
    expect(tableText(settings()[0]!)).not.toContain("drop");
  });
});

describe("the rule for traffic from outside of the cluster", () => {
  const rule = (family: 4 | 6, changes: Partial<typeof DEFAULT_CONFIGURATION>) =>
    tableText(of(family, changes))
      .split("\n")
      .map((line) => line.trim())
      .find((line) => line.includes("@cluster-ips") && line.includes("jump"));

  it.each<[string, Partial<typeof DEFAULT_CONFIGURATION>, 4 | 6, string | undefined]>([
    ["nothing", {}, 4, undefined],
    [
      "networks of pods",
      { clusterCIDR: "10.0.0.0/8,fd00:1::/48" },
      6,
      "ip6 daddr @cluster-ips ip6 saddr != { fd00:1::/48 } jump mark-for-masquerade",
    ],
    ["networks of the other family", { clusterCIDR: "10.0.0.0/8" }, 6, undefined],
    [
      "the node's own networks",
      { detectLocalMode: "NodeCIDR" },
      4,
      "ip daddr @cluster-ips ip saddr != { 10.1.0.0/24 } jump mark-for-masquerade",
    ],
    [
      "a bridge",
      { detectLocalMode: "BridgeInterface", detectLocal: { bridgeInterface: "br0", interfaceNamePrefix: "" } },
      4,
      'ip daddr @cluster-ips iifname != "br0" jump mark-for-masquerade',
    ],
    [
      "names of interfaces",
      { detectLocalMode: "InterfaceNamePrefix", detectLocal: { bridgeInterface: "", interfaceNamePrefix: "veth" } },
      4,
      'ip daddr @cluster-ips iifname != "veth*" jump mark-for-masquerade',
    ],
    [
      "everything",
      { nftables: { ...DEFAULT_CONFIGURATION.nftables, masqueradeAll: true } },
      4,
      "ip daddr @cluster-ips jump mark-for-masquerade",
    ],
  ])("goes by %s", (_, changes, family, expected) => {
    expect(rule(family, changes)).toBe(expected);
  });

  it("sets the bit that the configuration names", () => {
    const [v4] = settings({ nftables: { ...DEFAULT_CONFIGURATION.nftables, masqueradeBit: 3 } });
    expect(tableText(v4!)).toContain("meta mark set meta mark or 0x8");
  });
});
