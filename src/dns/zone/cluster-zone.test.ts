// Requirements: the specification of DNS in clusters, schema 1.1.0; sections are named in the tables.

import { describe, expect, it } from "vitest";
import type { Service } from "../../kinds/core/service.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import { formatIp } from "../../meta/ip.ts";
import { namesFor } from "../../meta/names.ts";
import { type DomainName, type RecordData, TYPE } from "../message/message.ts";
import { type ClusterView, canonicalIp, serviceIndexes, sliceIndexes } from "./cluster-view.ts";
import { lookUp } from "./cluster-zone.ts";

const names = namesFor("platform");
const SERVICES = [
  service("web", {
    clusterIPs: ["10.96.0.5", "fd00::5"],
    ports: [{ name: "http", port: 80 }, { port: 81 }, { name: "dns", port: 53, protocol: "UDP" }],
  }),
  service("db", { clusterIPs: ["None"] }),
  service("idle", { clusterIPs: ["None"] }),
  service("numbered", { type: "ExternalName", externalName: "192.0.2.1" }),
  service("far", { type: "ExternalName", externalName: "www.example.com" }),
];
const SLICES = [
  slice("web", { endpoints: [{ addresses: ["10.244.0.9"] }], ports: [{ name: "http", port: 8080 }] }),
  slice("db", {
    endpoints: [
      { addresses: ["10.244.0.1"], hostname: "db-0" },
      { addresses: ["10.244.0.2"], conditions: { ready: true } },
      { addresses: ["10.244.0.3"], hostname: "db-2", conditions: { ready: false, serving: true } },
    ],
    ports: [{ name: "sql", port: 5432, protocol: "TCP" }, { port: 1 }],
  }),
  slice("db", {
    addressType: "IPv6",
    endpoints: [{ addresses: ["fd00::0:1"], hostname: "db-0" }],
    ports: [{ name: "sql", port: 5432, protocol: "TCP" }],
  }),
  slice("idle", { endpoints: [{ addresses: ["10.244.0.4"], conditions: { ready: false } }] }),
];
const view: ClusterView = {
  hasNamespace: (name) => name === "shop" || name === "empty",
  service: (namespace, name) =>
    SERVICES.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  slicesOf: (namespace, name) =>
    SLICES.filter((each) => sliceIndexes(names)["dns-service"](each).includes(`${namespace}/${name}`)),
  servicesAt: (ip) => SERVICES.filter((each) => serviceIndexes["dns-address"](each).includes(ip)),
  slicesAt: (ip) => SLICES.filter((each) => sliceIndexes(names)["dns-address"](each).includes(ip)),
  serviceOf: ({ metadata }) =>
    SERVICES.find(({ metadata: { name } }) => name === metadata.labels?.[names.serviceNameLabel]),
};
const AUTHORITY: RecordData = { type: "TXT", text: "authority" };

function ask(name: string, type: number = TYPE.A): string[] | "missing" | "foreign" {
  const lookup = lookUp({ view, domain: ["cluster", "local"], authority: AUTHORITY }, name.split("."), type);
  return lookup.kind === "found" ? lookup.records.map(shown) : lookup.kind;
}

