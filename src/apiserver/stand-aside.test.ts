// A server that takes the place of another one in the same process.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { collector } from "../http/in-process.testing.ts";
import { inProcessRequest } from "../http/in-process.ts";
import { isStreamBody } from "../http/message.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { asUser, type LooseJson, type ServerInProcess, serverInProcess } from "./server.testing.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const SERVICES = "/api/v1/namespaces/default/services";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS = "/apis/example.com/v1/widgets";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

const definition = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Widget", plural: "widgets" },
    scope: "Cluster",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

describe("a server that takes the place of another", () => {
  const clock = new FakeClock();
  let engine: MemoryEngine;
  let server: ServerInProcess;
  beforeEach(async () => {
    engine = new MemoryEngine({ clock });
    server = await serverInProcess({ engine, clock });
  });
  afterEach(() => server.close());

  async function replaceServer(flags: readonly string[] = []): Promise<void> {
    const inheritance = await server.standAside();
    server = await serverInProcess({ engine, clock, flags, deps: { inheritance } });
  }

  const create = (url: string, body: object): Promise<LooseJson> => server.call("POST", url, body);

  it("has what is stored", async () => {
    await create(CONFIG_MAPS, { metadata: { name: "a" } });
    await replaceServer(["--max-requests-inflight=10"]);
    expect((await server.call("GET", `${CONFIG_MAPS}/a`)).status).toBe(200);
  });

  it("tells those who watched the other what happens", async () => {
    const heard: string[] = [];
    const over = new AbortController();
    const request = inProcessRequest({ method: "GET", url: `${CONFIG_MAPS}?watch=true` });
    const { body } = await server.handler(request);
    if (body === undefined || !isStreamBody(body)) throw new Error("no watch");
    const watching = body.stream(collector(over.signal, (chunk) => heard.push(Buffer.from(chunk).toString())));
    await replaceServer();
    await create(CONFIG_MAPS, { metadata: { name: "late" } });
    await expect.poll(() => heard.join("")).toContain('"late"');
    over.abort();
    await watching;
  });

  it("gives events the time of its own flags", async () => {
    await replaceServer(["--event-ttl=3m"]);
    const involvedObject = { kind: "Pod", namespace: "default", name: "a" };
    const events = "/api/v1/namespaces/default/events";
    await create(events, { metadata: { name: "a" }, involvedObject });
    await clock.advance(2 * 60_000);
    expect((await server.call("GET", `${events}/a`)).status).toBe(200);
    await clock.advance(2 * 60_000);
    expect((await server.call("GET", `${events}/a`)).status).toBe(404);
  });

  it("is the same server to others", async () => {
    const lease = async (): Promise<LooseJson> => (await server.call("GET", LEASES)).json.items[0]?.spec;
    await expect.poll(lease).toBeDefined();
    const { holderIdentity, renewTime } = await lease();
    await replaceServer();
    await clock.advance(600_000);
    await expect.poll(async () => (await lease()).renewTime).not.toBe(renewTime);
    expect((await lease()).holderIdentity).toBe(holderIdentity);
  });

  it("lets in whom the roles let in, as they are and as they change", async () => {
    await server.close();
    engine = new MemoryEngine({ clock });
    const wanted = { engine, clock, authorization: "by flags", flags: ["--authorization-mode=RBAC"] } as const;
    const first = await serverInProcess(wanted);
    const bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ann" }];
    await first.call("POST", bindings, { metadata: { name: "ann" }, roleRef, subjects });
    server = await serverInProcess({ ...wanted, deps: { inheritance: await first.standAside() } });
    const asked = async (name: string): Promise<number> =>
      (await server.call("GET", CONFIG_MAPS, undefined, asUser({ name, groups: [] }))).status;
    expect([await asked("ann"), await asked("bob")]).toEqual([200, 403]);
    await server.call("DELETE", `${bindings}/ann`);
    expect(await asked("ann")).toBe(403);
  });

  it("hands out addresses that are free", async () => {
    const service = (name: string) => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } });
    const first = await create(SERVICES, service("a"));
    await replaceServer();
    const { clusterIP } = first.json.spec;
    const taken = await create(SERVICES, { metadata: { name: "b" }, spec: { ports: [{ port: 80 }], clusterIP } });
    expect(taken.status).toBe(422);
    expect((await create(SERVICES, service("b"))).status).toBe(201);
  });

  it("serves the custom resources whose definitions are there", async () => {
    await create(DEFINITIONS, definition);
    await expect.poll(async () => (await server.call("GET", WIDGETS)).status).toBe(200);
    await replaceServer();
    await expect.poll(async () => (await server.call("GET", WIDGETS)).status).toBe(200);
    await server.call("DELETE", `${DEFINITIONS}/widgets.example.com`);
    await expect.poll(async () => (await server.call("GET", WIDGETS)).status).toBe(404);
  });
});
