// Real traffic through real rules, in network namespaces that the test makes and removes.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Service, ServiceSpec } from "../kinds/core/service/schema.ts";
import type { EndpointSlice } from "../kinds/discovery/endpoint-slice-schema.ts";
import { conntrackArguments } from "./conntrack/forget-flows.ts";
import { readFlows, staleAmong } from "./conntrack/present-flows.ts";
import { staleFlows } from "./conntrack/stale-flows.ts";
import { CLIENT, NODE, type Place, POD_A, POD_B, POD_NETWORKS, TestNetwork, whyNoNetwork } from "./network.testing.ts";
import { ServiceRules } from "./nft/service-rules.ts";
import { CLUSTER_IP, CLUSTER_IP6, type EndpointDraft, HERE, service, settings, slice } from "./objects.testing.ts";
import { planService, type ServicePlan } from "./rules/service-plan.ts";

const reason = whyNoNetwork();
const EXTERNAL_IP = "192.168.9.9";
const NODE_PORT = 30_080;

let network: TestNetwork;
let rules: ServiceRules;
let plan: ServicePlan | undefined;

describe.skipIf(reason !== undefined)(`traffic through the rules${reason === undefined ? "" : ` (${reason})`}`, () => {
  beforeAll(async () => {
    network = await TestNetwork.create();
    network.run("client", ["ip", "route", "add", "10.96.0.0/16", "via", NODE[4]]);
  }, 30_000);
  afterAll(async () => {
    await network?.remove();
  });
  beforeEach(() => {
    rules = new ServiceRules(settings({ clusterCIDR: POD_NETWORKS }));
    network.nft(rules.recreation());
    plan = undefined;
  });

  it("reaches every backend of a cluster IP, from pods with their own address, from elsewhere with that of the node", () => {
    put(service(), [slice([a(4), b(4)])]);
    const got = answersOfBoth("a", CLUSTER_IP, 80);
    expect(names(got)).toEqual(["a", "b"]);
    expect(got).toContain(`b ${POD_A[4]}`);
    expect(sources(answersOfBoth("client", CLUSTER_IP, 80))).toEqual(["10.1.1.1", "10.1.2.1"]);
    expect(names(answersOfBoth("node", CLUSTER_IP, 80))).toEqual(["a", "b"]);
  }, 30_000);

  it("lets a backend reach itself by the cluster IP", () => {
    put(service(), [slice([a(4)])]);
    expect(network.get("a", CLUSTER_IP, 80)).toBe("a 10.1.1.1");
  });

  it("serves IPv6 the same way", () => {
    put(dual(), [slice([a(4), b(4)]), slice([a(6), b(6)])]);
    const got = answersOfBoth("a", CLUSTER_IP6, 80);
    expect(names(got)).toEqual(["a", "b"]);
    expect(got).toContain(`b ${POD_A[6]}`);
    expect(names(answersOfBoth("client", NODE[6], NODE_PORT))).toEqual(["a", "b"]);
    put(dual({ externalTrafficPolicy: "Local" }), [slice([a(6), b(6)])]);
    expect(new Set(answers("client", NODE[6], NODE_PORT, 6))).toEqual(new Set([`a ${CLIENT[6]}`]));
  }, 30_000);

  it("serves node ports and external IPs for everybody, with the address of the node towards backends", () => {
    put(outside(), [slice([a(4), b(4)])]);
    for (const [ip, port] of [
      [NODE[4], NODE_PORT],
      [EXTERNAL_IP, 80],
    ] as const) {
      const got = answersOfBoth("client", ip, port);
      expect(names(got)).toEqual(["a", "b"]);
      expect(sources(got)).toEqual(["10.1.1.1", "10.1.2.1"]);
    }
    expect(network.get("client", "10.1.1.1", NODE_PORT)).toBe("refused");
  }, 30_000);

  it("keeps the client's address and stays on the node with the external policy Local", () => {
    put(outside({ externalTrafficPolicy: "Local" }), [slice([a(4), b(4)])]);
    for (const [ip, port] of [
      [NODE[4], NODE_PORT],
      [EXTERNAL_IP, 80],
    ] as const)
      expect(new Set(answers("client", ip, port, 6))).toEqual(new Set([`a ${CLIENT[4]}`]));
    // Pods of the cluster, and the node itself, may go anywhere.
    expect(names(answersOfBoth("a", EXTERNAL_IP, 80))).toEqual(["a", "b"]);
    expect(names(answersOfBoth("node", EXTERNAL_IP, 80))).toEqual(["a", "b"]);
  }, 30_000);

  it("drops what comes from outside where no backend is local, and nothing else", () => {
    put(outside({ externalTrafficPolicy: "Local" }), [slice([b(4)])]);
    expect(network.get("client", NODE[4], NODE_PORT, 1)).toBe("lost");
    expect(network.get("client", EXTERNAL_IP, 80, 1)).toBe("lost");
    expect(network.get("a", EXTERNAL_IP, 80)).toBe(`b ${POD_A[4]}`);
    expect(network.get("a", CLUSTER_IP, 80)).toBe(`b ${POD_A[4]}`);
  }, 30_000);

  it("keeps traffic of the cluster on the node with the internal policy Local", () => {
    put(service({ internalTrafficPolicy: "Local" }), [slice([a(4), b(4)])]);
    expect(names(answers("a", CLUSTER_IP, 80, 8))).toEqual(["a"]);
    put(service({ internalTrafficPolicy: "Local" }), [slice([b(4)])]);
    expect(network.get("a", CLUSTER_IP, 80, 1)).toBe("lost");
  }, 30_000);

  it("says at once that there is nobody, and that a port is unknown", () => {
    put(outside(), [slice([])]);
    expect(network.get("a", CLUSTER_IP, 80)).toBe("refused");
    expect(network.get("node", CLUSTER_IP, 80)).toBe("refused");
    expect(network.get("client", NODE[4], NODE_PORT)).toBe("refused");
    expect(network.get("client", EXTERNAL_IP, 80)).toBe("refused");
    expect(network.get("a", CLUSTER_IP, 81)).toBe("refused");
    put(outside(), [slice([a(4)])]);
    expect(network.get("client", EXTERNAL_IP, 80)).toBe("a 10.1.1.1");
  }, 30_000);

  const stickyFor = (timeoutSeconds: number) =>
    ({ sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds } } }) as const;

  it.each([4, 6] as const)(
    "sends a client to the same IPv%i backend with session affinity, whatever happens to others",
    (family) => {
      const ways = [
        [NODE[family], NODE_PORT],
        [family === 4 ? CLUSTER_IP : CLUSTER_IP6, 80],
      ] as const;
      for (const externalTrafficPolicy of ["Cluster", "Local"] as const)
        for (const [ip, port] of ways) {
          const both = [
            slice([
              { ...a(family), nodeName: "here" },
              { ...b(family), nodeName: "here" },
            ]),
          ];
          const sticky = dual({ ...stickyFor(3_600), externalTrafficPolicy });
          put(sticky, both);
          const first = names(answers("client", ip, port, 8));
          expect(first).toHaveLength(1);
          const other = first[0] === "a" ? "b" : "a";
          put(sticky, [slice([{ ...(other === "a" ? a(family) : b(family)), nodeName: "here" }])]);
          expect(names(answers("client", ip, port, 4))).toEqual([other]);
          // The first one is back: the client stays where it is.
          put(sticky, both);
          expect(names(answers("client", ip, port, 8))).toEqual([other]);
        }
    },
    120_000,
  );

  it("lets a client go when it was away for the time of its affinity", async () => {
    put(outside(stickyFor(5)), [slice([a(4), b(4)])]);
    const clients = () => network.run("node", ["nft", "list", "map", "ip", "plinth-proxy", "nodeport-clients-tcp"]);
    expect(names(answers("client", NODE[4], NODE_PORT, 3))).toHaveLength(1);
    expect(clients()).toContain(CLIENT[4]);
    await expect.poll(clients, { timeout: 20_000, interval: 200 }).not.toContain(CLIENT[4]);
  }, 60_000);

  it("drops what goes to an address of cluster IPs that no Service has, and refuses other ports of one that has", () => {
    const nobody = "10.97.0.9";
    network.run("client", ["ip", "addr", "add", `${nobody}/32`, "dev", "lo"]);
    expect(network.get("a", nobody, 80)).toBe("refused");
    rules = new ServiceRules(settings({ clusterCIDR: POD_NETWORKS }, HERE.ips, ["10.96.0.0/16", "10.97.0.0/16"]));
    network.nft(rules.recreation());
    put(service(), [slice([a(4)])]);
    expect(network.get("a", nobody, 80, 1)).toBe("lost");
    expect(network.get("node", nobody, 80, 1)).toBe("lost");
    expect(network.get("a", CLUSTER_IP, 81)).toBe("refused");
    expect(network.get("a", CLUSTER_IP, 80)).toBe("a 10.1.1.1");
  }, 30_000);

  const balanced = (ranges: string[], ingress: object = {}) =>
    service(
      {
        type: "LoadBalancer",
        loadBalancerSourceRanges: ranges,
        ports: [{ protocol: "TCP", port: 80, targetPort: 8080, nodePort: NODE_PORT }],
      },
      { status: { loadBalancer: { ingress: [{ ip: EXTERNAL_IP, ...ingress }] } } } as Partial<Service>,
    );

  it("serves the address of a load balancer to pods and to the node itself, also where it is one of the machine", () => {
    put(balanced([]), [slice([a(4), b(4)])]);
    expect(names(answersOfBoth("a", EXTERNAL_IP, 80))).toEqual(["a", "b"]);
    expect(names(answersOfBoth("node", EXTERNAL_IP, 80))).toEqual(["a", "b"]);
    network.run("node", ["ip", "addr", "add", `${EXTERNAL_IP}/32`, "dev", "lo"]);
    try {
      put(balanced(["172.16.0.0/12"]), [slice([a(4)])]);
      expect(network.get("node", EXTERNAL_IP, 80, 1)).toBe("lost");
      // The node may: what it sends to itself comes from that very address.
      put(balanced([`${NODE[4]}/32`]), [slice([a(4)])]);
      expect(network.get("node", EXTERNAL_IP, 80)).toMatch(/^a /);
      expect(network.get("a", EXTERNAL_IP, 80, 1)).toBe("lost");
      // A load balancer that sends packets on with another destination is not bypassed.
      put(balanced([], { ipMode: "Proxy" }), [slice([a(4)])]);
      expect(network.get("a", EXTERNAL_IP, 80)).toBe("refused");
    } finally {
      network.run("node", ["ip", "addr", "del", `${EXTERNAL_IP}/32`, "dev", "lo"]);
    }
  }, 30_000);

  it("lets only the source ranges of a load balancer in", () => {
    put(balanced(["172.16.0.0/12"]), [slice([a(4)])]);
    expect(network.get("client", EXTERNAL_IP, 80, 1)).toBe("lost");
    expect(network.get("client", NODE[4], NODE_PORT)).toBe("a 10.1.1.1");
    put(balanced(["172.16.0.0/12", "192.168.7.0/24"]), [slice([a(4)])]);
    expect(network.get("client", EXTERNAL_IP, 80)).toBe("a 10.1.1.1");
  }, 30_000);

  it("moves a UDP client on when its backend is gone, and gives it one when the first arrives", async () => {
    const udp = service({ ports: [{ protocol: "UDP", port: 53, targetPort: 8080 }] });
    const slices = (...endpoints: EndpointDraft[]) => [
      slice(endpoints, { ports: [{ name: "", protocol: "UDP", port: 8080 }] }),
    ];
    put(udp, slices(b(4)));
    const client = network.udp("a", CLUSTER_IP, 53);
    expect(await client.ask()).toBe(`b ${POD_A[4]}`);
    // One that comes changes nothing for who has a backend, nor does one that ends and still answers.
    put(udp, slices(a(4), b(4)));
    expect(await client.ask()).toBe(`b ${POD_A[4]}`);
    put(udp, slices(a(4), { ...b(4), conditions: { ready: false, serving: true, terminating: true } }));
    expect(await client.ask()).toBe(`b ${POD_A[4]}`);
    // As a proxy that has just been started sees it.
    plan = undefined;
    put(udp, slices(a(4), b(4)));
    expect(await client.ask()).toBe(`b ${POD_A[4]}`);
    put(udp, slices(a(4)));
    expect(await client.ask()).toBe("a 10.1.1.1");
    put(udp, slices());
    expect(await client.ask()).toBe("nothing");
    put(udp, slices(b(4)));
    expect(await client.ask()).toBe(`b ${POD_A[4]}`);
  }, 30_000);

  it("says everything anew without losing who belongs where, and notices that the table is gone", () => {
    put(outside({ sessionAffinity: "ClientIP" }), [slice([a(4), b(4)])]);
    const [before] = names(answers("client", NODE[4], NODE_PORT, 2));
    // As another process does that comes later.
    rules = new ServiceRules(settings({ clusterCIDR: POD_NETWORKS }));
    rules.put("default/web", plan!);
    network.nft(rules.refreshment());
    expect(names(answers("client", NODE[4], NODE_PORT, 8))).toEqual([before]);
    network.nft(rules.probe());
    network.run("node", ["nft", "delete", "table", "ip", "plinth-proxy"]);
    expect(() => network.nft(rules.probe())).toThrow();
    network.nft(rules.recreation());
    expect(names(answers("client", NODE[4], NODE_PORT, 2))).toHaveLength(1);
  }, 30_000);
});

