// Allocation through the API: what is given, kept, released, refused, and what a crash leaves behind.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { MAX_MISTAKES } from "../../meta/field-error.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { StorageEngine } from "../../storage/engine.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import { SERVICES, service, type TestServer, testServer } from "./services.testing.ts";

const ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses";
const CIDRS = "/apis/networking.k8s.io/v1/servicecidrs";
const PORT_KEYS = "/registry/ranges/servicenodeports/";

let engine: StorageEngine;
let server: TestServer;
const clock = new FakeClock();

beforeEach(async () => {
  engine = new MemoryEngine();
  server = await testServer({ engine, clock });
});
afterEach(() => server.close());

const addresses = async (): Promise<string[]> =>
  (await server.call("GET", ADDRESSES)).json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
const ports = async () => (await engine.list(PORT_KEYS)).entries.map(({ key }) => key.slice(PORT_KEYS.length));
const create = (name: string, spec: object = {}) => server.call("POST", SERVICES, service(name, spec));
const change = async (name: string, spec: object) => {
  const { json } = await server.call("GET", `${SERVICES}/${name}`);
  return server.call("PUT", `${SERVICES}/${name}`, { ...json, spec: { ...json.spec, ...spec } });
};

describe("the server's own objects", () => {
  it("has a Service of the API with the first address, and its endpoints", async () => {
    const { json } = await server.call("GET", `${SERVICES}/kubernetes`);
    expect(json.metadata.labels).toEqual({ component: "apiserver", provider: "kubernetes" });
    expect(json.metadata.managedFields[0].fieldsV1["f:spec"]).toHaveProperty("f:ipFamilyPolicy");
    expect(json.spec).toMatchObject({
      clusterIP: "10.0.0.1",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
    });
    expect(await addresses()).toEqual(["10.0.0.1"]);
  });

  it("makes it again when somebody deletes it", async () => {
    expect((await server.call("DELETE", `${SERVICES}/kubernetes`)).status).toBe(200);
    await expect.poll(async () => (await server.call("GET", `${SERVICES}/kubernetes`)).status).toBe(200);
  });

  it("looks after its endpoints ten seconds after a start that had nothing to do", async () => {
    const endpoints = "/api/v1/namespaces/default/endpoints/kubernetes";
    await server.call("DELETE", endpoints);
    await clock.advance(9_000);
    expect((await server.call("GET", endpoints)).status).toBe(404);
    await clock.advance(1_000);
    await expect.poll(async () => (await server.call("GET", endpoints)).status).toBe(200);
  });

  it("has a default ServiceCIDR that is ready", async () => {
    const { json } = await server.call("GET", `${CIDRS}/kubernetes`);
    expect(json.spec.cidrs).toEqual(["10.0.0.0/24"]);
    expect(json.status.conditions).toMatchObject([{ type: "Ready", status: "True" }]);
  });
});

