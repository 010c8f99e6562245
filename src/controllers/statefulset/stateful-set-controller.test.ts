// StatefulSets against a whole server. The tests stand in for the nodes and the garbage collector.

import { afterEach, describe, expect, it } from "vitest";
import type { StatefulSet } from "../../kinds/apps/stateful-set.ts";
import type { PodTemplateSpec } from "../../kinds/core/pod/template-schema.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import { DIALECTS, type Dialect } from "../../meta/names.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { makeReady, nodesWhere } from "../pods-of-owner/pods.testing.ts";
import { REVISION_LABEL } from "../revisions/revision.ts";
import { statefulSetController } from "./stateful-set-controller.ts";

let world: ControllersInProcess;
afterEach(() => world.close());

const BROKEN = "broken";
const imageOf = (object: { spec: { containers: { image?: string }[] | null } }) => object.spec.containers?.[0]?.image;

async function start(options: { dialect?: Dialect; nodes?: boolean; serverFlags?: string[] } = {}) {
  const nodes = nodesWhere((pod) => options.nodes !== false && imageOf(pod) !== BROKEN);
  world = await controllersInProcess({
    definitions: [statefulSetController, nodes],
    dialect: options.dialect ?? "platform",
    serverFlags: ["--disable-admission-plugins=ServiceAccount", ...(options.serverFlags ?? [])],
  });
  const { client, clock, eventually } = world;
  const sets = client.apps.v1.statefulSets("default");
  const pods = client.core.v1.pods("default");
  const claims = client.core.v1.persistentVolumeClaims("default");
  const images = async () =>
    Object.fromEntries((await pods.list()).items.map((pod) => [pod.metadata.name, imageOf(pod)]));
  return {
    ...world,
    sets,
    pods,
    claims,
    images,
    create: (spec: Draft<StatefulSet["spec"]> = {}, image = "v1") =>
      sets.create({
        metadata: { name: "web" },
        spec: {
          replicas: 3,
          serviceName: "web",
          selector: { matchLabels: { app: "web" } },
          template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image }] } },
          ...spec,
        },
      }),
    setImage: (image: string) =>
      sets.patch("web", { strategic: { spec: { template: { spec: { containers: [{ name: "c", image }] } } } } }),
    scale: (replicas: number) => sets.patch("web", { merge: { spec: { replicas } } }),
    podNames: async () => Object.keys(await images()).sort(),
    runs: (wanted: Record<string, string>) => eventually(async () => expect(await images()).toEqual(wanted)),
    status: async () => (await sets.get("web")).status,
    ready: async (name: string) => makeReady(client, await pods.get(name), clock.nowMs()),
    settled: () => eventually(() => expect(world.manager.busy).toBe(false)),
    revisions: async () =>
      (await client.apps.v1.controllerRevisions("default").list()).items
        .sort((a, b) => Number(a.revision) - Number(b.revision))
        .map(({ revision }) => Number(revision)),
    reasons: async () => {
      const { items } = await client.core.v1.events("default").list();
      return items.map(({ message }) => message);
    },
  };
}

const claimTemplate = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } },
};

describe.each(DIALECTS)("a StatefulSet of the dialect %s", (dialect) => {
  it("makes its pods one after the other, rolls on from the highest number, and rolls back", async () => {
    const { create, runs, setImage, eventually, status, sets, revisions, client, reasons, pods } = await start({
      dialect,
    });
    await create();
    await runs({ "web-0": "v1", "web-1": "v1", "web-2": "v1" });
    await eventually(async () =>
      expect(await status()).toMatchObject({ replicas: 3, readyReplicas: 3, availableReplicas: 3, updatedReplicas: 3 }),
    );
    const first = (await status()).updateRevision;
    expect((await pods.get("web-1")).metadata.labels).toMatchObject({
      [client.names.statefulPodNameLabel]: "web-1",
      [client.names.podIndexLabel]: "1",
      [REVISION_LABEL]: first,
    });
    await setImage("v2");
    await runs({ "web-0": "v2", "web-1": "v2", "web-2": "v2" });
    await eventually(async () => {
      const { currentRevision, updateRevision, observedGeneration, currentReplicas } = await status();
      expect(updateRevision).not.toBe(first);
      expect(currentRevision).toBe(updateRevision);
      expect(currentReplicas).toBe(3);
      expect(observedGeneration).toBe((await sets.get("web")).metadata.generation);
    });
    expect(await revisions()).toEqual([1, 2]);
    await setImage("v1");
    await runs({ "web-0": "v1", "web-1": "v1", "web-2": "v1" });
    // The revision that it has had is the newest now.
    expect(await revisions()).toEqual([2, 3]);
    await eventually(async () => expect((await status()).currentRevision).toBe(first));
    await eventually(async () => expect(await reasons()).toContain("create Pod web-0 in StatefulSet web successful"));
  });
});

