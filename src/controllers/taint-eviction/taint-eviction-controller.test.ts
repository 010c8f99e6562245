// The controller on a whole server, with the clock in hand. Requirements: document 3, "States and transitions".

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nextTurn } from "../../base/next-turn.ts";
import { DIALECTS } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { taintEvictionController } from "./taint-eviction-controller.ts";

describe.each(DIALECTS)("on a server of the dialect %s", (dialect) => {
  let started: ControllersInProcess;
  beforeEach(async () => {
    const serverFlags = ["--disable-admission-plugins=ServiceAccount"];
    started = await controllersInProcess({ definitions: [taintEvictionController], dialect, serverFlags });
    await started.client.core.v1.nodes().create({ metadata: { name: "n" } });
  });
  afterEach(() => started.close());

  const makePod = (name: string, tolerationSeconds?: number) => {
    const tolerations =
      tolerationSeconds === undefined
        ? []
        : [{ key: "gone", operator: "Exists" as const, effect: "NoExecute" as const, tolerationSeconds }];
    return started.client.core.v1
      .pods("default")
      .create({ metadata: { name }, spec: { nodeName: "n", tolerations, containers: [{ name: "c", image: "i" }] } });
  };
  const taint = (taints: { key: string; effect: "NoExecute"; timeAdded?: string }[]) =>
    started.client.core.v1.nodes().patch("n", { merge: { spec: { taints } } });
  const isGoing = async (name: string) =>
    (await started.client.core.v1.pods("default").find(name))?.metadata.deletionTimestamp !== undefined;
  const settle = async () => {
    // What was just written has to reach the controller first.
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    await started.eventually(() => expect(started.manager.busy).toBe(false));
  };

  it("pods that do not tolerate a taint go at once, with a reason; others in their time", async () => {
    const { client, clock, eventually } = started;
    await makePod("now");
    await makePod("later", 60);
    await taint([{ key: "gone", effect: "NoExecute" }]);
    await eventually(async () => expect(await isGoing("now")).toBe(true));
    const { status } = await client.core.v1.pods("default").get("now");
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: "DisruptionTarget",
        status: "True",
        reason: "DeletionByTaintManager",
        observedGeneration: 1,
      }),
    );
    await clock.advance(50_000);
    await settle();
    expect(await isGoing("later")).toBe(false);
    await clock.advance(11_000);
    await eventually(async () => expect(await isGoing("later")).toBe(true));
    await eventually(async () => {
      const { items } = await client.core.v1.events("default").list();
      expect(items.filter(({ reason }) => reason === "TaintManagerEviction")).toHaveLength(2);
    });
  });

  it("pods that were there before their node go, too", async () => {
    const { client, eventually } = started;
    await client.core.v1.pods("default").create({
      metadata: { name: "early" },
      spec: { nodeName: "late", containers: [{ name: "c", image: "i" }] },
    });
    await settle();
    await client.core.v1
      .nodes()
      .create({ metadata: { name: "late" }, spec: { taints: [{ key: "gone", effect: "NoExecute" }] } });
    await eventually(async () => expect(await isGoing("early")).toBe(true));
  });

  it("a taint that goes lets pods stay", async () => {
    const { client, clock, eventually } = started;
    await makePod("p", 60);
    await taint([{ key: "gone", effect: "NoExecute" }]);
    await settle();
    await taint([]);
    await eventually(async () => {
      const { items } = await client.core.v1.events("default").list();
      expect(items.map(({ message }) => message)).toEqual(["Cancelling deletion of Pod default/p"]);
    });
    await clock.advance(120_000);
    await settle();
    expect(await isGoing("p")).toBe(false);
  });

  it("a restart does not give pods more time than they tolerate", async () => {
    const { clock, eventually, restart } = started;
    await makePod("p", 60);
    await taint([{ key: "gone", effect: "NoExecute", timeAdded: timeOfMs(clock.nowMs()) }]);
    await settle();
    await clock.advance(50_000);
    await restart();
    await clock.advance(12_000);
    await eventually(async () => expect(await isGoing("p")).toBe(true));
  });
});
