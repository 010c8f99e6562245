import { describe, expect, it } from "vitest";
import type { Pod } from "../../kinds/core/pod.ts";
import { podDns } from "./pod-dns.ts";

const SETTINGS = {
  clusterDns: ["10.96.0.10"],
  clusterDomain: "cluster.local",
  resolvConf: "# node\nnameserver 192.0.2.53\nsearch example.com\noptions edns0 ndots:1\n",
};
const dnsOf = (spec: object, settings = SETTINGS) =>
  podDns({ metadata: { namespace: "n" }, spec } as unknown as Pod, settings);
const cluster = {
  servers: ["10.96.0.10"],
  searches: ["n.svc.cluster.local", "svc.cluster.local", "cluster.local", "example.com"],
  options: ["ndots:5"],
};
const node = { servers: ["192.0.2.53"], searches: ["example.com"], options: ["edns0", "ndots:1"] };

describe("names in a pod are resolved", () => {
  it.each<[string, object, object]>([
    ["by the cluster first", { dnsPolicy: "ClusterFirst" }, cluster],
    ["by default too", {}, cluster],
    ["as the node does", { dnsPolicy: "Default" }, node],
    ["as the node does in its network", { dnsPolicy: "ClusterFirst", hostNetwork: true }, node],
    ["by the cluster in the node's network", { dnsPolicy: "ClusterFirstWithHostNet", hostNetwork: true }, cluster],
    [
      "as the pod says only",
      { dnsPolicy: "None", dnsConfig: { nameservers: ["1.1.1.1"], searches: ["a.b"], options: [{ name: "x" }] } },
      { servers: ["1.1.1.1"], searches: ["a.b"], options: ["x"] },
    ],
    [
      "as the pod adds",
      {
        dnsPolicy: "Default",
        dnsConfig: { nameservers: ["192.0.2.53", "1.1.1.1"], options: [{ name: "ndots", value: "3" }] },
      },
      { servers: ["192.0.2.53", "1.1.1.1"], searches: ["example.com"], options: ["edns0", "ndots:3"] },
    ],
  ])("%s", (_, spec, config) => {
    expect(dnsOf(spec)).toEqual({ config });
  });

  it("as the node does where the cluster has no servers", () => {
    expect(dnsOf({}, { ...SETTINGS, clusterDns: [] })).toEqual({ config: node });
  });

  it("as the node does where that says it in several lines, and with dots", () => {
    const resolvConf = "nameserver 192.0.2.53\nsearch other\nsearch example.com. .\noptions edns0\noptions ndots:1\n";
    expect(dnsOf({ dnsPolicy: "Default" }, { ...SETTINGS, resolvConf })).toEqual({ config: node });
  });

  it("within the limits of resolvers, and what is left out is told", () => {
    const dnsConfig = {
      nameservers: ["1", "2", "3", "4"],
      searches: Array.from({ length: 40 }, (_, index) => `d${index}`),
    };
    const { config, problem } = dnsOf({ dnsPolicy: "None", dnsConfig });
    expect([config.servers?.length, config.searches?.length]).toEqual([3, 32]);
    expect(problem).toMatch(/Nameserver limits.*Search Line limits/);
  });
});
