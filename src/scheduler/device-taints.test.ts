// Taints of devices on a whole server: of drivers and of DeviceTaintRules.

import { afterEach, expect, it } from "vitest";
import { DIALECTS } from "../meta/names.ts";
import { type DeviceCluster, DRIVER, deviceCluster } from "./device-cluster.testing.ts";

let cluster: DeviceCluster;
afterEach(() => cluster.close());

it.each(DIALECTS)("claims get devices whose taints they tolerate, and say so: %s", async (dialect) => {
  cluster = await deviceCluster(["DRADeviceTaints"], dialect);
  const { client, offer, makeClaim, makePod, unschedulable, running, devicesOf } = cluster;
  const rules = client.devices.v1alpha3.deviceTaintRules();
  await offer("simulated-1", [{ name: "a", taints: [{ key: "old", effect: "NoSchedule" }] }, { name: "b" }]);
  const taint = { key: "sick", effect: "NoExecute" as const };
  await rules.create({ metadata: { name: "b" }, spec: { deviceSelector: { driver: DRIVER, device: "b" }, taint } });
  await makeClaim("picky");
  await makePod("picky");
  await unschedulable("picky", /2 cannot allocate all claims/);
  const tolerations = [{ key: "old", operator: "Exists" as const }];
  await makeClaim("tolerant", { tolerations });
  await makePod("tolerant");
  await running("tolerant");
  expect((await client.devices.v1.resourceClaims("default").get("tolerant")).status.allocation).toMatchObject({
    devices: { results: [{ device: "a", tolerations }] },
  });
  await rules.delete("b");
  await running("picky");
  expect(await devicesOf("picky")).toEqual(["b"]);
});

it("without the gate taints do not count", async () => {
  cluster = await deviceCluster([]);
  const { offer, makeClaim, makePod, running } = cluster;
  await offer("simulated-1", [{ name: "a", taints: [{ key: "old", effect: "NoSchedule" }] }]);
  await makeClaim("p");
  await makePod("p");
  await running("p");
});
