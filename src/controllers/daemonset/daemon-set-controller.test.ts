// DaemonSets against a whole server. The tests stand in for the scheduler and the nodes.

import { afterEach, describe, expect, it } from "vitest";
import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { DaemonSet } from "../../kinds/apps/daemon-set.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import { DIALECTS, type Dialect } from "../../meta/names.ts";
import {
  type ControllersInProcess,
  type ControllersInProcessOptions,
  controllersInProcess,
} from "../controllers.testing.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { isReady } from "../pods-of-owner/pod-state.ts";
import { makeReady } from "../pods-of-owner/pods.testing.ts";
import { targetNode } from "./daemon-pod.ts";
import { daemonSetController } from "./daemon-set-controller.ts";

let world: ControllersInProcess;
afterEach(() => world.close());

const BROKEN = "broken";
const imageOf = (object: { spec: { containers: { image?: string }[] | null } }) => object.spec.containers?.[0]?.image;

/** Binds every pod to the node that it was made for, makes it ready there, and ends it when it is told to. */
const nodesAndScheduler: ControllerDefinition = {
  name: "test-nodes",
  build({ client, informers, clock }) {
    const pods = informers.of(kinds.core.v1.pods);
    return {
      watch: (queue) => void pods.addHandlers(enqueueItself(queue)),
      async reconcile(key) {
        const pod = pods.cache.get(key);
        if (pod === undefined) return done;
        const { namespace, name, deletionTimestamp } = pod.metadata;
        const live = client.core.v1.pods(namespace);
        try {
          if (deletionTimestamp !== undefined) await live.delete(name, { gracePeriodSeconds: 0 });
          else if (!pod.spec.nodeName) await live.bind(name, targetNode(pod) ?? "");
          else if (imageOf(pod) !== BROKEN && !isReady(pod) && pod.status.phase === "Pending")
            await makeReady(client, pod, clock.nowMs());
        } catch (error) {
          if (!isApiError(error, "NotFound", "Conflict")) throw error;
        }
        return done;
      },
    };
  },
};

async function start(dialect: Dialect = "platform", options: Pick<ControllersInProcessOptions, "fault"> = {}) {
  world = await controllersInProcess({
    ...options,
    definitions: [daemonSetController, nodesAndScheduler],
    dialect,
    serverFlags: ["--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"],
  });
  const { client, eventually } = world;
  const sets = client.apps.v1.daemonSets("default");
  const pods = client.core.v1.pods("default");
  const nodes = client.core.v1.nodes();
  /** The image on each node. */
  const images = async () =>
    Object.fromEntries((await pods.list()).items.map((pod) => [targetNode(pod), imageOf(pod)]));
  return {
    ...world,
    sets,
    pods,
    nodes,
    images,
    addNode: (
      name: string,
      labels: Record<string, string> = {},
      taints: { key: string; effect: "NoSchedule" | "NoExecute" }[] = [],
    ) => nodes.create({ metadata: { name, labels }, spec: { taints } }),
    create: (spec: Draft<DaemonSet["spec"]> = {}, nodeSelector?: Record<string, string>) =>
      sets.create({
        metadata: { name: "ds" },
        spec: {
          selector: { matchLabels: { app: "ds" } },
          template: {
            metadata: { labels: { app: "ds" } },
            spec: { containers: [{ name: "c", image: "v1" }], ...(nodeSelector === undefined ? {} : { nodeSelector }) },
          },
          ...spec,
        },
      }),
    setImage: (image: string) =>
      sets.patch("ds", { strategic: { spec: { template: { spec: { containers: [{ name: "c", image }] } } } } }),
    runs: (wanted: Record<string, string>) => eventually(async () => expect(await images()).toEqual(wanted)),
    status: async () => (await sets.get("ds")).status,
    settled: () => eventually(() => expect(world.manager.busy).toBe(false)),
    reasons: async () => (await client.core.v1.events("default").list()).items.map(({ reason }) => reason),
  };
}

