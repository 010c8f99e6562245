// Requirements: document 3, "Service", "EndpointSlice".

import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Service } from "../../kinds/core/service.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import { namesFor } from "../../meta/names.ts";
import { planSlices } from "./plan-slices.ts";
import { zoneSharesOf } from "./zone-shares.ts";

const names = namesFor("platform");
const meta = (name: string) => ({
  name,
  namespace: "shop",
  uid: `uid-${name}`,
  resourceVersion: "1",
  creationTimestamp: "2030-01-01T00:00:00Z",
});
const node = (name: string, zone: string, cpu = "4"): Node =>
  ({
    metadata: { ...meta(name), labels: { [names.zoneLabel]: zone } },
    status: { allocatable: { cpu }, conditions: [{ type: "Ready", status: "True" }] },
  }) as unknown as Node;
const NODES = new Map([
  ["n1", node("n1", "east")],
  ["n2", node("n2", "west")],
]);

interface PodParts {
  readonly name?: string;
  readonly ips?: readonly string[];
  readonly ready?: boolean;
  readonly ending?: boolean;
  readonly phase?: string;
  readonly spec?: object;
}
const pod = ({
  name = "p",
  ips = ["10.0.0.1"],
  ready = true,
  ending = false,
  phase = "Running",
  spec,
}: PodParts = {}) =>
  ({
    metadata: { ...meta(name), ...(ending ? { deletionTimestamp: "2030-01-01T00:00:00Z" } : {}) },
    spec: { nodeName: "n1", containers: [], ...spec },
    status: {
      phase,
      podIP: ips[0],
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  }) as unknown as Stored<Pod>;
const service = (spec: object = {}, metadata: object = {}) =>
  ({
    metadata: { ...meta("web"), ...metadata },
    spec: {
      type: "ClusterIP",
      clusterIP: "10.96.0.1",
      ipFamilies: ["IPv4"],
      selector: { app: "web" },
      ports: [{ port: 80, protocol: "TCP", targetPort: 8080 }],
      ...spec,
    },
  }) as unknown as Stored<Service>;

function plan(given: Stored<Service>, pods: Stored<Pod>[], existing: Stored<EndpointSlice>[] = []) {
  return planSlices({
    service: given,
    pods,
    existing,
    nodeOf: (name) => NODES.get(name),
    shares: () => zoneSharesOf(NODES.values(), names),
    maxEndpoints: 100,
    triggerTime: "2030-01-01T00:00:09Z",
    names,
  });
}
const created = (given: Stored<Service>, pods: Stored<Pod>[]): Draft<EndpointSlice>[] => [...plan(given, pods).create];
const endpointsOf = (slices: readonly Draft<EndpointSlice>[]) => slices.flatMap(({ endpoints }) => endpoints ?? []);

describe("the endpoint of a pod", () => {
  it("has one address, its node, zone, pod and conditions", () => {
    expect(endpointsOf(created(service(), [pod({ ips: ["10.0.0.1", "10.0.0.2"] })]))).toEqual([
      {
        addresses: ["10.0.0.1"],
        conditions: { ready: true, serving: true, terminating: false },
        nodeName: "n1",
        zone: "east",
        targetRef: { kind: "Pod", namespace: "shop", name: "p", uid: "uid-p" },
      },
    ]);
  });

  const conditions: [string, PodParts, publish: boolean, object][] = [
    ["a ready pod", {}, false, { ready: true, serving: true, terminating: false }],
    ["a pod that is not ready", { ready: false }, false, { ready: false, serving: false, terminating: false }],
    ["a ready pod that ends", { ending: true }, false, { ready: false, serving: true, terminating: true }],
    [
      "one that ends and is not ready",
      { ending: true, ready: false },
      false,
      { ready: false, serving: false, terminating: true },
    ],
    ["any pod, where all are published", { ready: false }, true, { ready: true, serving: false, terminating: false }],
    [
      "one that ends, where all are published",
      { ending: true },
      true,
      { ready: true, serving: true, terminating: true },
    ],
  ];
  it.each(conditions)("conditions of %s", (_what, parts, publishNotReadyAddresses, expected) => {
    const [endpoint] = endpointsOf(created(service({ publishNotReadyAddresses }), [pod(parts)]));
    expect(endpoint?.conditions).toEqual(expected);
  });

  const absent: [string, PodParts, problems: number][] = [
    ["finished well", { phase: "Succeeded" }, 0],
    ["finished badly", { phase: "Failed" }, 0],
    ["without an address", { ips: [] }, 0],
    ["of the other family only", { ips: ["fd00::1"] }, 0],
    ["with an address that nobody else can reach", { ips: ["127.0.0.1"] }, 1],
    ["with nonsense for an address", { ips: ["999.1.1.1"] }, 1],
    ["on a node that is not there", { spec: { nodeName: "gone" } }, 1],
  ];
  it.each(absent)("there is none for a pod %s", (_what, parts, problems) => {
    const planned = plan(service(), [pod(parts)]);
    expect(endpointsOf(planned.create)).toEqual([]);
    expect(planned.problems).toHaveLength(problems);
    expect(planned.create).toMatchObject([{ ports: [], endpoints: [] }]);
  });

  it("is there without a node where all are published", () => {
    const given = service({ publishNotReadyAddresses: true });
    expect(endpointsOf(created(given, [pod({ spec: { nodeName: "gone" } })]))).toMatchObject([{ nodeName: "gone" }]);
  });

  it("has a host name below that of the Service when the pod asks for it", () => {
    const named = { spec: { hostname: "db-0", subdomain: "web" } };
    expect(endpointsOf(created(service(), [pod(named)]))).toMatchObject([{ hostname: "db-0" }]);
    const elsewhere = { spec: { hostname: "db-0", subdomain: "other" } };
    expect(endpointsOf(created(service(), [pod(elsewhere)]))[0]).not.toHaveProperty("hostname");
  });

  it("is spelt as slices want it", () => {
    const six = service({ ipFamilies: ["IPv6"] });
    expect(endpointsOf(created(six, [pod({ ips: ["FD00:0:0::1"] })]))).toMatchObject([{ addresses: ["fd00::1"] }]);
  });
});

describe("the ports of slices", () => {
  const container = (port: number, more: object = {}) => ({
    name: "c",
    ports: [{ name: "http", containerPort: port, ...more }],
  });
  const named = service({
    ports: [{ name: "web", port: 80, protocol: "TCP", targetPort: "http", appProtocol: "h2c" }],
  });

  it("are those of the pods, by their names in the Service", () => {
    const slices = created(named, [
      pod({ name: "a", spec: { containers: [container(8080)] } }),
      pod({ name: "b", ips: ["10.0.0.2"], spec: { containers: [container(9090)] } }),
    ]);
    expect(slices.map(({ ports }) => ports)).toEqual([
      [{ name: "web", port: 8080, protocol: "TCP", appProtocol: "h2c" }],
      [{ name: "web", port: 9090, protocol: "TCP", appProtocol: "h2c" }],
    ]);
  });

  it("are left out where the pod has no such name for that protocol", () => {
    const slices = created(named, [pod({ spec: { containers: [container(53, { protocol: "UDP" })] } })]);
    expect(slices).toMatchObject([{ ports: [], endpoints: [{ addresses: ["10.0.0.1"] }] }]);
  });

  it("are found in containers that start first and stay, not in others that start first", () => {
    const stays = pod({ spec: { initContainers: [{ ...container(1), restartPolicy: "Always" }] } });
    const goes = pod({ spec: { initContainers: [container(1)] } });
    expect(created(named, [stays])[0]?.ports).toMatchObject([{ port: 1 }]);
    expect(created(named, [goes])[0]?.ports).toEqual([]);
  });

  it("may be missing for a Service without an address", () => {
    const slices = created(service({ clusterIP: "None", ports: [] }), [pod()]);
    expect(slices).toMatchObject([{ ports: [], endpoints: [{}] }]);
  });
});

describe("the slices of a Service", () => {
  it("carry its labels, its name and who manages them", () => {
    const labels = { tier: "front", [names.headlessServiceLabel]: "mine", [names.managedByLabel]: "me" };
    const [slice] = created(service({}, { labels }), [pod()]);
    expect(slice?.metadata).toEqual({
      generateName: "web-",
      labels: { tier: "front", "platform.io/service-name": "web", [names.managedByLabel]: names.sliceController },
      annotations: { "endpoints.platform.io/last-change-trigger-time": "2030-01-01T00:00:09Z" },
      ownerReferences: [
        { apiVersion: "v1", kind: "Service", name: "web", uid: "uid-web", controller: true, blockOwnerDeletion: true },
      ],
    });
  });

  it("say when the Service has no address", () => {
    const [slice] = created(service({ clusterIP: "None" }), []);
    expect(slice?.metadata?.labels).toMatchObject({ [names.headlessServiceLabel]: "" });
  });

  it("are one for each family", () => {
    const slices = created(service({ ipFamilies: ["IPv6", "IPv4"] }), [pod({ ips: ["10.0.0.1", "fd00::1"] })]);
    expect(slices.map(({ addressType, endpoints }) => [addressType, endpoints?.[0]?.addresses])).toEqual([
      ["IPv6", ["fd00::1"]],
      ["IPv4", ["10.0.0.1"]],
    ]);
  });

  it("of a family that it no longer has go; slices of names are left alone", () => {
    const held = (name: string, addressType: "IPv4" | "IPv6" | "FQDN") =>
      ({ metadata: meta(name), addressType, endpoints: [], ports: [] }) as Stored<EndpointSlice>;
    const { remove } = plan(service(), [], [held("six", "IPv6"), held("name", "FQDN")]);
    expect(remove.map(({ metadata }) => metadata.name)).toEqual(["six"]);
  });
});

describe("hints", () => {
  const two = [pod({ name: "a" }), pod({ name: "b", ips: ["10.0.0.2"], spec: { nodeName: "n2" } })];
  const hintsOf = (spec: object, metadata: object = {}, pods = two) =>
    endpointsOf(created(service(spec, metadata), pods)).map(({ hints }) => hints);
  const auto = { annotations: { [names.topologyModeAnnotation]: "Auto" } };

  const east = { forZones: [{ name: "east" }] };
  const west = { forZones: [{ name: "west" }] };
  const cases: [string, spec: object, metadata: object, hints: unknown[]][] = [
    ["none without a wish", {}, {}, [undefined, undefined]],
    ["none for a wish that nobody knows", { trafficDistribution: "Far" }, {}, [undefined, undefined]],
    ["the own zone for PreferClose", { trafficDistribution: "PreferClose" }, {}, [east, west]],
    ["the own zone for PreferSameZone", { trafficDistribution: "PreferSameZone" }, {}, [east, west]],
    [
      "the own zone and node for PreferSameNode",
      { trafficDistribution: "PreferSameNode" },
      {},
      [
        { ...east, forNodes: [{ name: "n1" }] },
        { ...west, forNodes: [{ name: "n2" }] },
      ],
    ],
    ["shares of zones in topology mode Auto", {}, auto, [east, west]],
    ["the mode before the distribution", { trafficDistribution: "PreferSameNode" }, auto, [east, west]],
  ];
  it.each(cases)("%s", (_what, spec, metadata, expected) => {
    expect(hintsOf(spec, metadata)).toEqual(expected);
  });

  it("are for ready endpoints only", () => {
    expect(hintsOf({ trafficDistribution: "PreferClose" }, {}, [pod({ ready: false })])).toEqual([undefined]);
  });

  it("are not given by shares when there are too few endpoints", () => {
    const planned = plan(service({}, auto), [pod()]);
    expect(planned.hints.get("IPv4")).toBe("Insufficient number of endpoints (1 endpoints, 2 zones)");
    expect(endpointsOf(planned.create)[0]).not.toHaveProperty("hints");
  });

  it("move endpoints to zones that have too few, and stay then", () => {
    const pods = [1, 2, 3, 4].map((at) => pod({ name: `p${at}`, ips: [`10.0.0.${at}`] }));
    const given = service({}, auto);
    const zones = (list: typeof pods, existing: Stored<EndpointSlice>[] = []) => {
      const { create, update } = plan(given, list, existing);
      return endpointsOf([...create, ...update]).map(({ hints }) => hints?.forZones?.[0]?.name);
    };
    expect(zones(pods).sort()).toEqual(["east", "east", "west", "west"]);
    const [draft] = created(given, pods);
    const stored = { ...draft, metadata: { ...draft!.metadata, ...meta("s") } } as unknown as Stored<EndpointSlice>;
    expect(plan(given, pods, [stored])).toMatchObject({ create: [], update: [], remove: [] });
  });
});
