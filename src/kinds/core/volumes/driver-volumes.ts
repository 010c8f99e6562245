// Volumes of storage drivers: those that speak CSI, and the programs on nodes that came before them.

import { type ObjectOf, opt, ptr, type Struct, s } from "../../../schema/builder.ts";
import { FILLED } from "../../../schema/check-fields.ts";
import { DRIVER_NAME } from "../../meta/value-checks.ts";
import { localObjectReference, secretReference } from "../object-reference.ts";

export type CSIVolumeSource = ObjectOf<typeof csiVolumeSource>;

export const csiVolumeSource = s.struct(
  "core.v1.CSIVolumeSource",
  "A volume that an external storage driver makes for a pod.",
  () => ({
    driver: s.string(1, "Name of the driver, as it is registered in the cluster."),
    readOnly: ptr.boolean(2, "Whether the volume can only be read. Not set means false."),
    fsType: ptr.string(3, "File system to mount, such as `ext4` or `xfs`. Not set, the driver chooses."),
    volumeAttributes: opt.map("string", 4, "Settings that are passed to the driver, which says what they mean."),
    nodePublishSecretRef: ptr.of(localObjectReference, 5, "Secret for the driver when it mounts the volume."),
  }),
);

export type CSIPersistentVolumeSource = ObjectOf<typeof csiPersistentVolumeSource>;

export const csiPersistentVolumeSource = s.struct(
  "core.v1.CSIPersistentVolumeSource",
  "A volume of an external storage driver.",
  () => ({
    driver: s.string(1, "Name of the driver. Required.", { must: DRIVER_NAME }),
    volumeHandle: s.string(2, "Identity of the volume with the driver; passed on in every call. Required.", {
      must: FILLED,
    }),
    readOnly: opt.boolean(3, "Whether the volume can only be read. Not set means false."),
    fsType: opt.string(4, "File system to mount, such as `ext4` or `xfs`."),
    volumeAttributes: opt.map("string", 5, "Attributes of the volume that are passed to the driver."),
    controllerPublishSecretRef: ptr.of(
      secretReference,
      6,
      "Secret for the driver when it attaches and detaches the volume.",
    ),
    nodeStageSecretRef: ptr.of(secretReference, 7, "Secret for the driver when it prepares the volume on a node."),
    nodePublishSecretRef: ptr.of(secretReference, 8, "Secret for the driver when it mounts the volume for a pod."),
    controllerExpandSecretRef: ptr.of(
      secretReference,
      9,
      "Secret for the driver when its controller enlarges the volume.",
    ),
    nodeExpandSecretRef: ptr.of(secretReference, 10, "Secret for the driver when it enlarges the volume on a node."),
  }),
);

const FLEX_TEXT = "A volume of a driver that is a program on the node; deprecated.";

const flexMembers = <R>(secret: Struct<R>) => ({
  driver: s.string(1, "Name of the driver.", { must: FILLED }),
  fsType: opt.string(2, "File system on the volume, such as `ext4` or `xfs`. Not set, the driver chooses."),
  secretRef: ptr.of(secret, 3, "Secret whose values are passed to the driver."),
  readOnly: opt.boolean(4, "Whether the volume can only be read. Not set means false."),
  options: opt.map("string", 5, "Further settings for the driver."),
});

export const flexVolumeSource = s.struct("core.v1.FlexVolumeSource", FLEX_TEXT, () =>
  flexMembers(localObjectReference),
);

export const flexPersistentVolumeSource = s.struct("core.v1.FlexPersistentVolumeSource", FLEX_TEXT, () =>
  flexMembers(secretReference),
);
