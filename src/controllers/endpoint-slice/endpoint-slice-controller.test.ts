// The controller on a whole server. Requirements: document 3, "Service", "EndpointSlice".

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../../client/client.ts";
import { DIALECTS } from "../../meta/names.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { makeNode, makePod, makeService, setReady } from "../service-backends/backends.testing.ts";
import { endpointSliceController } from "./endpoint-slice-controller.ts";

const slicesOf = async (client: Client, service: string) =>
  (
    await client.discovery.v1
      .endpointSlices("default")
      .list({ labelSelector: `${client.names.serviceNameLabel}=${service}` })
  ).items;
const endpointsOf = async (client: Client, service: string) =>
  (await slicesOf(client, service)).flatMap(({ endpoints }) => endpoints ?? []);

describe.each(DIALECTS)("on a server of the dialect %s", (dialect) => {
  let started: ControllersInProcess;
  beforeEach(async () => {
    started = await controllersInProcess({
      definitions: [endpointSliceController],
      dialect,
      flags: ["--max-endpoints-per-slice=2"],
      serverFlags: ["--disable-admission-plugins=ServiceAccount"],
    });
    await makeNode(started.client);
  });
  afterEach(() => started.close());

  it("slices follow pods as they come, become ready and go", async () => {
    const { client, eventually } = started;
    await makeService(client, "web");
    await eventually(async () =>
      expect(await slicesOf(client, "web")).toMatchObject([{ endpoints: null, ports: null }]),
    );
    await makePod(client, { name: "a", labels: { app: "web" }, ready: false });
    await eventually(async () =>
      expect(await endpointsOf(client, "web")).toMatchObject([{ conditions: { ready: false, serving: false } }]),
    );
    await setReady(client, "a", true);
    await eventually(async () =>
      expect(await endpointsOf(client, "web")).toMatchObject([{ conditions: { ready: true } }]),
    );
    await client.core.v1.pods("default").patch("a", { merge: { metadata: { labels: { app: "other" } } } });
    await eventually(async () => expect(await endpointsOf(client, "web")).toEqual([]));
    expect(await slicesOf(client, "web")).toHaveLength(1);
  });

  it("endpoints are spread over slices, and repaired after a restart and after strangers", async () => {
    const { client, eventually, restart } = started;
    await makeService(client, "web");
    for (const name of ["a", "b", "c"]) await makePod(client, { name, labels: { app: "web" } });
    const sizes = async () => (await slicesOf(client, "web")).map(({ endpoints }) => endpoints?.length).sort();
    await eventually(async () => expect(await sizes()).toEqual([1, 2]));
    await restart();
    const [first] = await slicesOf(client, "web");
    const slices = client.discovery.v1.endpointSlices("default");
    await slices.delete(first!.metadata.name);
    await eventually(async () => expect((await endpointsOf(client, "web")).length).toBe(3));
    const [one] = await slicesOf(client, "web");
    await slices.patch(one!.metadata.name, { merge: { endpoints: [] } });
    await eventually(async () => expect((await endpointsOf(client, "web")).length).toBe(3));
    await client.core.v1.services("default").patch("web", { merge: { metadata: { labels: { tier: "front" } } } });
    await eventually(async () => {
      for (const { metadata } of await slicesOf(client, "web"))
        expect(metadata.labels).toMatchObject({ tier: "front" });
    });
  });

  it("nothing is written again when nothing has changed", async () => {
    const { client, eventually, restart, manager } = started;
    await makeService(client, "web");
    await makePod(client, { name: "a", labels: { app: "web" } });
    await eventually(async () => expect(await endpointsOf(client, "web")).toHaveLength(1));
    const versions = async () => (await slicesOf(client, "web")).map(({ metadata }) => metadata.resourceVersion);
    const before = await versions();
    await client.core.v1.pods("default").patch("a", { merge: { metadata: { annotations: { note: "x" } } } });
    await restart();
    await eventually(() => expect(manager.busy).toBe(false));
    expect(await versions()).toEqual(before);
  });

  it("Services without a selector and aliases have no slices", async () => {
    const { client, eventually } = started;
    await makeService(client, "plain", { selector: {} });
    await makeService(client, "alias", { type: "ExternalName", externalName: "a.b", ports: [] });
    await makeService(client, "web");
    await eventually(async () => expect(await slicesOf(client, "web")).toHaveLength(1));
    expect(await slicesOf(client, "plain")).toEqual([]);
    expect(await slicesOf(client, "alias")).toEqual([]);
  });

  it("pods wait for their node, the zone follows it, and an event says what is missing", async () => {
    const { client, eventually } = started;
    await makeService(client, "web");
    await makePod(client, { name: "a", labels: { app: "web" }, spec: { nodeName: "late" } });
    await eventually(async () => {
      const { items } = await client.core.v1.events("default").list();
      expect(items.filter(({ reason }) => reason === "FailedToUpdateEndpointSlices")).toMatchObject([
        { type: "Warning", count: 1 },
      ]);
    });
    expect(await endpointsOf(client, "web")).toEqual([]);
    await makeNode(client, "late", { [client.names.zoneLabel]: "east" });
    await eventually(async () =>
      expect(await endpointsOf(client, "web")).toMatchObject([{ zone: "east", nodeName: "late" }]),
    );
  });
});
