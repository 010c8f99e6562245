// The controller on a whole server, with the clock in hand. The test is the driver and the scheduler.

import { afterEach, describe, expect, it } from "vitest";
import { nextTurn } from "../../base/next-turn.ts";
import type { DeviceToleration } from "../../kinds/resource/device-taints.ts";
import { DIALECTS, type Dialect, namesFor } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { deviceTaintEvictionController } from "./device-taint-eviction-controller.ts";

const DRIVER = "gpu.example.com";

let world: ControllersInProcess;
afterEach(() => world.close());

async function start(dialect: Dialect, isOn = true) {
  world = await controllersInProcess({
    definitions: [deviceTaintEvictionController],
    dialect,
    ownAccounts: true,
    gateEnabled: () => isOn,
    serverFlags: [
      "--disable-admission-plugins=ServiceAccount",
      "--feature-gates=DRADeviceTaints=true",
      `--runtime-config=${namesFor(dialect).group("resource")}/v1alpha3=true`,
    ],
  });
  const { client, clock, eventually } = world;
  const { resourceClaims, resourceSlices, deviceClasses } = client.devices.v1;
  const pods = client.core.v1.pods("default");
  return {
    ...world,
    rules: client.devices.v1alpha3.deviceTaintRules(),
    classes: deviceClasses(),
    makeSlice: (...devices: string[]) =>
      resourceSlices().create({
        metadata: { name: "s" },
        spec: {
          driver: DRIVER,
          pool: { name: "p", generation: 1, resourceSliceCount: 1 },
          nodeName: "n",
          devices: devices.map((name) => ({ name, attributes: { model: { string: name } } })),
        },
      }),
    taint: (device: string, key: string) =>
      resourceSlices().modify("s", (slice) => {
        slice.spec.pool.generation += 1;
        const found = slice.spec.devices!.find(({ name }) => name === device)!;
        found.taints = key === "" ? [] : [{ key, effect: "NoExecute", timeAdded: timeOfMs(clock.nowMs()) }];
      }),
    /** On the node, with a claim of the same name to which the device is given. */
    async makePod(name: string, device: string, tolerations: DeviceToleration[] = []) {
      const claims = resourceClaims("default");
      const request = { name: "r", exactly: { deviceClassName: "gpu", tolerations } };
      await claims.create({ metadata: { name }, spec: { devices: { requests: [request] } } });
      const { metadata } = await pods.create({
        metadata: { name },
        spec: {
          nodeName: "n",
          resourceClaims: [{ name: "gpu", resourceClaimName: name }],
          containers: [{ name: "c", image: "i" }],
        },
      });
      const result = { request: "r", driver: DRIVER, pool: "p", device, tolerations };
      await claims.status.modify(name, (claim) => {
        claim.status = {
          allocation: { devices: { results: [result] } },
          reservedFor: [{ resource: "pods", name, uid: metadata.uid }],
        };
      });
    },
    isGoing: async (name: string) => (await pods.find(name))?.metadata.deletionTimestamp !== undefined,
    pod: (name: string) => pods.get(name),
    events: async () => (await client.core.v1.events("default").list()).items,
    async settle() {
      for (let turn = 0; turn < 10; turn += 1) await nextTurn();
      await eventually(() => expect(world.manager.busy).toBe(false));
    },
  };
}

const forSeconds = (tolerationSeconds: number): DeviceToleration[] => [
  { key: "sick", operator: "Exists", effect: "NoExecute", tolerationSeconds },
];

describe.each(DIALECTS)("on a server of the dialect %s", (dialect) => {
  it("pods leave a device that its driver taints: at once, in their time, or not", async () => {
    const { makeSlice, makePod, taint, isGoing, pod, events, clock, eventually, settle, refused } =
      await start(dialect);
    await makeSlice("a", "b");
    await makePod("now", "a");
    await makePod("later", "a", forSeconds(60));
    await makePod("other", "b");
    await settle();
    await taint("a", "sick");
    await eventually(async () => expect(await isGoing("now")).toBe(true));
    expect((await pod("now")).status.conditions).toContainEqual(
      expect.objectContaining({
        type: "DisruptionTarget",
        status: "True",
        reason: "DeletionByDeviceTaintManager",
        message: "Device Taint manager: deleting due to NoExecute taint",
      }),
    );
    await clock.advance(50_000);
    await settle();
    expect(await isGoing("later")).toBe(false);
    await clock.advance(11_000);
    await eventually(async () => expect(await isGoing("later")).toBe(true));
    await eventually(async () => {
      const told = (await events()).map(({ reason, message }) => `${reason}: ${message}`);
      expect(told).toEqual(Array(2).fill("DeviceTaintManagerEviction: Marking for deletion"));
    });
    expect([await isGoing("other"), refused]).toEqual([false, []]);
  });

  it("a rule taints devices that it selects, until it goes", async () => {
    const { makeSlice, makePod, rules, classes, isGoing, events, clock, eventually, settle } = await start(dialect);
    await makeSlice("a", "b");
    await classes.create({
      metadata: { name: "class-a" },
      spec: { selectors: [{ cel: { expression: `device.attributes["${DRIVER}"].model == "a"` } }] },
    });
    await makePod("of-a", "a", forSeconds(60));
    await makePod("of-b", "b", forSeconds(60));
    const taint = { key: "sick", effect: "NoExecute" as const };
    await rules.create({ metadata: { name: "nobody" }, spec: { taint } });
    await rules.create({ metadata: { name: "cls" }, spec: { deviceSelector: { deviceClassName: "class-a" }, taint } });
    await settle();
    await rules.delete("cls");
    await eventually(async () => {
      const told = (await events()).map(({ message, involvedObject }) => `${message} ${involvedObject.name}`);
      expect(told).toEqual(["Cancelling deletion of-a"]);
    });
    await rules.create({ metadata: { name: "all" }, spec: { deviceSelector: { driver: DRIVER }, taint } });
    await settle();
    await clock.advance(61_000);
    await eventually(async () => expect([await isGoing("of-a"), await isGoing("of-b")]).toEqual([true, true]));
  });
});

it("without the gate nobody leaves", async () => {
  const { makeSlice, makePod, taint, isGoing, settle } = await start("platform", false);
  await makeSlice("a");
  await makePod("p", "a");
  await taint("a", "sick");
  await settle();
  expect(await isGoing("p")).toBe(false);
});
