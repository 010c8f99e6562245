// The controller on a whole server, with the rights of its own role.

import { describe, expect, it } from "vitest";
import type { Client } from "../../client/client.ts";
import { DIALECTS } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { Meanwhile } from "../meanwhile.testing.ts";
import { attachDetachController } from "./attach-detach-controller.ts";

const WITHOUT_ACCOUNTS = ["--disable-admission-plugins=ServiceAccount"];

/** Nodes with volumes from here, a volume with its claim, and who makes pods that use it. */
async function disk(client: Client, nodeNames: readonly string[]) {
  const { names } = client;
  const nodes = client.core.v1.nodes();
  for (const name of nodeNames)
    await nodes.create({ metadata: { name, annotations: { [names.managedAttachAnnotation]: "true" } } });
  const claim = await client.core.v1.persistentVolumeClaims("default").create({
    metadata: { name: "data" },
    spec: {
      volumeName: "disk",
      storageClassName: "",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
    },
  });
  await client.core.v1.persistentVolumes().create({
    metadata: { name: "disk" },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      csi: { driver: "disk.acme.io", volumeHandle: "h" },
      claimRef: { namespace: "default", name: "data", uid: claim.metadata.uid },
    },
  });
  const pods = client.core.v1.pods("default");
  const attachments = client.storage.v1.volumeAttachments();
  return {
    nodes,
    pods,
    attachments,
    uniqueName: `${names.csiVolumePrefix}disk.acme.io^h`,
    makePod: (name: string, nodeName: string) =>
      pods.create({
        metadata: { name },
        spec: {
          nodeName,
          containers: [{ name: "c", image: "i" }],
          volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
        },
      }),
    holders: async () => (await attachments.list()).items.map(({ spec }) => spec.nodeName),
    attachedTo: async (node: string) => (await nodes.get(node)).status?.volumesAttached?.map(({ name }) => name),
  };
}

describe.each(DIALECTS)("on a server of the dialect %s", (dialect) => {
  it("volumes of pods are attached, nodes are told, and one node at a time has them", async () => {
    const { client, eventually, restart, refused, close } = await controllersInProcess({
      definitions: [attachDetachController],
      dialect,
      ownAccounts: true,
      serverFlags: WITHOUT_ACCOUNTS,
    });
    const { nodes, pods, attachments, makePod, holders, attachedTo, uniqueName } = await disk(client, ["a", "b"]);
    await makePod("first", "a");
    await eventually(async () => expect(await holders()).toEqual(["a"]));
    const [made] = (await attachments.list()).items;
    expect(made).toMatchObject({ spec: { attacher: "disk.acme.io", source: { persistentVolumeName: "disk" } } });
    await attachments.status.patch(made!.metadata.name, { merge: { status: { attached: true } } });
    await eventually(async () => expect(await attachedTo("a")).toEqual([uniqueName]));
    await makePod("second", "b");
    await eventually(async () => {
      const { items } = await client.core.v1.events("default").list();
      expect(items.map(({ reason }) => reason).sort()).toEqual(["FailedAttachVolume", "SuccessfulAttachVolume"]);
    });
    expect(await holders()).toEqual(["a"]);
    await nodes.status.patch("a", { merge: { status: { volumesInUse: [uniqueName] } } });
    await restart();
    await pods.delete("first", { gracePeriodSeconds: 0 });
    await nodes.status.patch("a", { merge: { status: { volumesInUse: null } } });
    await eventually(async () => expect(await holders()).toEqual(["b"]));
    await eventually(async () => expect(await attachedTo("a")).toBeUndefined());
    expect(refused).toEqual([]);
    await close();
  });
});

describe("a volume", () => {
  it("stays where a node has just begun to use it, though nobody seemed to", async () => {
    const meanwhile = new Meanwhile();
    const { client, clock, eventually, close } = await controllersInProcess({
      definitions: [attachDetachController],
      serverFlags: WITHOUT_ACCOUNTS,
      between: meanwhile.between,
    });
    const { nodes, pods, attachments, makePod, holders, attachedTo, uniqueName } = await disk(client, ["a"]);
    await makePod("first", "a");
    await eventually(async () => expect(await holders()).toEqual(["a"]));
    const [made] = (await attachments.list()).items;
    await attachments.status.patch(made!.metadata.name, { merge: { status: { attached: true } } });
    await eventually(async () => expect(await attachedTo("a")).toEqual([uniqueName]));
    const isAboutToDetach = meanwhile.before(
      ({ method, path }) => method === "DELETE" || (method === "PATCH" && path.includes("/nodes/a/status")),
      async () => {
        await nodes.status.patch("a", { merge: { status: { volumesInUse: [uniqueName] } } });
      },
    );
    await pods.delete("first", { gracePeriodSeconds: 0 });
    await isAboutToDetach;
    await eventually(async () => expect(await attachedTo("a")).toEqual([uniqueName]));
    for (let i = 0; i < 10; i += 1) await clock.advance(1_000);
    expect(await holders()).toEqual(["a"]);
    expect((await attachments.list()).items[0]!.metadata.deletionTimestamp).toBeUndefined();
    await nodes.status.patch("a", { merge: { status: { volumesInUse: null } } });
    await eventually(async () => expect(await holders()).toEqual([]));
    await close();
  });

  it("stays with a node whose object is gone, until its pods have ended", async () => {
    const { client, clock, eventually, close } = await controllersInProcess({
      definitions: [attachDetachController],
      serverFlags: WITHOUT_ACCOUNTS,
    });
    const { nodes, pods, makePod, holders } = await disk(client, ["a", "b"]);
    await makePod("first", "a");
    await eventually(async () => expect(await holders()).toEqual(["a"]));
    await nodes.delete("a");
    await makePod("second", "b");
    for (let i = 0; i < 10; i += 1) await clock.advance(1_000);
    expect(await holders()).toEqual(["a"]);
    await pods.delete("first", { gracePeriodSeconds: 0 });
    await eventually(async () => expect(await holders()).toEqual(["b"]));
    await close();
  });
});