describe("a StatefulSet", () => {
  it("waits for every pod before it makes the next", async () => {
    const { create, runs, podNames, ready, settled, scale } = await start({ nodes: false });
    await create();
    await runs({ "web-0": "v1" });
    await settled();
    expect(await podNames()).toEqual(["web-0"]);
    await ready("web-0");
    await runs({ "web-0": "v1", "web-1": "v1" });
    await scale(1);
    // One that is not ready may go when it is the last.
    await runs({ "web-0": "v1" });
  });

  it("that is parallel makes all at once", async () => {
    const { create, runs } = await start({ nodes: false });
    await create({ podManagementPolicy: "Parallel" });
    await runs({ "web-0": "v1", "web-1": "v1", "web-2": "v1" });
  });

  it("stops an update that does not get ready, and goes on when it is mended", async () => {
    const { create, runs, setImage, settled, images, pods, status, eventually } = await start();
    await create();
    await runs({ "web-0": "v1", "web-1": "v1", "web-2": "v1" });
    await eventually(async () => expect((await status()).readyReplicas).toBe(3));
    await setImage(BROKEN);
    await runs({ "web-0": "v1", "web-1": "v1", "web-2": BROKEN });
    await settled();
    expect(await images()).toEqual({ "web-0": "v1", "web-1": "v1", "web-2": BROKEN });
    await setImage("v3");
    // As upstream: what is broken has to be deleted by hand.
    await pods.delete("web-2");
    await runs({ "web-0": "v3", "web-1": "v3", "web-2": "v3" });
  });

  it("updates from the partition on", async () => {
    const { create, runs, setImage, sets, settled, images, eventually, status } = await start();
    await create({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } });
    await eventually(async () => expect((await status()).readyReplicas).toBe(3));
    await setImage("v2");
    await runs({ "web-0": "v1", "web-1": "v1", "web-2": "v2" });
    await settled();
    expect(await images()).toEqual({ "web-0": "v1", "web-1": "v1", "web-2": "v2" });
    await eventually(async () => expect(await status()).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 }));
    await sets.patch("web", { merge: { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } } });
    await runs({ "web-0": "v2", "web-1": "v2", "web-2": "v2" });
  });

  it("updates what somebody deletes, where that is the strategy", async () => {
    const { create, runs, setImage, settled, images, pods, eventually, status } = await start();
    await create({ replicas: 2, updateStrategy: { type: "OnDelete" } });
    await eventually(async () => expect((await status()).readyReplicas).toBe(2));
    await setImage("v2");
    await eventually(async () => expect((await status()).observedGeneration).toBe(2));
    await settled();
    expect(await images()).toEqual({ "web-0": "v1", "web-1": "v1" });
    await pods.delete("web-0");
    await runs({ "web-0": "v2", "web-1": "v1" });
  });

  it("gives every pod a claim of its own, and finds it again", async () => {
    const { create, runs, claims, scale, eventually, pods } = await start();
    await create({ replicas: 2, volumeClaimTemplates: [claimTemplate] });
    await runs({ "web-0": "v1", "web-1": "v1" });
    const names = async () => (await claims.list()).items.map(({ metadata }) => metadata.name).sort();
    expect(await names()).toEqual(["data-web-0", "data-web-1"]);
    expect((await claims.get("data-web-0")).metadata.labels).toEqual({ app: "web" });
    const { uid } = (await claims.get("data-web-1")).metadata;
    await scale(1);
    await runs({ "web-0": "v1" });
    expect(await names()).toEqual(["data-web-0", "data-web-1"]);
    await scale(2);
    await runs({ "web-0": "v1", "web-1": "v1" });
    expect((await claims.get("data-web-1")).metadata.uid).toBe(uid);
    expect((await pods.get("web-1")).spec.volumes?.[0]).toMatchObject({
      persistentVolumeClaim: { claimName: "data-web-1" },
    });
    await eventually(async () => expect((await claims.get("data-web-1")).metadata.ownerReferences).toBeUndefined());
  });

  it("tells of every claim that it cannot create, and why the pod does not come", async () => {
    const { create, client, eventually, podNames } = await start();
    await client.core.v1.resourceQuotas("default").create({
      metadata: { name: "none" },
      spec: { hard: { persistentvolumeclaims: "0" } },
      status: {},
    });
    await client.core.v1.resourceQuotas("default").status.patch("none", {
      merge: { status: { hard: { persistentvolumeclaims: "0" }, used: { persistentvolumeclaims: "0" } } },
    });
    await create({ volumeClaimTemplates: [claimTemplate, { ...claimTemplate, metadata: { name: "log" } }] });
    const refused = (claim: string) =>
      `persistentvolumeclaims "${claim}" is forbidden: exceeded quota: none, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=0, limited: persistentvolumeclaims=0`;
    await eventually(async () => {
      const { items } = await client.core.v1.events("default").list();
      expect(new Set(items.map(({ message }) => message))).toEqual(
        new Set([
          `create Claim data-web-0 for Pod web-0 in StatefulSet web failed error: ${refused("data-web-0")}`,
          `create Claim log-web-0 for Pod web-0 in StatefulSet web failed error: ${refused("log-web-0")}`,
          `create Pod web-0 in StatefulSet web failed error: [failed to create PVC data-web-0: ${refused("data-web-0")}, failed to create PVC log-web-0: ${refused("log-web-0")}]`,
        ]),
      );
    });
    expect(await podNames()).toEqual([]);
  });

  it("hands its claims to those that they shall go with", async () => {
    const { create, runs, claims, scale, eventually, sets, settled, podNames } = await start();
    await create({
      replicas: 2,
      volumeClaimTemplates: [claimTemplate],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
    });
    await runs({ "web-0": "v1", "web-1": "v1" });
    const { uid } = (await sets.get("web")).metadata;
    const owner = async (name: string) =>
      (await claims.get(name)).metadata.ownerReferences?.map(({ kind, uid }) => [kind, uid]);
    await eventually(async () => {
      expect(await owner("data-web-0")).toEqual([["StatefulSet", uid]]);
      expect(await owner("data-web-1")).toEqual([["StatefulSet", uid]]);
    });
    await scale(1);
    await runs({ "web-0": "v1" });
    expect((await owner("data-web-1"))?.[0]?.[0]).toBe("Pod");
    // Nobody collects garbage here: the next pod must not take a claim that is about to go.
    await scale(2);
    await settled();
    expect(await podNames()).toEqual(["web-0"]);
    await claims.patch("data-web-1", { merge: { metadata: { finalizers: null } } });
    await claims.delete("data-web-1");
    await runs({ "web-0": "v1", "web-1": "v1" });
  });

  it("makes a pod as soon as the claim of its name that ends is gone, however long that took", async () => {
    const { create, runs, claims, pods, clock, eventually, podNames } = await start();
    await create({ replicas: 1, volumeClaimTemplates: [claimTemplate] });
    await runs({ "web-0": "v1" });
    await claims.patch("data-web-0", { merge: { metadata: { finalizers: ["example.com/hold"] } } });
    await claims.delete("data-web-0");
    await pods.delete("web-0");
    await eventually(async () => expect(await podNames()).toEqual([]));
    // It is tried more and more rarely.
    for (let i = 0; i < 40; i += 1) await clock.advance(60_000);
    expect(await podNames()).toEqual([]);
    await claims.patch("data-web-0", { merge: { metadata: { finalizers: null } } });
    const goneMs = clock.nowMs();
    await runs({ "web-0": "v1" });
    expect(clock.nowMs() - goneMs).toBeLessThan(5_000);
  });

  it("makes the claim of a pod that waits anew when somebody deletes it", async () => {
    const { create, claims, eventually, settled, podNames } = await start({ nodes: false });
    await create({ replicas: 1, volumeClaimTemplates: [claimTemplate] });
    await eventually(async () => expect(await podNames()).toEqual(["web-0"]));
    await settled();
    const { uid } = (await claims.get("data-web-0")).metadata;
    await claims.patch("data-web-0", { merge: { metadata: { finalizers: null } } });
    await claims.delete("data-web-0");
    await eventually(async () => expect((await claims.get("data-web-0")).metadata.uid).not.toBe(uid));
  });

  it("that ends still says what it has", async () => {
    const { create, runs, sets, pods, status, eventually } = await start();
    await create({ replicas: 2 });
    await eventually(async () => expect(await status()).toMatchObject({ replicas: 2, availableReplicas: 2 }));
    await sets.patch("web", { merge: { metadata: { finalizers: ["example.com/hold"] } } });
    await sets.delete("web");
    await pods.delete("web-1");
    await eventually(async () => expect(await status()).toMatchObject({ replicas: 1, availableReplicas: 1 }));
    await runs({ "web-0": "v1" });
  });

  it("replaces pods that have failed, under the same name", async () => {
    const { create, runs, pods, eventually } = await start();
    await create({ replicas: 1 });
    await runs({ "web-0": "v1" });
    // Its node must not tell afterwards that it runs.
    await eventually(async () => expect((await pods.get("web-0")).status?.phase).toBe("Running"));
    const { uid } = (await pods.get("web-0")).metadata;
    await pods.status.patch("web-0", { merge: { status: { phase: "Failed" } } });
    await eventually(async () => expect((await pods.get("web-0")).metadata.uid).not.toBe(uid));
  });

  it("keeps as many old revisions as it is told", async () => {
    const { create, runs, setImage, revisions, eventually } = await start();
    await create({ replicas: 1, revisionHistoryLimit: 1 });
    for (const image of ["v1", "v2", "v3", "v4"]) {
      await setImage(image);
      await runs({ "web-0": image });
    }
    await eventually(async () => expect(await revisions()).toEqual([3, 4]));
  });

  it("takes in the pods and revisions that it finds, after a crash in the middle of an update", async () => {
    const { create, runs, setImage, restart, sets, client, eventually, revisions, pods } = await start();
    await create();
    await runs({ "web-0": "v1", "web-1": "v1", "web-2": "v1" });
    await setImage("v2");
    await restart();
    await runs({ "web-0": "v2", "web-1": "v2", "web-2": "v2" });
    await sets.delete("web", { propagationPolicy: "Orphan" });
    await sets.patch("web", { merge: { metadata: { finalizers: null } } });
    for (const pod of (await pods.list()).items)
      await pods.patch(pod.metadata.name, { merge: { metadata: { ownerReferences: null } } });
    const uids = (await pods.list()).items.map(({ metadata }) => metadata.uid).sort();
    for (const { metadata } of (await client.apps.v1.controllerRevisions("default").list()).items)
      await client.apps.v1
        .controllerRevisions("default")
        .patch(metadata.name, { merge: { metadata: { ownerReferences: null } } });
    await eventually(async () => expect(await sets.find("web")).toBeUndefined());
    await create({}, "v2");
    await eventually(async () => {
      const owners = (await pods.list()).items.map(({ metadata }) => metadata.ownerReferences?.[0]?.name);
      expect(owners).toEqual(["web", "web", "web"]);
    });
    expect((await pods.list()).items.map(({ metadata }) => metadata.uid).sort()).toEqual(uids);
    expect(await revisions()).toEqual([1, 2]);
  });

  it("does not roll for a default that the revision of its template was made without", async () => {
    const { create, runs, restart, revisions, client, status, pods, settled, setImage, eventually } = await start();
    await create({ replicas: 1 });
    await runs({ "web-0": "v1" });
    const name = await eventually(async () => {
      const { updateRevision } = await status();
      expect(updateRevision).toBeDefined();
      return updateRevision ?? "";
    });
    const uid = (await pods.get("web-0")).metadata.uid;
    await world.manager.stop();
    const all = client.apps.v1.controllerRevisions("default");
    const { metadata, revision, data } = await all.get(name);
    const older = JSON.parse(JSON.stringify(data)) as { spec: { template: PodTemplateSpec } };
    delete older.spec.template.spec.schedulerName;
    delete older.spec.template.spec.containers?.[0]?.terminationMessagePolicy;
    await all.delete(name);
    const { labels = {}, ownerReferences = [] } = metadata;
    await all.create({ metadata: { name, labels, ownerReferences }, revision, data: older as object });
    await restart();
    await settled();
    expect(await revisions()).toEqual([1]);
    expect((await status()).updateRevision).toBe(name);
    expect((await pods.get("web-0")).metadata.uid).toBe(uid);
    await setImage("v2");
    await runs({ "web-0": "v2" });
    expect(await revisions()).toEqual([1, 2]);
  });

  it("leaves a pod alone that has its name and is not its own", async () => {
    const { create, settled, pods, reasons } = await start();
    const { metadata } = await pods.create({
      metadata: { name: "web-0" },
      spec: { containers: [{ name: "c", image: "x" }] },
    });
    await create();
    await settled();
    expect((await pods.get("web-0")).metadata.uid).toBe(metadata.uid);
    expect((await pods.list()).items).toHaveLength(1);
    expect(await reasons()).toEqual([]);
  });

  it("with the gate takes as many as may be missing", async () => {
    const { create, images, setImage, eventually, status, settled } = await start({
      serverFlags: ["--feature-gates=MaxUnavailableStatefulSet=true"],
    });
    await create({ replicas: 4, updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } });
    await eventually(async () => expect((await status()).readyReplicas).toBe(4));
    await setImage(BROKEN);
    await eventually(async () =>
      expect(await images()).toMatchObject({ "web-0": "v1", "web-1": "v1", "web-2": BROKEN }),
    );
    await settled();
    expect(await images()).toMatchObject({ "web-0": "v1", "web-1": "v1", "web-2": BROKEN });
  });
});
