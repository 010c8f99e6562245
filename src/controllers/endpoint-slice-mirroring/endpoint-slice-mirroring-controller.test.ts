// The controller on a whole server. Requirements: document 3, "EndpointSlice".

import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { makeService } from "../service-backends/backends.testing.ts";
import { endpointSliceMirroringController } from "./endpoint-slice-mirroring-controller.ts";

describe.each(DIALECTS)("on a server of the dialect %s", (dialect) => {
  it("slices follow Endpoints that people write, and go with them", async () => {
    const { client, eventually, restart, close } = await controllersInProcess({
      definitions: [endpointSliceMirroringController],
      dialect,
      flags: ["--mirroring-max-endpoints-per-subset=2"],
    });
    const { names } = client;
    const endpoints = client.core.v1.endpoints("default");
    const addresses = async () => {
      const labelSelector = `${names.serviceNameLabel}=db,${names.managedByLabel}=${names.sliceMirroringController}`;
      const { items } = await client.discovery.v1.endpointSlices("default").list({ labelSelector });
      return items.flatMap((slice) => (slice.endpoints ?? []).flatMap((each) => each.addresses ?? [])).sort();
    };
    const subset = (...ips: string[]) => ({ addresses: ips.map((ip) => ({ ip })), ports: [{ port: 80 }] });
    await makeService(client, "db", { selector: {} });
    await endpoints.create({ metadata: { name: "db" }, subsets: [subset("192.0.2.1")] });
    await eventually(async () => expect(await addresses()).toEqual(["192.0.2.1"]));
    await endpoints.patch("db", { merge: { subsets: [subset("192.0.2.2", "192.0.2.3", "192.0.2.4")] } });
    await eventually(async () => expect(await addresses()).toEqual(["192.0.2.2", "192.0.2.3"]));
    await eventually(async () => {
      const { items } = await client.core.v1.events("default").list();
      expect(items.map(({ reason }) => reason)).toEqual(["TooManyAddressesToMirror"]);
    });
    await endpoints.patch("db", { merge: { metadata: { labels: { [names.skipMirrorLabel]: "true" } } } });
    await eventually(async () => expect(await addresses()).toEqual([]));
    await endpoints.patch("db", { merge: { metadata: { labels: { [names.skipMirrorLabel]: null } } } });
    await eventually(async () => expect(await addresses()).toHaveLength(2));
    await restart();
    await endpoints.delete("db");
    await eventually(async () => expect(await addresses()).toEqual([]));
    await close();
  });
});