describe("a name of the cluster", () => {
  it.each<[string, string, string[] | "missing" | "foreign"]>([
    ["2.2 the version of the schema", "dns-version.cluster.local", ["TXT 1.1.0"]],
    ["2.3.1 a Service with addresses", "web.shop.svc.cluster.local", ["A 10.96.0.5", "AAAA fd00::5"]],
    ["2.1 in any case", "WEB.Shop.svc.CLUSTER.local", ["A 10.96.0.5", "AAAA fd00::5"]],
    ["2.3.2 a named port", "_http._tcp.web.shop.svc.cluster.local", ["SRV 80 web.shop.svc.cluster.local"]],
    ["2.3.2 over UDP", "_dns._udp.web.shop.svc.cluster.local", ["SRV 53 web.shop.svc.cluster.local"]],
    ["2.3.2 a port under another protocol", "_http._udp.web.shop.svc.cluster.local", "missing"],
    ["2.3.2 a port without a name", "_._tcp.web.shop.svc.cluster.local", "missing"],
    ["2.3.3 an address", "5.0.96.10.in-addr.arpa", ["PTR web.shop.svc.cluster.local"]],
    [
      "2.3.3 an address of version 6",
      "5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa",
      ["PTR web.shop.svc.cluster.local"],
    ],
    ["an address of others", "5.0.96.11.in-addr.arpa", "foreign"],
    ["what is no address", "256.0.96.10.in-addr.arpa", "foreign"],
    ["2.4.1 a headless Service", "db.shop.svc.cluster.local", ["A 10.244.0.1", "A 10.244.0.2", "AAAA fd00::1"]],
    ["2.4.1 nothing ready", "idle.shop.svc.cluster.local", "missing"],
    ["2.4.1 a hostname", "db-0.db.shop.svc.cluster.local", ["A 10.244.0.1", "AAAA fd00::1"]],
    ["2.4.1 a hostname of one that is not ready", "db-2.db.shop.svc.cluster.local", "missing"],
    ["2.4.1 a hostname made of the address", "10-244-0-2.db.shop.svc.cluster.local", ["A 10.244.0.2"]],
    [
      "2.4.2 a named port of endpoints",
      "_sql._tcp.db.shop.svc.cluster.local",
      ["SRV 5432 db-0.db.shop.svc.cluster.local", "SRV 5432 10-244-0-2.db.shop.svc.cluster.local"],
    ],
    ["2.4.3 the address of an endpoint", "1.0.244.10.in-addr.arpa", ["PTR db-0.db.shop.svc.cluster.local"]],
    ["2.4.3 of one that is not ready", "3.0.244.10.in-addr.arpa", "foreign"],
    ["2.4.3 of one behind an address", "9.0.244.10.in-addr.arpa", "foreign"],
    ["2.5 a name of others", "far.shop.svc.cluster.local", ["CNAME www.example.com"]],
    ["2.5 an address is no name", "numbered.shop.svc.cluster.local", "missing"],
    ["2.5 nothing below it", "x.far.shop.svc.cluster.local", "missing"],
    ["2.6 a pod", "10-244-0-77.shop.pod.cluster.local", ["A 10.244.0.77"]],
    ["2.6 a pod of version 6", "fd00--77.shop.pod.cluster.local", ["AAAA fd00::77"]],
    ["2.6 no address", "10-244-0.shop.pod.cluster.local", "missing"],
    ["2.6 a pod of no namespace", "10-244-0-77.nowhere.pod.cluster.local", "missing"],
    ["the domain itself", "cluster.local", ["TXT authority"]],
    ["names with others below", "svc.cluster.local", []],
    ["a namespace", "empty.svc.cluster.local", []],
    ["a namespace of pods", "shop.pod.cluster.local", []],
    ["a protocol", "_tcp.web.shop.svc.cluster.local", []],
    ["a protocol of endpoints", "_tcp.db.shop.svc.cluster.local", []],
    ["a protocol without ports", "_sctp.web.shop.svc.cluster.local", "missing"],
    ["no namespace", "nowhere.svc.cluster.local", "missing"],
    ["no Service", "web.empty.svc.cluster.local", "missing"],
    ["too deep", "a.b.c.web.shop.svc.cluster.local", "missing"],
    ["no branch", "web.shop.other.cluster.local", "missing"],
    ["a name that only ends alike", "web.xcluster.local", "foreign"],
    ["a name of others", "example.com", "foreign"],
  ])("%s: %s", (_, name, expected) => {
    expect(ask(name)).toEqual(expected);
  });

  it.each<[string, string, ReturnType<typeof ask>]>([
    [
      "a Service",
      "web.shop.svc.cluster.local",
      ["SRV 80 web.shop.svc.cluster.local", "SRV 81 web.shop.svc.cluster.local", "SRV 53 web.shop.svc.cluster.local"],
    ],
    [
      "a headless Service",
      "db.shop.svc.cluster.local",
      [
        "SRV 5432 db-0.db.shop.svc.cluster.local",
        "SRV 1 db-0.db.shop.svc.cluster.local",
        "SRV 5432 10-244-0-2.db.shop.svc.cluster.local",
        "SRV 1 10-244-0-2.db.shop.svc.cluster.local",
      ],
    ],
    [
      "one of its endpoints",
      "db-0.db.shop.svc.cluster.local",
      ["SRV 5432 db-0.db.shop.svc.cluster.local", "SRV 1 db-0.db.shop.svc.cluster.local"],
    ],
    ["one that is not ready", "db-2.db.shop.svc.cluster.local", "missing"],
    ["nothing ready", "idle.shop.svc.cluster.local", "missing"],
    ["a name of others", "far.shop.svc.cluster.local", ["CNAME www.example.com"]],
  ])("of %s tells all ports to who asks where they are", (_, name, expected) => {
    const found = ask(name, TYPE.SRV);
    expect(typeof found === "string" ? found : found.filter((each) => !/^A/.test(each))).toEqual(expected);
  });

  it("is not found by a label with a dot in it", () => {
    const zone = { view, domain: ["cluster", "local"], authority: AUTHORITY };
    expect(lookUp(zone, ["web.shop", "svc", "cluster", "local"], TYPE.A)).toEqual({ kind: "missing" });
  });

  it("comes with the addresses of those that it points to", () => {
    const lookup = lookUp(
      { view, domain: ["cluster", "local"], authority: AUTHORITY },
      "_sql._tcp.db.shop.svc.cluster.local".split("."),
      TYPE.SRV,
    );
    expect(lookup.kind === "found" && lookup.added.map(({ name, data }) => [name[0], shown(data)])).toEqual([
      ["db-0", "A 10.244.0.1"],
      ["10-244-0-2", "A 10.244.0.2"],
      ["db-0", "AAAA fd00::1"],
    ]);
  });
});

it("addresses are found however they are written", () => {
  expect(canonicalIp("FD00:0::5")).toBe("fd00::5");
  expect(canonicalIp("None")).toBeUndefined();
});

function service(name: string, spec: object): Service {
  return { metadata: { name, namespace: "shop" }, spec } as unknown as Service;
}

function slice(of: string, more: object): EndpointSlice {
  return {
    metadata: { name: `${of}-x`, namespace: "shop", labels: { [names.serviceNameLabel]: of } },
    addressType: "IPv4",
    ...more,
  } as unknown as EndpointSlice;
}

function shown(data: RecordData): string {
  const text = (name: DomainName) => name.join(".");
  switch (data.type) {
    case "A":
      return `A ${formatIp({ family: 4, bytes: data.address, zone: "" })}`;
    case "AAAA":
      return `AAAA ${formatIp({ family: 6, bytes: data.address, zone: "" })}`;
    case "SRV":
      return `SRV ${data.port} ${text(data.target)}`;
    case "TXT":
      return `TXT ${data.text}`;
    case "CNAME":
    case "PTR":
      return `${data.type} ${text(data.target)}`;
    default:
      return data.type;
  }
}
