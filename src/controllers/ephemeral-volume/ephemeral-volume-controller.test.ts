import { expect, it } from "vitest";
import { DIALECTS } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { ephemeralVolumeController } from "./ephemeral-volume-controller.ts";

const claimSpec = {
  accessModes: ["ReadWriteOnce" as const],
  storageClassName: "man",
  resources: { requests: { storage: "1Gi" } },
};
const podOf = (name: string) => ({
  metadata: { name },
  spec: {
    containers: [{ name: "c", image: "i" }],
    volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { metadata: { labels: { q: "1" } }, spec: claimSpec } } }],
  },
});

it.each(DIALECTS)("pods get the claims of their ephemeral volumes, in the dialect %s", async (dialect) => {
  const { client, eventually, refused, close } = await controllersInProcess({
    definitions: [ephemeralVolumeController],
    dialect,
    ownAccounts: true,
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
  });
  const pods = client.core.v1.pods("default");
  const claims = client.core.v1.persistentVolumeClaims("default");
  await claims.create({ metadata: { name: "taken-v" }, spec: claimSpec });
  const { metadata } = await pods.create(podOf("p"));
  await pods.create(podOf("taken"));

  const made = await eventually(() => claims.get("p-v"));
  expect(made.metadata.labels).toEqual({ q: "1" });
  expect(made.metadata.ownerReferences).toMatchObject([
    { apiVersion: "v1", kind: "Pod", name: "p", uid: metadata.uid, controller: true, blockOwnerDeletion: true },
  ]);
  expect(made.spec).toMatchObject(claimSpec);

  const foreign = "ephemeral volume v: PVC default/taken-v was not created for pod default/taken (pod is not owner)";
  await eventually(async () => {
    const { items } = await client.core.v1.events("default").list();
    expect(items.map(({ reason, message, source }) => [reason, message, source?.component])).toContainEqual([
      "FailedBinding",
      foreign,
      "ephemeral_volume",
    ]);
  });
  expect((await claims.get("taken-v")).metadata.ownerReferences).toBeUndefined();

  await claims.modify("p-v", (claim) => {
    claim.metadata.finalizers = [];
  });
  await claims.delete("p-v");
  await eventually(async () => expect((await claims.get("p-v")).metadata.uid).not.toBe(made.metadata.uid));
  expect(refused).toEqual([]);
  await close();
});
