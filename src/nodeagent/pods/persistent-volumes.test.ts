import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PlayedDriver } from "../csi/played-driver.testing.ts";
import { NODE, RunningNode } from "./pod-runner.testing.ts";

const DRIVER = "disk.example.com";
let node: RunningNode;
let driver: PlayedDriver;
beforeEach(async () => {
  node = await RunningNode.start();
  driver = await PlayedDriver.start(node.root);
});
afterEach(async () => {
  await node.close();
  driver.close();
});

const REGISTERED = { supportedVersions: ["1.0.0"] };
const register = async (spec: object = {}) => {
  await node.api.client.storage.v1.csiDrivers().create({ metadata: { name: DRIVER }, spec });
  await node.csi.register({ ...REGISTERED, name: DRIVER, socketPath: driver.socketPath });
};

/** A claim with a volume, bound to each other as their controller would. */
async function bound(source: object, more: object = {}): Promise<void> {
  const { core } = node.api.client;
  const accessModes: ["ReadWriteOnce"] = ["ReadWriteOnce"];
  const claim = await core.v1.persistentVolumeClaims("default").create({
    metadata: { name: "data" },
    spec: { accessModes, resources: { requests: { storage: "1Gi" } }, volumeName: "pv-1", storageClassName: "" },
  });
  const { name, namespace = "", uid } = claim.metadata;
  await core.v1.persistentVolumes().create({
    metadata: { name: "pv-1" },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes,
      claimRef: { kind: "PersistentVolumeClaim", apiVersion: "v1", name, namespace, uid },
      ...source,
      ...more,
    },
  });
  const status = { phase: "Bound" as const, accessModes, capacity: { storage: "1Gi" } };
  await core.v1.persistentVolumeClaims("default").status.patch(name, { merge: { status } });
}

const CSI = { csi: { driver: DRIVER, volumeHandle: "v-1", fsType: "ext4" } };
const using = (volume: object, more: object = {}) => ({
  volumes: [{ name: "d", ...volume }],
  containers: [{ name: "main", image: "example.com/app:1", volumeMounts: [{ name: "d", mountPath: "/d" }] }],
  ...more,
});
const claimed = (more: object = {}) => using({ persistentVolumeClaim: { claimName: "data" } }, more);
const mounted = (podName: string) =>
  node.runtime.containersOf(podName, "main")[0]?.config.mounts.find(({ containerPath }) => containerPath === "/d");

