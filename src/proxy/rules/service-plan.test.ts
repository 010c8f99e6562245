import { describe, expect, it } from "vitest";
import type { Service, ServiceSpec } from "../../kinds/core/service/schema.ts";
import { CLUSTER_IP, CLUSTER_IP6, HERE, service, slice } from "../objects.testing.ts";
import { type PortPlan, planService } from "./service-plan.ts";

const SLICES = [
  slice([
    { ip: "10.0.0.1", nodeName: "here" },
    { ip: "10.0.0.2", nodeName: "x" },
  ]),
  slice([{ ip: "fd00::1", nodeName: "x" }]),
];
const ELSEWHERE = [slice([{ ip: "10.0.0.2", nodeName: "x" }])];
const NODE_PORT = [{ protocol: "TCP" as const, port: 80, targetPort: 8080, nodePort: 30_080 }];

function ports(spec: Partial<ServiceSpec> = {}, more: Partial<Service> = {}, slices = SLICES): readonly PortPlan[] {
  return planService(service(spec, more), slices, HERE).ports;
}
const balanced = (...ingress: object[]) => ({ status: { loadBalancer: { ingress } } }) as Partial<Service>;

describe("what a Service asks of a node", () => {
  it("is where its traffic arrives and goes", () => {
    expect(ports()).toEqual([
      {
        family: 4,
        protocol: "tcp",
        port: 80,
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        clusterIp: CLUSTER_IP,
        external: {
          isLocal: false,
          refusal: undefined,
          externalIps: [],
          loadBalancerIps: [],
          sourceRanges: undefined,
          nodePort: 0,
        },
        cluster: [
          { ip: "10.0.0.1", port: 8080 },
          { ip: "10.0.0.2", port: 8080 },
        ],
        local: [],
        isInternalLocal: false,
        internalRefusal: undefined,
        affinitySeconds: undefined,
        hairpinIps: ["10.0.0.1"],
        flowTargets: [],
      },
    ]);
  });

  it.each<[string, Partial<ServiceSpec>]>([
    ["headless", { clusterIP: "None", clusterIPs: ["None"] }],
    ["only a name", { type: "ExternalName", externalName: "example.com" }],
    ["without an address yet", { clusterIP: "", clusterIPs: [] }],
  ])("is nothing when it is %s", (_, spec) => {
    expect(ports({ externalIPs: ["192.0.2.1"], ...spec })).toEqual([]);
  });

  it("is the same in each of its families, with the addresses of that family", () => {
    const [v4, v6] = ports({
      clusterIPs: [CLUSTER_IP, CLUSTER_IP6],
      externalIPs: ["192.0.2.1", "FD00::0:9"],
      ports: NODE_PORT,
    });
    expect(v4).toMatchObject({
      family: 4,
      clusterIp: CLUSTER_IP,
      external: { externalIps: ["192.0.2.1"], nodePort: 30_080 },
    });
    expect(v6).toMatchObject({
      family: 6,
      clusterIp: CLUSTER_IP6,
      external: { externalIps: ["fd00::9"], nodePort: 30_080 },
    });
    expect(v6?.cluster).toEqual([{ ip: "fd00::1", port: 8080 }]);
    expect(ports({ clusterIPs: [CLUSTER_IP6], clusterIP: CLUSTER_IP6 }).map(({ family }) => family)).toEqual([6]);
  });

  it("takes addresses of load balancers that arrive as they are, of that type only", () => {
    const status = balanced(
      { ip: "192.0.2.1" },
      { ip: "192.0.2.2", ipMode: "VIP" },
      { ip: "192.0.2.3", ipMode: "Proxy" },
      { hostname: "x" },
    );
    expect(ports({ type: "LoadBalancer" }, status)[0]?.external.loadBalancerIps).toEqual(["192.0.2.1", "192.0.2.2"]);
    expect(ports({ type: "NodePort" }, status)[0]?.external.loadBalancerIps).toEqual([]);
  });

  it.each<[string[], string[] | undefined]>([
    [[], undefined],
    [
      ["192.0.2.0/24", "10.0.0.0/8", "10.1.0.0/16", "10.0.0.0/8"],
      ["10.0.0.0/8", "192.0.2.0/24"],
    ],
    [["192.0.2.77/24"], ["192.0.2.0/24"]],
    [["192.0.2.0/24", "0.0.0.0/0"], undefined],
    [["fd00::/8"], undefined],
  ])("lets the source ranges %j in as %j", (loadBalancerSourceRanges, expected) => {
    const [port] = ports({ type: "LoadBalancer", loadBalancerSourceRanges }, balanced({ ip: "192.0.2.1" }));
    expect(port?.external.sourceRanges).toEqual(expected);
  });

  it.each<[string, Partial<ServiceSpec>, typeof SLICES, PortPlan["internalRefusal"], PortPlan["internalRefusal"]]>([
    ["nobody anywhere", {}, [], "reject", "reject"],
    [
      "nobody anywhere, policies Local",
      { internalTrafficPolicy: "Local", externalTrafficPolicy: "Local" },
      [],
      "reject",
      "reject",
    ],
    ["somebody elsewhere", {}, ELSEWHERE, undefined, undefined],
    ["somebody elsewhere, internal policy Local", { internalTrafficPolicy: "Local" }, ELSEWHERE, "drop", undefined],
    ["somebody elsewhere, external policy Local", { externalTrafficPolicy: "Local" }, ELSEWHERE, undefined, "drop"],
    [
      "somebody here, policies Local",
      { internalTrafficPolicy: "Local", externalTrafficPolicy: "Local" },
      SLICES,
      undefined,
      undefined,
    ],
  ])("refuses traffic with %s", (_, spec, slices, internal, external) => {
    const [port] = ports({ type: "NodePort", ports: NODE_PORT, ...spec }, {}, slices);
    expect([port?.internalRefusal, port?.external.refusal]).toEqual([internal, external]);
  });

  it.each<[Partial<ServiceSpec>, number | undefined]>([
    [{}, undefined],
    [{ sessionAffinity: "None" }, undefined],
    [{ sessionAffinity: "ClientIP" }, 10_800],
    [{ sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } }, 60],
  ])("with %j keeps clients for %s seconds", (spec, expected) => {
    expect(ports(spec)[0]?.affinitySeconds).toBe(expected);
  });

  it("counts who is not ready when the Service publishes all", () => {
    const unready = [slice([{ ip: "10.0.0.1", conditions: { ready: false } }])];
    expect(ports({}, {}, unready)[0]?.cluster).toEqual([]);
    expect(ports({ publishNotReadyAddresses: true }, {}, unready)[0]?.cluster).toHaveLength(1);
  });

  it("is a health check port for load balancers with the external policy Local, which counts each local backend once", () => {
    const spec: Partial<ServiceSpec> = {
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 32_000,
    };
    const two = [80, 81].map((port) => ({ protocol: "TCP" as const, name: "", port, targetPort: 8080 }));
    const check = (changes: Partial<ServiceSpec> = {}) =>
      planService(service({ ...spec, ports: two, ...changes }), SLICES, HERE).healthCheck;
    expect(check()).toEqual({ port: 32_000, localEndpoints: 1 });
    expect(check({ externalTrafficPolicy: "Cluster" })).toBeUndefined();
    expect(check({ healthCheckNodePort: 0 })).toBeUndefined();
    expect(check({ type: "NodePort" })).toBeUndefined();
  });
});
