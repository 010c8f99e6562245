import { describe, expect, it } from "vitest";
import { bridgeNetworkText, foreignNetwork } from "./bridge-network.ts";
import { networkFolders } from "./runtime-folders.ts";

describe("the folders of networks", () => {
  const usual = { configuration: "/etc/cni/net.d", plugins: ["/opt/cni/bin", "/usr/lib/cni"] };

  it.each([
    ["nothing", {}, usual],
    ["something else", { config: "[1]" }, usual],
    ["what is no JSON", { config: "{" }, usual],
    ["its folders", { config: '{"cni":{"binDir":"/b","confDir":"/c"}}' }, { configuration: "/c", plugins: ["/b"] }],
    ["several", { config: '{"cni":{"binDirs":["/b","/d"]}}' }, { ...usual, plugins: ["/b", "/d"] }],
  ])("are those of a runtime that says %s", (_, info, folders) => {
    expect(networkFolders(info)).toEqual(folders);
  });
});

describe("the network of a node", () => {
  it("has addresses of every family, and others behind it where the machine can", () => {
    const network = { podCidrs: ["10.244.0.0/24", "fd00::/64"], leaseDir: "/l", masquerade: true };
    const { plugins } = JSON.parse(bridgeNetworkText(network)) as { plugins: { type: string; ipam?: object }[] };
    expect(plugins.map(({ type }) => type)).toEqual(["bridge", "portmap"]);
    expect(plugins[0]?.ipam).toEqual({
      type: "host-local",
      dataDir: "/l",
      ranges: [[{ subnet: "10.244.0.0/24" }], [{ subnet: "fd00::/64" }]],
    });
    expect(bridgeNetworkText({ ...network, masquerade: false })).not.toContain("portmap");
  });

  it.each([
    [[], undefined],
    [["10-plinth.conflist", "notes.txt"], undefined],
    [["99-loopback.conf", "20-x.conflist", "10-plinth.conflist"], "20-x.conflist"],
  ])("is not made beside one of others: %j", (files, foreign) => {
    expect(foreignNetwork(files)).toBe(foreign);
  });
});