describe("a pod with a claim", () => {
  it("waits until that is bound", async () => {
    const pod = await node.run(claimed());
    await node.until("it is told", async () => (await node.events(pod)).includes("FailedMount"));
    await bound({ hostPath: { path: node.root } });
    await node.running(pod);
    expect(mounted(pod.metadata.name)?.hostPath).toBe(node.root);
  });

  it("uses a directory of the node, which its group may write to", async () => {
    const path = join(node.root, "disk");
    mkdirSync(path);
    writeFileSync(join(path, "old"), "x", { mode: 0o600 });
    const key = node.api.client.names.hostnameLabel;
    const nodeSelectorTerms = [{ matchExpressions: [{ key, operator: "In", values: [NODE] }] }];
    await bound({ local: { path } }, { nodeAffinity: { required: { nodeSelectorTerms } } });
    const pod = await node.run(claimed({ securityContext: { fsGroup: 4_321 } }));
    await node.running(pod);
    expect(mounted(pod.metadata.name)?.hostPath).toBe(path);
    if (process.getuid?.() !== 0) return;
    expect([statSync(path).gid, statSync(join(path, "old")).gid]).toEqual([4_321, 4_321]);
    expect(statSync(join(path, "old")).mode & 0o777).toBe(0o660);
  });

  it("uses a volume of a storage driver: staged, published, and given back in the opposite order", async () => {
    await register({ attachRequired: false, podInfoOnMount: true });
    await bound(CSI);
    const pod = await node.run(claimed());
    await node.running(pod);
    const target = mounted(pod.metadata.name)?.hostPath ?? "";
    expect(readFileSync(join(target, "data"), "utf8")).toBe("v-1");
    expect(driver.calls).toEqual(["stage", "publish"]);
    expect(driver.last.publish).toMatchObject({
      volumeId: "v-1",
      targetPath: target,
      stagingTargetPath: driver.last.stage?.stagingTargetPath,
      volumeCapability: { accessMode: { mode: "SINGLE_NODE_WRITER" }, mount: { fsType: "ext4" } },
    });
    expect(Object.values(driver.last.publish?.volumeContext ?? {})).toContain(pod.metadata.name);
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.gone(pod);
    expect(driver.calls).toEqual(["stage", "publish", "unpublish", "unstage"]);
  });

  it("has the volume taken off the node though that failed at first", async () => {
    await register({ attachRequired: false });
    await bound(CSI);
    const pod = await node.run(claimed());
    await node.running(pod);
    driver.failsAt = "unstage";
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.until("it has failed", () => driver.calls.includes("unstage"));
    driver.failsAt = undefined;
    await node.gone(pod);
    expect(driver.calls.filter((each) => each === "unstage").length).toBeGreaterThan(1);
  });

  it("gives the volume back also where the driver of another one is gone", async () => {
    await register({ attachRequired: false, volumeLifecycleModes: ["Persistent", "Ephemeral"] });
    await node.api.client.storage.v1
      .csiDrivers()
      .create({ metadata: { name: "gone.example.com" }, spec: { volumeLifecycleModes: ["Ephemeral"] } });
    await node.csi.register({ ...REGISTERED, name: "gone.example.com", socketPath: driver.socketPath });
    await bound(CSI);
    const volumes = [
      { name: "a", csi: { driver: "gone.example.com" } },
      { name: "d", persistentVolumeClaim: { claimName: "data" } },
    ];
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
    const pod = await node.run({ volumes, containers: [{ name: "main", image: "example.com/app:1", volumeMounts }] });
    await node.running(pod);
    node.csi.unregister("gone.example.com");
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.until("it is given back", () => driver.calls.includes("unstage"));
    await node.csi.register({ ...REGISTERED, name: "gone.example.com", socketPath: driver.socketPath });
    await node.gone(pod);
  });

  it("keeps a volume on the node while another pod uses it, also when the agent starts again", async () => {
    await register({ attachRequired: false });
    await bound(CSI);
    const [one, two] = [await node.run(claimed()), await node.run(claimed())];
    await node.running(one);
    await node.running(two);
    await node.stopAgent();
    await node.startAgent();
    await node.csi.register({ name: DRIVER, supportedVersions: ["1.0.0"], socketPath: driver.socketPath });
    await node.api.client.core.v1.pods("default").delete(one.metadata.name);
    await node.gone(one);
    expect(driver.calls.filter((call) => call.startsWith("un"))).toEqual(["unpublish"]);
    await node.api.client.core.v1.pods("default").delete(two.metadata.name);
    await node.gone(two);
    expect(driver.calls.filter((call) => call.startsWith("un"))).toEqual(["unpublish", "unpublish", "unstage"]);
  });

  it("gets the device itself where the volume is one", async () => {
    await register({ attachRequired: false });
    await bound(CSI, { volumeMode: "Block" });
    const volumeDevices = [{ name: "d", devicePath: "/dev/data" }];
    const pod = await node.run(claimed({ containers: [{ name: "main", image: "example.com/app:1", volumeDevices }] }));
    await node.running(pod);
    const [device] = node.runtime.containersOf(pod.metadata.name, "main")[0]?.config.devices ?? [];
    expect(device).toMatchObject({ containerPath: "/dev/data", permissions: "mrw" });
    expect(readFileSync(device?.hostPath ?? "", "utf8")).toBe("v-1");
    expect(driver.last.publish?.volumeCapability).toMatchObject({ block: {}, mount: undefined });
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.gone(pod);
    expect(driver.calls).toEqual(["stage", "publish", "unpublish", "unstage"]);
  });

  it("sees its file system grow with the volume, and its claim says so", async () => {
    driver.capabilities.push("EXPAND_VOLUME", "GET_VOLUME_STATS");
    await register({ attachRequired: false });
    await bound(CSI);
    const pod = await node.run(claimed());
    await node.running(pod);
    expect(driver.calls).not.toContain("expand");
    expect((await node.runner.volumes(pod.metadata.uid)).get("d")).toMatchObject({ claim: "data", bytes: 600 });
    const { core } = node.api.client;
    const conditions = [{ type: "FileSystemResizePending", status: "True" as const }];
    await core.v1.persistentVolumeClaims("default").status.patch("data", { merge: { status: { conditions } } });
    await core.v1.persistentVolumes().patch("pv-1", { merge: { spec: { capacity: { storage: "2Gi" } } } });
    const claim = await node.until("the claim has grown", async () => {
      const found = await core.v1.persistentVolumeClaims("default").get("data");
      return found.status.capacity?.["storage"] === "2Gi" ? found : undefined;
    });
    expect(claim.status.conditions ?? []).toEqual([]);
    expect(driver.last.expand).toMatchObject({
      volumeId: "v-1",
      volumePath: mounted(pod.metadata.name)?.hostPath,
      capacityRange: { requiredBytes: 2 ** 31 },
    });
    expect(await node.events(pod)).toContain("FileSystemResizeSuccessful");
  });

  const ATTACHMENT = `csi-${createHash("sha256").update(`v-1${DRIVER}${NODE}`).digest("hex")}`;

  /** Tells that the volume is attached. Gives the name by which the node uses it. */
  const attach = async (): Promise<string> => {
    const { client } = node.api;
    const unique = `${client.names.csiVolumePrefix}${DRIVER}^v-1`;
    const name = ATTACHMENT;
    await client.storage.v1.volumeAttachments().create({
      metadata: { name },
      spec: { attacher: DRIVER, nodeName: NODE, source: { persistentVolumeName: "pv-1" } },
    });
    const status = { attached: true, attachmentMetadata: { device: "/dev/x" } };
    await client.storage.v1.volumeAttachments().status.patch(name, { merge: { status } });
    await node.tellNode({ volumesAttached: [{ name: unique, devicePath: "" }] });
    return unique;
  };

  it("waits until the volume is attached, and says that the node uses it", async () => {
    await register();
    await bound(CSI);
    const { client } = node.api;
    const pod = await node.run(claimed());
    const unique = `${client.names.csiVolumePrefix}${DRIVER}^v-1`;
    await node.until("the node says that it uses it", () => node.volumesInUse().includes(unique));
    expect(driver.calls).toEqual([]);
    await attach();
    // Whoever detaches looks into the status of the node: before that tells of it, nobody knows.
    await node.clock.advance(300_000);
    expect(driver.calls).toEqual([]);
    await node.tellNode({ volumesInUse: [unique] });
    await node.running(pod);
    expect(driver.last.publish?.publishContext).toEqual({ device: "/dev/x" });
  });

  it("does not begin with an attachment that is about to go", async () => {
    await register();
    await bound(CSI);
    const unique = await attach();
    const attachments = node.api.client.storage.v1.volumeAttachments();
    await attachments.patch(ATTACHMENT, { merge: { metadata: { finalizers: ["example.com/driver"] } } });
    await attachments.delete(ATTACHMENT);
    await node.tellNode({ volumesInUse: [unique] });
    await node.run(claimed());
    await node.clock.advance(300_000);
    expect(driver.calls).toEqual([]);
  });

  it("leaves its volume in use until it is off the node, though an agent has started meanwhile", async () => {
    await register();
    await bound(CSI);
    const pod = await node.run(claimed());
    const unique = await attach();
    await node.tellNode({ volumesInUse: [unique] });
    await node.running(pod);
    await node.stopAgent();
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name, { gracePeriodSeconds: 0 });
    await node.startAgent();
    expect(node.volumesInUse()).toEqual([unique]);
    await node.clock.advance(5_000);
    expect([driver.calls.includes("unstage"), node.volumesInUse()]).toEqual([false, [unique]]);
    await node.csi.register({ ...REGISTERED, name: DRIVER, socketPath: driver.socketPath });
    await node.until("it is off the node", () => driver.calls.includes("unstage"));
    await node.until("nothing is in use", () => node.volumesInUse().length === 0);
  });
});

it("a pod describes a volume of a driver itself, where the driver makes such", async () => {
  await register({ attachRequired: false, volumeLifecycleModes: ["Ephemeral"], fsGroupPolicy: "None" });
  const pod = await node.run(using({ csi: { driver: DRIVER, volumeAttributes: { a: "b" } } }));
  await node.running(pod);
  expect(driver.calls).toEqual(["publish"]);
  expect(driver.last.publish?.volumeContext).toEqual({ a: "b" });
});

it("a driver that registers is told of in the API", async () => {
  await register();
  const found = await node.until("the object", async () => await node.api.client.storage.v1.csiNodes().find(NODE));
  expect(found.spec.drivers).toEqual([
    { name: DRIVER, nodeID: "machine-7", topologyKeys: ["storage.example.com/rack"], allocatable: { count: 3 } },
  ]);
  const { metadata } = await node.api.client.core.v1.nodes().get(NODE);
  expect(metadata.labels).toMatchObject({ "storage.example.com/rack": "r1" });
  expect(Object.values(metadata.annotations ?? {})).toContain(`{"${DRIVER}":"machine-7"}`);
});
