import { describe, expect, it } from "vitest";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { DIALECTS } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { testPod } from "../pods-of-owner/pods.testing.ts";
import { classesOfClaim, judgeProtection, podUsesClaim } from "./judge-protection.ts";
import { attributesClassProtection, claimProtection, volumeProtection } from "./storage-protection.ts";

describe("the finalizer", () => {
  const cases: [metadata: Parameters<typeof judgeProtection>[0], verdict: string][] = [
    [{}, "add"],
    [{ finalizers: ["other"] }, "add"],
    [{ finalizers: ["own"] }, "keep"],
    [{ finalizers: ["other", "own"], deletionTimestamp: "t" }, "ask"],
    [{ finalizers: ["other"], deletionTimestamp: "t" }, "keep"],
  ];
  it.each(cases)("of %j: %s", (metadata, verdict) => expect(judgeProtection(metadata, "own")).toBe(verdict));
});

describe("a pod uses a claim", () => {
  const claim = (name: string, owner?: string) =>
    ({
      metadata: {
        name,
        namespace: "default",
        ...(owner === undefined
          ? {}
          : { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: owner, controller: true }] }),
      },
      spec: {},
      status: {},
    }) as unknown as PersistentVolumeClaim;
  const pod = (volume: object, parts: Parameters<typeof testPod>[0] = { nodeName: "n" }, metadata: object = {}) => {
    const base = testPod(parts);
    return {
      ...base,
      metadata: { ...base.metadata, ...metadata },
      spec: { ...base.spec, volumes: [{ name: "v", ...volume }] },
    } as Pod;
  };
  const named = { persistentVolumeClaim: { claimName: "c" } };
  const ephemeral = { ephemeral: {} };
  const shutDown = { deletionTimestamp: "t", deletionGracePeriodSeconds: 0 };
  const cases: [what: string, of: Pod, to: PersistentVolumeClaim, uses: boolean][] = [
    ["that it names", pod(named), claim("c"), true],
    ["not another", pod(named), claim("d"), false],
    ["not before it has a node", pod(named, {}), claim("c"), false],
    ["not from another namespace", pod(named, { nodeName: "n" }, { namespace: "other" }), claim("c"), false],
    ["after its end too", pod(named, { nodeName: "n", phase: "Succeeded" }), claim("c"), true],
    ["that was made for it", pod(ephemeral), claim("p-v", "uid-p"), true],
    ["not one of that name that was not made for it", pod(ephemeral), claim("p-v"), false],
    ["not one that was made for an earlier pod", pod(ephemeral), claim("p-v", "other"), false],
    ["made for it until it is shut down", pod(ephemeral, { nodeName: "n" }, shutDown), claim("p-v", "uid-p"), false],
    ["not through other volumes", pod({ emptyDir: {} }), claim("c"), false],
  ];
  it.each(cases)("%s", (_, of, to, uses) => expect(podUsesClaim(of, to)).toBe(uses));
});

it("a claim has the attribute classes that it wants, has, and is on its way to", () => {
  const claim = {
    spec: { volumeAttributesClassName: "a" },
    status: { currentVolumeAttributesClassName: "b", modifyVolumeStatus: { targetVolumeAttributesClassName: "a" } },
  };
  expect(classesOfClaim(claim as unknown as PersistentVolumeClaim)).toEqual(["a", "b"]);
});

it.each(DIALECTS)("what is used stays until nobody uses it, in the dialect %s", async (dialect) => {
  const { client, eventually, restart, close } = await controllersInProcess({
    definitions: [claimProtection, volumeProtection, attributesClassProtection],
    dialect,
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
  });
  const { names } = client;
  const claims = client.core.v1.persistentVolumeClaims("default");
  const volumes = client.core.v1.persistentVolumes();
  const classes = client.storage.v1.volumeAttributesClasses();
  const pods = client.core.v1.pods("default");
  const gone = (find: () => Promise<unknown>) => eventually(async () => expect(await find()).toBeUndefined());

  await classes.create({ metadata: { name: "fast" }, driverName: "example.com", parameters: { iops: "1" } });
  await claims.create({
    metadata: { name: "data" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      volumeAttributesClassName: "fast",
    },
  });
  await volumes.create({
    metadata: { name: "disk" },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
  });
  await volumes.status.patch("disk", { merge: { status: { phase: "Bound" } } });
  await eventually(async () => {
    expect((await claims.get("data")).metadata.finalizers).toEqual([names.pvcProtectionFinalizer]);
    expect((await volumes.get("disk")).metadata.finalizers).toEqual([names.pvProtectionFinalizer]);
    expect((await classes.get("fast")).metadata.finalizers).toEqual([names.vacProtectionFinalizer]);
  });
  await pods.create({
    metadata: { name: "user" },
    spec: {
      nodeName: "n",
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
    },
  });

  await classes.delete("fast");
  await volumes.delete("disk");
  await claims.delete("data");
  await restart();
  // One that nobody uses shows that all have been looked at.
  await claims.create({
    metadata: { name: "unused" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await claims.delete("unused");
  await gone(() => claims.find("unused"));
  expect(await claims.find("data")).toBeDefined();
  expect(await volumes.find("disk")).toBeDefined();
  expect(await classes.find("fast")).toBeDefined();

  await volumes.status.patch("disk", { merge: { status: { phase: "Released" } } });
  await gone(() => volumes.find("disk"));
  await pods.delete("user", { gracePeriodSeconds: 0 });
  await gone(() => claims.find("data"));
  await gone(() => classes.find("fast"));
  await close();
});
