// Volumes of storage drivers: those that speak CSI, and the programs on nodes that came before them.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { localObjectReference, secretReference } from "./object-reference.ts";

export type CSIVolumeSource = ObjectOf<typeof csiVolumeSource>;

export const csiVolumeSource = s.struct(
  "core.v1.CSIVolumeSource",
  { doc: "A volume that an external storage driver makes for a pod." },
  () => ({
    driver: s.string({ proto: 1, doc: "Name of the driver, as it is registered in the cluster." }),
    readOnly: s.boolean({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Whether the volume can only be read. Not set means false.",
    }),
    fsType: s.string({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "File system to mount, such as `ext4` or `xfs`. Not set, the driver chooses.",
    }),
    volumeAttributes: s.map("string", {
      proto: 4,
      optional: true,
      doc: "Settings that are passed to the driver, which says what they mean.",
    }),
    nodePublishSecretRef: s.of(localObjectReference, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Secret for the driver when it mounts the volume.",
    }),
  }),
);

export type CSIPersistentVolumeSource = ObjectOf<typeof csiPersistentVolumeSource>;

export const csiPersistentVolumeSource = s.struct(
  "core.v1.CSIPersistentVolumeSource",
  { doc: "A volume of an external storage driver." },
  () => ({
    driver: s.string({ proto: 1, doc: "Name of the driver. Required." }),
    volumeHandle: s.string({
      proto: 2,
      doc: "Identity of the volume with the driver; passed on in every call. Required.",
    }),
    readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
    fsType: s.string({ proto: 4, optional: true, doc: "File system to mount, such as `ext4` or `xfs`." }),
    volumeAttributes: s.map("string", {
      proto: 5,
      optional: true,
      doc: "Attributes of the volume that are passed to the driver.",
    }),
    controllerPublishSecretRef: s.of(secretReference, {
      proto: 6,
      optional: true,
      pointer: true,
      doc: "Secret for the driver when it attaches and detaches the volume.",
    }),
    nodeStageSecretRef: s.of(secretReference, {
      proto: 7,
      optional: true,
      pointer: true,
      doc: "Secret for the driver when it prepares the volume on a node.",
    }),
    nodePublishSecretRef: s.of(secretReference, {
      proto: 8,
      optional: true,
      pointer: true,
      doc: "Secret for the driver when it mounts the volume for a pod.",
    }),
    controllerExpandSecretRef: s.of(secretReference, {
      proto: 9,
      optional: true,
      pointer: true,
      doc: "Secret for the driver when its controller enlarges the volume.",
    }),
    nodeExpandSecretRef: s.of(secretReference, {
      proto: 10,
      optional: true,
      pointer: true,
      doc: "Secret for the driver when it enlarges the volume on a node.",
    }),
  }),
);

export type FlexVolumeSource = ObjectOf<typeof flexVolumeSource>;

export const flexVolumeSource = s.struct(
  "core.v1.FlexVolumeSource",
  { doc: "A volume of a driver that is a program on the node; deprecated." },
  () => ({
    driver: s.string({ proto: 1, doc: "Name of the driver." }),
    fsType: s.string({
      proto: 2,
      optional: true,
      doc: "File system on the volume, such as `ext4` or `xfs`. Not set, the driver chooses.",
    }),
    secretRef: s.of(localObjectReference, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Secret whose values are passed to the driver.",
    }),
    readOnly: s.boolean({ proto: 4, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
    options: s.map("string", { proto: 5, optional: true, doc: "Further settings for the driver." }),
  }),
);

export type FlexPersistentVolumeSource = ObjectOf<typeof flexPersistentVolumeSource>;

export const flexPersistentVolumeSource = s.struct(
  "core.v1.FlexPersistentVolumeSource",
  { doc: "A volume of a driver that is a program on the node; deprecated." },
  () => ({
    driver: s.string({ proto: 1, doc: "Name of the driver." }),
    fsType: s.string({
      proto: 2,
      optional: true,
      doc: "File system on the volume, such as `ext4` or `xfs`. Not set, the driver chooses.",
    }),
    secretRef: s.of(secretReference, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Secret whose values are passed to the driver.",
    }),
    readOnly: s.boolean({ proto: 4, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
    options: s.map("string", { proto: 5, optional: true, doc: "Further settings for the driver." }),
  }),
);
