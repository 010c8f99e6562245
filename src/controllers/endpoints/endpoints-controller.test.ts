// The controller on a whole server. Requirements: document 3, "Endpoints".

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DIALECTS } from "../../meta/names.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { makeNode, makePod, makeService, setReady } from "../service-backends/backends.testing.ts";
import { endpointsController } from "./endpoints-controller.ts";

describe.each(DIALECTS)("on a server of the dialect %s", (dialect) => {
  let started: ControllersInProcess;
  beforeEach(async () => {
    const serverFlags = ["--disable-admission-plugins=ServiceAccount"];
    started = await controllersInProcess({ definitions: [endpointsController], dialect, serverFlags });
    await makeNode(started.client);
  });
  afterEach(() => started.close());

  it("Endpoints follow pods, are made again when deleted or changed, and go with their Service", async () => {
    const { client, eventually } = started;
    const endpoints = client.core.v1.endpoints("default");
    await makeService(client, "web");
    await makePod(client, { name: "a", labels: { app: "web" }, ready: false });
    const isReady = async () =>
      expect(await endpoints.get("web")).toMatchObject({ subsets: [{ addresses: [{ targetRef: { name: "a" } }] }] });
    await eventually(async () =>
      expect(await endpoints.get("web")).toMatchObject({
        subsets: [{ notReadyAddresses: [{ targetRef: { name: "a" } }] }],
      }),
    );
    await setReady(client, "a", true);
    await eventually(isReady);
    await endpoints.delete("web");
    await eventually(isReady);
    await endpoints.patch("web", { merge: { subsets: null } });
    await eventually(isReady);
    await client.core.v1.services("default").delete("web");
    await eventually(async () => expect(await endpoints.find("web")).toBeUndefined());
  });

  it("after a restart what Services left behind goes; what others elect leaders with and external ones stay", async () => {
    const { client, eventually, restart } = started;
    const endpoints = client.core.v1.endpoints("default");
    const subsets = [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }];
    await makeService(client, "external", { selector: {} });
    await endpoints.create({ metadata: { name: "external" }, subsets });
    await endpoints.create({ metadata: { name: "leftover" }, subsets });
    await endpoints.create({ metadata: { name: "leader", annotations: { [client.names.leaderAnnotation]: "{}" } } });
    await restart();
    await eventually(async () => expect(await endpoints.find("leftover")).toBeUndefined());
    expect(await endpoints.find("leader")).toBeDefined();
    expect(await endpoints.get("external")).toMatchObject({ subsets });
  });
});
