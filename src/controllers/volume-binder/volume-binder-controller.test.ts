// Claims and volumes against a whole server.

import { expect, it } from "vitest";
import { DIALECTS } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { volumeExpanderController } from "../volume-expander/volume-expander-controller.ts";
import { volumeBinderController } from "./volume-binder-controller.ts";

const access = { accessModes: ["ReadWriteOnce" as const] };
const asked = (storageClassName: string) => ({
  ...access,
  storageClassName,
  resources: { requests: { storage: "1Gi" } },
});
const disk = (size: string, storageClassName: string) => ({
  ...access,
  capacity: { storage: size },
  storageClassName,
  hostPath: { path: "/x" },
});

it.each(DIALECTS)("claims get volumes, and volumes are released, in the dialect %s", async (dialect) => {
  const run = await controllersInProcess({
    definitions: [volumeBinderController, volumeExpanderController],
    dialect,
    ownAccounts: true,
  });
  const { client, eventually, refused, close } = run;
  const { names } = client;
  const volumes = client.core.v1.persistentVolumes();
  const claims = client.core.v1.persistentVolumeClaims("default");
  const phase = (name: string, expected: string) =>
    eventually(async () => expect((await volumes.get(name)).status.phase).toBe(expected));

  await claims.create({ metadata: { name: "early" }, spec: asked("man") });
  await volumes.create({ metadata: { name: "large" }, spec: disk("9Gi", "man") });
  await eventually(async () =>
    expect((await claims.get("early")).status).toMatchObject({ phase: "Bound", capacity: { storage: "9Gi" } }),
  );
  await phase("large", "Bound");

  const provisioner = "acme.io/csi";
  await client.storage.v1
    .storageClasses()
    .create({ metadata: { name: "man" }, provisioner, allowVolumeExpansion: true });
  await claims.patch("early", { merge: { spec: { resources: { requests: { storage: "20Gi" } } } } });
  await eventually(async () => {
    const { items } = await client.core.v1.events("default").list();
    expect(items.find(({ reason }) => reason === "ExternalExpanding")).toMatchObject({
      type: "Normal",
      message: "waiting for an external controller to expand this PVC",
      source: { component: "volume_expand" },
    });
  });

  await client.storage.v1.storageClasses().create({ metadata: { name: "made" }, provisioner: "acme.io/csi" });
  await claims.create({ metadata: { name: "made" }, spec: asked("made") });
  await eventually(async () =>
    expect((await claims.get("made")).metadata.annotations).toEqual({
      [names.storageProvisionerAnnotation]: "acme.io/csi",
      [names.betaStorageProvisionerAnnotation]: "acme.io/csi",
    }),
  );
  await eventually(async () => {
    const { items } = await client.core.v1.events("default").list();
    expect(items).toContainEqual(
      expect.objectContaining({
        reason: "ExternalProvisioning",
        source: expect.objectContaining({ component: "persistentvolume-controller" }),
      }),
    );
  });

  await run.restart();
  await claims.modify("early", (claim) => {
    claim.metadata.finalizers = [];
  });
  await claims.delete("early");
  await phase("large", "Released");
  await claims.create({ metadata: { name: "early" }, spec: asked("man") });
  await eventually(async () =>
    expect((await claims.get("early")).metadata.annotations).toMatchObject({
      [names.storageProvisionerAnnotation]: provisioner,
    }),
  );
  expect((await claims.get("early")).status.phase).toBe("Pending");

  const spec = { ...disk("1Gi", "gone"), persistentVolumeReclaimPolicy: "Delete" as const };
  await volumes.create({ metadata: { name: "gone" }, spec });
  await claims.create({ metadata: { name: "gone", finalizers: [] }, spec: asked("gone") });
  await phase("gone", "Bound");
  await claims.modify("gone", (claim) => {
    claim.metadata.finalizers = [];
  });
  await claims.delete("gone");
  await phase("gone", "Failed");
  expect((await volumes.get("gone")).status.message).toMatch(/^host_path deleter only supports/);

  // A folder is emptied by a pod, and free again; a pod of that name which somebody else made is not believed.
  const pods = client.core.v1.pods("default");
  const recycler = "recycler-for-reused";
  await client.core.v1.serviceAccounts("default").create({ metadata: { name: "default" } });
  await pods.create({ metadata: { name: recycler }, spec: { containers: [{ name: "c", image: "i" }] } });
  const reused = { ...disk("1Gi", "reused"), persistentVolumeReclaimPolicy: "Recycle" as const };
  await volumes.create({ metadata: { name: "reused" }, spec: reused });
  await claims.create({ metadata: { name: "reused" }, spec: asked("reused") });
  await phase("reused", "Bound");
  await claims.modify("reused", (claim) => {
    claim.metadata.finalizers = [];
  });
  await claims.delete("reused");
  await phase("reused", "Failed");
  expect((await volumes.get("reused")).status.message).toBe("Recycle failed: old recycler pod found, will retry later");
  await eventually(async () => expect(await pods.find(recycler)).toBeUndefined());
  await run.clock.advance(15_000);
  await eventually(async () => expect((await pods.get(recycler)).spec.restartPolicy).toBe("Never"));
  await pods.status.patch(recycler, { merge: { status: { phase: "Succeeded" } } });
  await phase("reused", "Available");
  const { spec: emptied, status } = await volumes.get("reused");
  expect([emptied.claimRef, status.message]).toEqual([undefined, undefined]);
  await eventually(async () => expect(await pods.find(recycler)).toBeUndefined());
  expect(refused).toEqual([]);
  await close();
});