describe("addresses", () => {
  it("are recorded as IPAddress objects and freed with their Service", async () => {
    const { json } = await create("a");
    const record = (await server.call("GET", `${ADDRESSES}/${json.spec.clusterIP}`)).json;
    expect(record.spec.parentRef).toEqual({ resource: "services", namespace: "default", name: "a" });
    expect(record.metadata.labels).toEqual({
      "ipaddress.kubernetes.io/ip-family": "IPv4",
      "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
    });
    await server.call("DELETE", `${SERVICES}/a`);
    expect(await addresses()).toEqual(["10.0.0.1"]);
  });

  it.each([
    ["10.0.0.1", "failed to allocate IP 10.0.0.1: provided IP is already allocated"],
    ["10.7.0.1", "failed to allocate IP 10.7.0.1: the provided network does not match the current range"],
    ["10.0.0.255", "failed to allocate IP 10.0.0.255: the provided network does not match the current range"],
  ])("%s is refused", async (clusterIP, why) => {
    const { status, json } = await create("a", { clusterIP });
    expect(status).toBe(422);
    expect(json.message).toBe(`Service "a" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: ${why}`);
  });

  it("of very many families are refused after the first mistakes", async () => {
    const { status, json } = await create("a", { ipFamilies: Array.from({ length: 30_000 }, () => "IPv5") });
    expect(status).toBe(422);
    const told = json.details.causes.length;
    expect(json.message.endsWith(`, and at least ${MAX_MISTAKES - told} more]`)).toBe(true);
  });

  it.each(["", "a/b"])("are not claimed for a Service with the name %j", async (name) => {
    const { status, json } = await create(name);
    expect([status, json.details.kind]).toEqual([422, "Service"]);
    expect(json.message).toContain("metadata.name: ");
    expect(await addresses()).toEqual(["10.0.0.1"]);
  });

  it("cannot be had by their IPAddress alone being deleted", async () => {
    const { json } = await create("a", { clusterIP: "10.0.0.9" });
    await server.call("DELETE", `${ADDRESSES}/${json.spec.clusterIP}`);
    expect((await create("b", { clusterIP: "10.0.0.9" })).status).toBe(422);
  });

  it("cannot be had when something else has its IPAddress", async () => {
    const parentRef = { group: "x.example.com", resource: "things", name: "t" };
    await server.call("POST", ADDRESSES, { metadata: { name: "10.0.0.44" }, spec: { parentRef } });
    expect((await create("a", { clusterIP: "10.0.0.44" })).status).toBe(422);
  });

  it("that only a request under way has are waited for a bounded number of times", async () => {
    const small = await testServer({ clock, flags: ["--service-cluster-ip-range=10.9.0.0/30"] });
    const { collaborator } = small.catalog.find("", "v1", "services")!;
    const under = { ...service("under-way"), metadata: { name: "under-way", namespace: "default" } };
    const begun = await collaborator!.begin(under as unknown as ApiObject, undefined, { dryRun: false });
    let refused: number | undefined;
    const refusing = small.call("POST", SERVICES, service("late")).then(({ status }) => {
      refused = status;
    });
    for (let round = 0; round < 100 && refused === undefined; round += 1) {
      await clock.advance(100);
      await nextTurn();
    }
    expect(refused).toBe(500);
    await begun.end("failed");
    await refusing;
    expect((await small.call("POST", SERVICES, service("later"))).status).toBe(201);
    await small.close();
  });

  it("come from further ServiceCIDRs too, as long as these are there and ready", async () => {
    await server.call("POST", CIDRS, { metadata: { name: "more" }, spec: { cidrs: ["10.8.0.0/24"] } });
    expect((await create("a", { clusterIP: "10.8.0.7" })).status).toBe(201);
    const ready = {
      type: "Ready",
      status: "False",
      reason: "R",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const { json } = await server.call("GET", `${CIDRS}/more`);
    await server.call("PUT", `${CIDRS}/more/status`, { ...json, status: { conditions: [ready] } });
    expect((await create("b", { clusterIP: "10.8.0.8" })).status).toBe(422);
    await server.call("DELETE", `${CIDRS}/more`);
    expect((await create("b", { clusterIP: "10.8.0.8" })).status).toBe(422);
  });
});

describe("node ports", () => {
  it("serve one number for all protocols of a port of a new Service", async () => {
    const spec = {
      type: "NodePort",
      ports: ["TCP", "UDP", "SCTP"].map((protocol) => ({ name: protocol.toLowerCase(), protocol, port: 53 })),
    };
    const numbers = (await create("a", spec)).json.spec.ports.map(({ nodePort }: { nodePort: number }) => nodePort);
    expect(new Set(numbers).size).toBe(1);
    expect(await ports()).toEqual([String(numbers[0])]);
  });

  it.each(["TCP", "UDP"])("serve one Service, whatever the protocol: %s", async (protocol) => {
    const spec = (protocol: string) => ({ type: "NodePort", ports: [{ port: 80, protocol, nodePort: 30_100 }] });
    expect((await create("a", spec("TCP"))).status).toBe(201);
    expect((await create("b", spec(protocol))).json.message).toBe(
      'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 30100: provided port is already allocated',
    );
  });

  it("serve the protocols of one port, not two ports of a new Service", async () => {
    const spec = (port: number) => ({
      type: "NodePort",
      ports: [
        { name: "a", port: 80, nodePort: 30_100 },
        { name: "b", port, protocol: "UDP", nodePort: 30_100 },
      ],
    });
    expect((await create("a", spec(81))).json.message).toBe(
      'Service "a" is invalid: spec.ports[1].nodePort: Invalid value: 30100: provided port is already allocated',
    );
    expect((await create("a", spec(80))).status).toBe(201);
    expect(await ports()).toEqual(["30100"]);
    expect((await change("a", { ports: spec(81).ports })).status).toBe(200);
  });

  it("that a Service asks for are shared with the ports of the same number that ask for none", async () => {
    const ports = [
      { name: "a", port: 80 },
      { name: "b", port: 80, protocol: "UDP", nodePort: 30_100 },
    ];
    const { json } = await create("a", { type: "NodePort", ports });
    expect(json.spec.ports.map(({ nodePort }: { nodePort: number }) => nodePort)).toEqual([30_100, 30_100]);
  });

  it("are not claimed for a Service that wants more of them than there are", async () => {
    const claims: string[] = [];
    const create = engine.create.bind(engine);
    engine.create = (key, ...rest) => {
      if (key.startsWith(PORT_KEYS)) claims.push(key);
      return create(key, ...rest);
    };
    const many = Array.from({ length: 2_769 }, (_, index) => ({ name: `p${index}`, port: index + 1 }));
    const { json } = await server.call("POST", SERVICES, service("a", { type: "NodePort", ports: many }));
    expect(json.message).toBe("Internal error occurred: failed to allocate a nodePort: range is full");
    expect(claims).toEqual([]);
    expect(await addresses()).toEqual(["10.0.0.1"]);
  });

  it("are kept by a body that leaves them out, and released when their port goes", async () => {
    const two = [
      { name: "a", port: 80 },
      { name: "b", port: 81 },
    ];
    const made = (await create("a", { type: "NodePort", ports: two })).json.spec.ports;
    const again = await change("a", { ports: two });
    expect(again.json.spec.ports).toEqual(made);
    await change("a", { ports: [two[0]] });
    expect(await ports()).toEqual([String(made[0].nodePort)]);
    await change("a", { type: "ClusterIP" });
    expect(await ports()).toEqual([]);
  });

  it("are given for health checks, and released when nobody asks for health any more", async () => {
    const made = await create("a", { type: "LoadBalancer", externalTrafficPolicy: "Local" });
    expect(await ports()).toHaveLength(2);
    expect(await ports()).toContain(String(made.json.spec.healthCheckNodePort));
    await change("a", { externalTrafficPolicy: "Cluster" });
    expect(await ports()).toEqual([String(made.json.spec.ports[0].nodePort)]);
    const busy = {
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: made.json.spec.ports[0].nodePort,
    };
    expect((await create("b", busy)).json.message).toMatch(
      /spec.healthCheckNodePort: Invalid value: \d+: failed to allocate requested HealthCheck NodePort \d+: provided port is already allocated$/,
    );
  });

  it("of a load balancer come only when wanted, and explicit ones always", async () => {
    const off = { type: "LoadBalancer", allocateLoadBalancerNodePorts: false };
    expect((await create("a", off)).json.spec.ports[0].nodePort).toBeUndefined();
    const made = await create("b", { ...off, ports: [{ port: 80, nodePort: 30_200 }] });
    expect(made.json.spec.ports[0].nodePort).toBe(30_200);
  });

  it("of a load balancer that wants none any more are given up by a body that leaves them out", async () => {
    await create("a", { type: "LoadBalancer" });
    const kept = await change("a", { allocateLoadBalancerNodePorts: false });
    expect(kept.json.spec.ports[0].nodePort).toBeGreaterThan(0);
    const left = await change("a", { ports: [{ port: 80 }] });
    expect(left.json.spec.ports[0].nodePort).toBeUndefined();
    expect(await ports()).toEqual([]);
  });
});

describe("nothing leaks", () => {
  const OUTSIDE = { type: "NodePort", ports: [{ port: 80, nodePort: 9 }] };
  const OUTSIDE_TWICE = [
    { name: "a", port: 80, nodePort: 9 },
    { name: "b", port: 81, nodePort: 9 },
  ];
  it.each([
    ["a dry run", "?dryRun=All", { type: "NodePort" }, 201],
    ["a dry run with a port that is none of the range", "?dryRun=All", OUTSIDE, 201],
    ["a dry run that takes such a port twice", "?dryRun=All", { ...OUTSIDE, ports: OUTSIDE_TWICE }, 422],
    ["a refused body", "", { type: "NodePort", sessionAffinity: "Cookie" }, 422],
    [
      "a second address that cannot be had",
      "",
      { clusterIP: "10.0.0.9", type: "NodePort", ports: [{ port: 80, nodePort: 9 }] },
      422,
    ],
    ["a name that exists", "", { type: "NodePort" }, 409],
  ])("from %s", async (_what, query, spec, status) => {
    if (status === 409) await create("a", { clusterIP: "None" });
    const answer = await server.call("POST", `${SERVICES}${query}`, service("a", spec));
    expect(answer.status).toBe(status);
    expect(await addresses()).toEqual(["10.0.0.1"]);
    expect(await ports()).toEqual([]);
  });

  it("from a dry run of an update", async () => {
    const { json } = await create("a");
    await server.call("PUT", `${SERVICES}/a?dryRun=All`, { ...json, spec: { ...json.spec, type: "NodePort" } });
    expect(await ports()).toEqual([]);
    await server.call("PUT", `${SERVICES}/a?dryRun=All`, {
      ...json,
      spec: { ...json.spec, type: "ExternalName", externalName: "x.y" },
    });
    expect(await addresses()).toContain(json.spec.clusterIP);
  });

  it("from an update that lost a race", async () => {
    const { json } = await create("a");
    await change("a", { selector: { x: "y" } });
    const stale = await server.call("PUT", `${SERVICES}/a`, { ...json, spec: { ...json.spec, type: "NodePort" } });
    expect(stale.status).toBe(409);
    expect(await ports()).toEqual([]);
  });

  it("with the Endpoints of a deleted Service", async () => {
    await create("a");
    await server.call("POST", "/api/v1/namespaces/default/endpoints", { metadata: { name: "a" } });
    await server.call("DELETE", `${SERVICES}/a`);
    expect((await server.call("GET", "/api/v1/namespaces/default/endpoints/a")).status).toBe(404);
  });
});

describe("after a crash", () => {
  const orphan = (key: string, value: object) => engine.create(key, Buffer.from(JSON.stringify(value)));
  const metadata = (name: string) => ({ name, uid: "u", creationTimestamp: new Date(clock.nowMs()).toISOString() });
  const restarted = async () => {
    await server.close();
    server = await testServer({ engine, clock });
  };

  it("records without a Service are released at the start: no request is under way, and no other server is alive", async () => {
    await orphan("/registry/ipaddresses/10.0.0.77", {
      kind: "IPAddress",
      apiVersion: "networking.k8s.io/v1",
      metadata: { ...metadata("10.0.0.77"), labels: { "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" } },
      spec: { parentRef: { resource: "services", namespace: "default", name: "gone" } },
    });
    await orphan(`${PORT_KEYS}30300`, {
      metadata: metadata("30300"),
      owner: { namespace: "default", name: "gone", uid: "u" },
    });
    await restarted();
    expect(await addresses()).toEqual(["10.0.0.1"]);
    expect(await ports()).toEqual([]);
  });

  it("the default range of addresses comes back when somebody deletes it", async () => {
    const path = "/apis/networking.k8s.io/v1/servicecidrs/kubernetes";
    const before = await server.call("GET", path);
    expect((await server.call("DELETE", path)).status).toBe(200);
    await expect.poll(async () => (await server.call("GET", path)).status).toBe(200);
    const after = await server.call("GET", path);
    const uidOf = ({ json }: { json: unknown }) => (json as { metadata: { uid: string } }).metadata.uid;
    expect(uidOf(after)).not.toBe(uidOf(before));
    await expect.poll(async () => (await create("again", {})).status).toBe(201);
  });

  it("Services without a record get one", async () => {
    const { json } = await create("a", { type: "NodePort" });
    for (const prefix of [`/registry/ipaddresses/${json.spec.clusterIP}`, PORT_KEYS]) {
      for (const { key, revision } of (await engine.list(prefix)).entries) await engine.delete(key, revision);
    }
    await restarted();
    expect(await addresses()).toContain(json.spec.clusterIP);
    expect(await ports()).toEqual([String(json.spec.ports[0].nodePort)]);
  });
});
