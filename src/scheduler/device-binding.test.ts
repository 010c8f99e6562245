// Pods that wait until drivers have prepared their devices, on a whole server.

import { afterEach, describe, expect, it } from "vitest";
import { DIALECTS, type Dialect } from "../meta/names.ts";
import { timeOfMs } from "../meta/time.ts";
import { type DeviceCluster, DRIVER, deviceCluster } from "./device-cluster.testing.ts";

let cluster: DeviceCluster;
afterEach(() => cluster.close());

const fabric = (name: string) => ({
  name,
  bindsToNode: true,
  bindingConditions: [`${DRIVER}/attached`],
  bindingFailureConditions: [`${DRIVER}/broken`],
});

async function start(dialect: Dialect = "platform") {
  cluster = await deviceCluster(["DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"], dialect);
  const { client, clock, eventually } = cluster;
  const claims = client.devices.v1.resourceClaims("default");
  const events = client.events.v1.events("default");
  return {
    ...cluster,
    claims,
    /** The driver says something of the device that the claim has. */
    tell: (name: string, type: "attached" | "broken") =>
      claims.status.modify(name, ({ status }) => {
        const [{ driver, pool, device } = { driver: "", pool: "", device: "" }] =
          status.allocation?.devices?.results ?? [];
        const lastTransitionTime = timeOfMs(clock.nowMs());
        const condition = { type: `${DRIVER}/${type}`, status: "True" as const, reason: "Told", message: "by hand" };
        status.devices = [{ driver, pool, device, conditions: [{ ...condition, lastTransitionTime }] }];
      }),
    allocated: (name: string, device: string) =>
      eventually(async () => {
        const { allocation, reservedFor } = (await claims.get(name)).status;
        expect(allocation?.devices?.results?.map((each) => each.device)).toEqual([device]);
        expect(reservedFor).toHaveLength(1);
        return allocation;
      }),
    nodeOf: async (name: string) => (await client.core.v1.pods("default").get(name)).spec.nodeName,
    told: (reason: string, message: RegExp) =>
      eventually(async () => {
        const { items } = await events.list();
        const notes = items.filter((event) => event.reason === reason).map(({ note }) => note);
        expect(notes).toContainEqual(expect.stringMatching(message));
      }),
  };
}

describe("a device with conditions of binding", () => {
  it.each(DIALECTS)("keeps the pod waiting until it is ready: %s", async (dialect) => {
    const { offer, makeClaim, makePod, allocated, tell, told, nodeOf, running } = await start(dialect);
    await offer("simulated-1", [fabric("a")]);
    await makeClaim("p");
    await makePod("p");
    const allocation = await allocated("p", "a");
    expect(allocation?.allocationTimestamp).toBeDefined();
    expect(allocation?.devices?.results?.[0]).toMatchObject({
      bindingConditions: [`${DRIVER}/attached`],
      bindingFailureConditions: [`${DRIVER}/broken`],
    });
    await told("BindingConditionsPending", /^waiting for binding conditions for device on node simulated-1$/);
    expect(await nodeOf("p")).toBeUndefined();
    await tell("p", "attached");
    await running("p");
    expect(await nodeOf("p")).toBe("simulated-1");
  });

  it("is waited for also by a scheduler that begins meanwhile", async () => {
    const { offer, makeClaim, makePod, allocated, tell, nodeOf, restartScheduler, running } = await start();
    await offer("simulated-1", [fabric("a")]);
    await makeClaim("p");
    await makePod("p");
    await allocated("p", "a");
    await restartScheduler();
    await allocated("p", "a");
    expect(await nodeOf("p")).toBeUndefined();
    await tell("p", "attached");
    await running("p");
  });

  it("is left for others when its driver fails", async () => {
    const { offer, makeClaim, makePod, allocated, tell, told, running, devicesOf } = await start();
    await offer("simulated-1", [fabric("a")]);
    await makeClaim("p");
    await makePod("p");
    await allocated("p", "a");
    // Its driver does not offer it any longer; another does.
    await offer("simulated-1", []);
    await offer("simulated-2", [{ name: "b" }]);
    await tell("p", "broken");
    await told("FailedScheduling", /claim p binding failed: reason=Told, message="by hand"$/);
    await running("p");
    expect(await devicesOf("p")).toEqual(["b"]);
  });

  it("is left for others when its driver takes too long", async () => {
    const { offer, makeClaim, makePod, allocated, told, running, devicesOf, clock } = await start();
    await offer("simulated-1", [fabric("a")]);
    await makeClaim("p");
    await makePod("p");
    await allocated("p", "a");
    // Its driver does not offer it any longer; another does.
    await offer("simulated-1", []);
    await offer("simulated-2", [{ name: "b" }]);
    await clock.advance(601_000);
    await told("FailedScheduling", /binding timeout$/);
    await running("p");
    expect(await devicesOf("p")).toEqual(["b"]);
  });

  it("comes after devices that need no preparation", async () => {
    const { offer, makeClaim, makePod, running, devicesOf } = await start();
    await offer("simulated-1", [fabric("a"), { name: "b" }]);
    await makeClaim("p");
    await makePod("p");
    await running("p");
    expect(await devicesOf("p")).toEqual(["b"]);
  });
});