describe.each(DIALECTS)("a DaemonSet of the dialect %s", (dialect) => {
  it("runs on every node, rolls on and back, and follows nodes", async () => {
    const { addNode, create, runs, setImage, eventually, status, client, nodes } = await start(dialect);
    await addNode("a");
    await addNode("b");
    await create();
    await runs({ a: "v1", b: "v1" });
    await eventually(async () =>
      expect(await status()).toMatchObject({
        desiredNumberScheduled: 2,
        currentNumberScheduled: 2,
        numberReady: 2,
        numberAvailable: 2,
        updatedNumberScheduled: 2,
        observedGeneration: 1,
      }),
    );
    await addNode("c");
    await runs({ a: "v1", b: "v1", c: "v1" });
    await setImage("v2");
    await runs({ a: "v2", b: "v2", c: "v2" });
    await eventually(async () =>
      expect(await status()).toMatchObject({ updatedNumberScheduled: 3, observedGeneration: 2 }),
    );
    await setImage("v1");
    await runs({ a: "v1", b: "v1", c: "v1" });
    const revisions = (await client.apps.v1.controllerRevisions("default").list()).items;
    expect(revisions.map(({ revision }) => Number(revision)).sort()).toEqual([2, 3]);
    await nodes.patch("b", { merge: { spec: { taints: [{ key: "x", effect: "NoExecute" }] } } });
    await runs({ a: "v1", c: "v1" });
  });
});

