// Devices that several claims share, on a whole server.

import { afterEach, expect, it } from "vitest";
import { DIALECTS } from "../meta/names.ts";
import { type DeviceCluster, deviceCluster } from "./device-cluster.testing.ts";

let cluster: DeviceCluster;
afterEach(() => cluster.close());

it.each(DIALECTS)("claims share a device until its capacity is used up, also after a restart: %s", async (dialect) => {
  cluster = await deviceCluster(["DRAConsumableCapacity"], dialect);
  const { client, offer, makeClaim, makePod, running, unschedulable, restartScheduler } = cluster;
  const claims = client.devices.v1.resourceClaims("default");
  const requestPolicy = { default: "1Gi", validRange: { min: "1Gi", step: "1Gi" } };
  await offer("simulated-1", [
    { name: "a", allowMultipleAllocations: true, capacity: { memory: { value: "8Gi", requestPolicy } } },
  ]);
  const asking = (memory: string) => ({ capacity: { requests: { memory } } });
  await makeClaim("one", asking("2500Mi"));
  await makeClaim("two", asking("4Gi"));
  await makePod("one");
  await makePod("two");
  await running("one");
  await running("two");
  const results = async (name: string) => (await claims.get(name)).status.allocation?.devices?.results ?? [];
  const [one] = await results("one");
  const [two] = await results("two");
  expect([one, two]).toMatchObject([
    { device: "a", consumedCapacity: { memory: "3Gi" } },
    { device: "a", consumedCapacity: { memory: "4Gi" } },
  ]);
  expect(one?.shareID).toMatch(/^[0-9a-f-]{36}$/);
  expect(two?.shareID).not.toBe(one?.shareID);
  await restartScheduler();
  await makeClaim("three", asking("2Gi"));
  await makePod("three");
  await unschedulable("three", /2 cannot allocate all claims/);
  // The controller would free the claim of a pod that is done.
  await claims.status.modify("one", (claim) => {
    claim.status = {};
  });
  await running("three");
});
