import { describe, expect, it } from "vitest";
import type { PersistentVolume } from "../../kinds/core/persistent-volume.ts";
import { namesFor } from "../../meta/names.ts";
import { podWith } from "../pods/runtime-pod.testing.ts";
import { type CsiVolume, inlineVolumeOf, persistentVolumeOf, volumeCapability, volumeContext } from "./csi-requests.ts";

const names = namesFor("kubernetes");
const csi = { driver: "d.example.com", volumeHandle: "v-1", fsType: "ext4", volumeAttributes: { size: "big" } };
const volume = (accessModes: string[]): CsiVolume =>
  persistentVolumeOf(
    { metadata: { name: "pv" }, spec: { csi, accessModes, mountOptions: ["noatime"] } } as unknown as PersistentVolume,
    csi,
  );

describe("a storage driver hears", () => {
  it.each([
    [["ReadWriteOnce"], false, "SINGLE_NODE_WRITER"],
    [["ReadWriteOncePod"], false, "SINGLE_NODE_WRITER"],
    [["ReadWriteOnce"], true, "SINGLE_NODE_MULTI_WRITER"],
    [["ReadWriteOncePod"], true, "SINGLE_NODE_SINGLE_WRITER"],
    [["ReadWriteOnce", "ReadOnlyMany"], true, "MULTI_NODE_READER_ONLY"],
    [["ReadWriteOnce", "ReadWriteMany"], false, "MULTI_NODE_MULTI_WRITER"],
  ])("how a volume of %j is used (counting writers: %j)", (modes, countsWriters, mode) => {
    expect(volumeCapability(volume(modes), { countsWriters, group: "7" })).toEqual({
      accessMode: { mode },
      mount: { fsType: "ext4", mountFlags: ["noatime"], volumeMountGroup: "7" },
    });
  });

  it("of the pod where it asks for that, and gets its tokens", () => {
    const pod = podWith({ serviceAccountName: "sa" }, { name: "p", namespace: "n", uid: "u" });
    expect(volumeContext(volume([]), pod, { names, wantsPod: false, tokens: undefined })).toEqual({ size: "big" });
    const tokens = { vault: "t" };
    expect(volumeContext(volume([]), pod, { names, wantsPod: true, tokens })).toEqual({
      size: "big",
      "csi.storage.k8s.io/pod.name": "p",
      "csi.storage.k8s.io/pod.namespace": "n",
      "csi.storage.k8s.io/pod.uid": "u",
      "csi.storage.k8s.io/serviceAccount.name": "sa",
      "csi.storage.k8s.io/ephemeral": "false",
      "csi.storage.k8s.io/serviceAccount.tokens": '{"vault":"t"}',
    });
  });

  it("of a volume that a pod describes by a handle of its own", () => {
    const pod = podWith({}, { uid: "u" });
    const one = inlineVolumeOf(pod, "a", { driver: "d" });
    expect(one.handle).toMatch(/^csi-[0-9a-f]{64}$/);
    expect(inlineVolumeOf(pod, "b", { driver: "d" }).handle).not.toBe(one.handle);
  });
});