describe("a DaemonSet", () => {
  it("runs where its selector and its tolerations allow it", async () => {
    const { addNode, create, runs, nodes, settled, images } = await start();
    await addNode("plain");
    await addNode("disk", { disk: "ssd" });
    await addNode("closed", { disk: "ssd" }, [{ key: "x", effect: "NoSchedule" }]);
    await create({}, { disk: "ssd" });
    await runs({ disk: "v1" });
    await settled();
    expect(await images()).toEqual({ disk: "v1" });
    await nodes.patch("plain", { merge: { metadata: { labels: { disk: "ssd" } } } });
    await runs({ disk: "v1", plain: "v1" });
    await nodes.patch("disk", { merge: { metadata: { labels: { disk: null } } } });
    await runs({ plain: "v1" });
  });

  it("ends what has to go although it can make nothing new", async () => {
    let isFull = false;
    const { addNode, create, runs, nodes } = await start("platform", {
      fault: ({ method, path }) => (isFull && method === "POST" && path.includes("/pods") ? 403 : undefined),
    });
    await addNode("old", { disk: "ssd" });
    await addNode("new");
    await create({}, { disk: "ssd" });
    await runs({ old: "v1" });
    isFull = true;
    await nodes.patch("new", { merge: { metadata: { labels: { disk: "ssd" } } } });
    await nodes.patch("old", { merge: { metadata: { labels: { disk: null } } } });
    await runs({});
    isFull = false;
    await runs({ new: "v1" });
  });

  it("runs on all other nodes although one of them may have no pod", async () => {
    const isFor = (node: string, body: unknown) => String(body).includes(`"values":["${node}"]`);
    const { addNode, create, runs, settled, images } = await start("platform", {
      fault: ({ method, path, body }) =>
        method === "POST" && path.endsWith("/pods") && isFor("a", body) ? 403 : undefined,
    });
    for (const name of ["a", "b", "c", "d"]) await addNode(name);
    await create();
    await runs({ b: "v1", c: "v1", d: "v1" });
    await settled();
    expect(Object.keys(await images()).sort()).toEqual(["b", "c", "d"]);
  });

  it("stops an update that does not get ready", async () => {
    const { addNode, create, runs, setImage, settled, images, eventually, status } = await start();
    for (const name of ["a", "b", "c"]) await addNode(name);
    await create();
    await runs({ a: "v1", b: "v1", c: "v1" });
    await eventually(async () => expect((await status()).numberAvailable).toBe(3));
    await setImage(BROKEN);
    await eventually(async () => expect(Object.values(await images())).toContain(BROKEN));
    await settled();
    expect(Object.values(await images()).filter((image) => image === BROKEN)).toHaveLength(1);
    await setImage("v3");
    await runs({ a: "v3", b: "v3", c: "v3" });
  });

  it("with a surge has a new pod before it ends the old one", async () => {
    const { addNode, create, runs, setImage, pods, eventually, status } = await start();
    await addNode("a");
    await create({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
    await runs({ a: "v1" });
    await eventually(async () => expect((await status()).numberAvailable).toBe(1));
    await setImage(BROKEN);
    await eventually(async () => expect((await pods.list()).items.map(imageOf).sort()).toEqual([BROKEN, "v1"]));
    await setImage("v2");
    await eventually(async () => expect((await pods.list()).items.map(imageOf)).toEqual(["v2"]));
  });

  it("replaces pods that fail, later and later", async () => {
    const { addNode, create, runs, pods, eventually, clock, settled, reasons } = await start();
    await addNode("a");
    await create();
    await runs({ a: "v1" });
    const fail = async () => {
      const [pod] = (await pods.list()).items;
      await pods.status.patch(pod!.metadata.name, { merge: { status: { phase: "Failed", conditions: null } } });
      return pod!.metadata.uid;
    };
    const first = await fail();
    const next = await eventually(async () => {
      const [pod] = (await pods.list()).items;
      expect(pod?.metadata.uid).toBeDefined();
      expect(pod?.metadata.uid).not.toBe(first);
      return pod!.metadata.uid;
    });
    await fail();
    await settled();
    expect((await pods.list()).items[0]?.metadata.uid).toBe(next);
    // Who sets the clock back makes nobody wait longer.
    clock.setTimeOfDay(-3_600_000);
    await clock.advance(1_100);
    await eventually(async () => expect((await pods.list()).items[0]?.metadata.uid).not.toBe(next));
    await eventually(async () => expect(await reasons()).toContain("FailedDaemonPod"));
  });

  it("waits for somebody to delete pods, where that is the strategy", async () => {
    const { addNode, create, runs, setImage, settled, images, pods, eventually, status } = await start();
    await addNode("a");
    await addNode("b");
    await create({ updateStrategy: { type: "OnDelete" } });
    await runs({ a: "v1", b: "v1" });
    await setImage("v2");
    await eventually(async () => expect((await status()).observedGeneration).toBe(2));
    await settled();
    expect(await images()).toEqual({ a: "v1", b: "v1" });
    const [pod] = (await pods.list()).items.filter((each) => targetNode(each) === "a");
    await pods.delete(pod!.metadata.name);
    await runs({ a: "v2", b: "v1" });
  });

  it("makes no pod twice, wherever it is cut off", async () => {
    const { addNode, create, runs, restart, pods, setImage } = await start();
    for (const name of ["a", "b", "c", "d"]) await addNode(name);
    await create();
    await restart();
    await restart();
    await runs({ a: "v1", b: "v1", c: "v1", d: "v1" });
    expect((await pods.list()).items).toHaveLength(4);
    await setImage("v2");
    await restart();
    await runs({ a: "v2", b: "v2", c: "v2", d: "v2" });
    expect((await pods.list()).items).toHaveLength(4);
  });

  it("leaves pods alone that are not its own", async () => {
    const { addNode, create, runs, pods } = await start();
    await addNode("a");
    const other = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "x", uid: "x", controller: true };
    await pods.create({
      metadata: { name: "other", labels: { app: "ds" }, ownerReferences: [other] },
      spec: { nodeName: "zzz", containers: [{ name: "c", image: "x" }] },
    });
    await create();
    await runs({ a: "v1", zzz: "x" });
  });
});