/** Applies what a Service asks of the node, and forgets the flows that are stale by it. */
function put(of: Service, slices: readonly EndpointSlice[]): void {
  const next = planService(of, slices, HERE);
  rules.put("default/web", next);
  network.nft(rules.changes());
  const stale = staleFlows(plan, next).filter(({ family }) => family === 4);
  const listing = network.run("node", ["conntrack", "-L", "-p", "udp"]);
  for (const flow of staleAmong(readFlows(listing), stale))
    network.run("node", ["conntrack", ...conntrackArguments(4, flow)]);
  plan = next;
}

function outside(spec: Partial<ServiceSpec> = {}): Service {
  const ports = [{ protocol: "TCP" as const, port: 80, targetPort: 8080, nodePort: NODE_PORT }];
  return service({ type: "NodePort", ports, externalIPs: [EXTERNAL_IP], ...spec });
}

function dual(spec: Partial<ServiceSpec> = {}): Service {
  return outside({ clusterIPs: [CLUSTER_IP, CLUSTER_IP6], ...spec });
}

const a = (family: 4 | 6): EndpointDraft => ({ ip: POD_A[family], nodeName: "here" });
const b = (family: 4 | 6): EndpointDraft => ({ ip: POD_B[family], nodeName: "elsewhere" });

function answers(from: Place, ip: string, port: number, count: number): string[] {
  return Array.from({ length: count }, () => network.get(from, ip, port));
}

/** Asks until two have answered: who does is left to chance, but so often it is not one of them alone. */
function answersOfBoth(from: Place, ip: string, port: number): string[] {
  const got: string[] = [];
  while (names(got).length < 2 && got.length < 64) got.push(network.get(from, ip, port));
  return got;
}

const names = (list: readonly string[]): string[] => [...new Set(list.map((each) => each.split(" ")[0]!))].sort();
const sources = (list: readonly string[]): string[] => [...new Set(list.map((each) => each.split(" ")[1]!))].sort();
