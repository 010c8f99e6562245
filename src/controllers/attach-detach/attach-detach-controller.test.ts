// The controller on a whole server, with the rights of its own role.

import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { attachDetachController } from "./attach-detach-controller.ts";

describe.each(DIALECTS)("on a server of the dialect %s", (dialect) => {
  it("volumes of pods are attached, nodes are told, and one node at a time has them", async () => {
    const { client, eventually, restart, refused, close } = await controllersInProcess({
      definitions: [attachDetachController],
      dialect,
      ownAccounts: true,
      serverFlags: ["--disable-admission-plugins=ServiceAccount"],
    });
    const { names } = client;
    const nodes = client.core.v1.nodes();
    for (const name of ["a", "b"])
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
    const makePod = (name: string, nodeName: string) =>
      pods.create({
        metadata: { name },
        spec: {
          nodeName,
          containers: [{ name: "c", image: "i" }],
          volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
        },
      });
    const attachments = client.storage.v1.volumeAttachments();
    const holders = async () => (await attachments.list()).items.map(({ spec }) => spec.nodeName);
    await makePod("first", "a");
    await eventually(async () => expect(await holders()).toEqual(["a"]));
    const [made] = (await attachments.list()).items;
    expect(made).toMatchObject({ spec: { attacher: "disk.acme.io", source: { persistentVolumeName: "disk" } } });
    await attachments.status.patch(made!.metadata.name, { merge: { status: { attached: true } } });
    const attachedTo = async (node: string) => (await nodes.get(node)).status?.volumesAttached?.map(({ name }) => name);
    const uniqueName = `${names.csiVolumePrefix}disk.acme.io^h`;
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
