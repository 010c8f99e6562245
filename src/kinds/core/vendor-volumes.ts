// Volumes of single storage products, kept by upstream for compatibility.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { localObjectReference, objectReference, secretReference } from "./object-reference.ts";

export type GlusterfsVolumeSource = ObjectOf<typeof glusterfsVolumeSource>;

export const glusterfsVolumeSource = s.struct(
  "core.v1.GlusterfsVolumeSource",
  { doc: "A GlusterFS volume; no longer supported." },
  () => ({
    endpoints: s.string({ proto: 1, doc: "Name of the Endpoints that list the servers." }),
    path: s.string({ proto: 2, doc: "Name of the volume." }),
    readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
  }),
);

export type GlusterfsPersistentVolumeSource = ObjectOf<typeof glusterfsPersistentVolumeSource>;

export const glusterfsPersistentVolumeSource = s.struct(
  "core.v1.GlusterfsPersistentVolumeSource",
  { doc: "A GlusterFS volume; no longer supported." },
  () => ({
    endpoints: s.string({ proto: 1, doc: "Name of the Endpoints that list the servers." }),
    path: s.string({ proto: 2, doc: "Name of the volume." }),
    readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
    endpointsNamespace: s.string({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Namespace of the Endpoints. Not set, that of the claim.",
    }),
  }),
);

export type FlockerVolumeSource = ObjectOf<typeof flockerVolumeSource>;

export const flockerVolumeSource = s.struct(
  "core.v1.FlockerVolumeSource",
  { doc: "A Flocker dataset; no longer supported. Exactly one member is set." },
  () => ({
    datasetName: s.string({ proto: 1, optional: true, doc: "Name in the dataset's metadata. Deprecated." }),
    datasetUUID: s.string({ proto: 2, optional: true, doc: "Identity of the dataset." }),
  }),
);

export type QuobyteVolumeSource = ObjectOf<typeof quobyteVolumeSource>;

export const quobyteVolumeSource = s.struct(
  "core.v1.QuobyteVolumeSource",
  { doc: "A Quobyte volume; no longer supported." },
  () => ({
    registry: s.string({ proto: 1, doc: "Addresses of the registry as host and port, separated by commas." }),
    volume: s.string({ proto: 2, doc: "Name of the volume, which must exist." }),
    readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
    user: s.string({
      proto: 4,
      optional: true,
      doc: "User to which the mount belongs. Not set, that of the service account.",
    }),
    group: s.string({ proto: 5, optional: true, doc: "Group to which the mount belongs. Not set, none." }),
    tenant: s.string({
      proto: 6,
      optional: true,
      doc: "Tenant that owns the volume; set for volumes that Quobyte made by request.",
    }),
  }),
);

export type PortworxVolumeSource = ObjectOf<typeof portworxVolumeSource>;

export const portworxVolumeSource = s.struct("core.v1.PortworxVolumeSource", { doc: "A Portworx volume." }, () => ({
  volumeID: s.string({ proto: 1, doc: "Identity of the volume." }),
  fsType: s.string({ proto: 2, optional: true, doc: "File system on the volume, `ext4` or `xfs`. Not set, `ext4`." }),
  readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
}));

export type ScaleIOVolumeSource = ObjectOf<typeof scaleIOVolumeSource>;

export const scaleIOVolumeSource = s.struct(
  "core.v1.ScaleIOVolumeSource",
  { doc: "A ScaleIO volume; no longer supported." },
  () => ({
    gateway: s.string({ proto: 1, doc: "Address of the gateway of the API." }),
    system: s.string({ proto: 2, doc: "Name of the storage system." }),
    secretRef: s.of(localObjectReference, {
      proto: 3,
      pointer: true,
      doc: "Secret with user and password for the gateway.",
    }),
    sslEnabled: s.boolean({
      proto: 4,
      optional: true,
      doc: "Whether the gateway is reached by TLS. Not set means false.",
    }),
    protectionDomain: s.string({ proto: 5, optional: true, doc: "Protection domain of the storage." }),
    storagePool: s.string({ proto: 6, optional: true, doc: "Pool of the protection domain." }),
    storageMode: s.string({
      proto: 7,
      optional: true,
      default: "ThinProvisioned",
      doc: "`ThinProvisioned`, also when not set, or `ThickProvisioned`.",
    }),
    volumeName: s.string({ proto: 8, optional: true, doc: "Name of a volume that exists in the system." }),
    fsType: s.string({
      proto: 9,
      optional: true,
      default: "xfs",
      doc: "File system on the volume, such as `ext4` or `xfs`. Not set, `xfs`.",
    }),
    readOnly: s.boolean({
      proto: 10,
      optional: true,
      doc: "Whether the volume can only be read. Not set means false.",
    }),
  }),
);

export type ScaleIOPersistentVolumeSource = ObjectOf<typeof scaleIOPersistentVolumeSource>;

export const scaleIOPersistentVolumeSource = s.struct(
  "core.v1.ScaleIOPersistentVolumeSource",
  { doc: "A ScaleIO volume; no longer supported." },
  () => ({
    gateway: s.string({ proto: 1, doc: "Address of the gateway of the API." }),
    system: s.string({ proto: 2, doc: "Name of the storage system." }),
    secretRef: s.of(secretReference, {
      proto: 3,
      pointer: true,
      doc: "Secret with user and password for the gateway.",
    }),
    sslEnabled: s.boolean({
      proto: 4,
      optional: true,
      doc: "Whether the gateway is reached by TLS. Not set means false.",
    }),
    protectionDomain: s.string({ proto: 5, optional: true, doc: "Protection domain of the storage." }),
    storagePool: s.string({ proto: 6, optional: true, doc: "Pool of the protection domain." }),
    storageMode: s.string({
      proto: 7,
      optional: true,
      default: "ThinProvisioned",
      doc: "`ThinProvisioned`, also when not set, or `ThickProvisioned`.",
    }),
    volumeName: s.string({ proto: 8, optional: true, doc: "Name of a volume that exists in the system." }),
    fsType: s.string({
      proto: 9,
      optional: true,
      default: "xfs",
      doc: "File system on the volume, such as `ext4` or `xfs`. Not set, `xfs`.",
    }),
    readOnly: s.boolean({
      proto: 10,
      optional: true,
      doc: "Whether the volume can only be read. Not set means false.",
    }),
  }),
);

export type StorageOSVolumeSource = ObjectOf<typeof storageOSVolumeSource>;

export const storageOSVolumeSource = s.struct(
  "core.v1.StorageOSVolumeSource",
  { doc: "A StorageOS volume; no longer supported." },
  () => ({
    volumeName: s.string({ proto: 1, optional: true, doc: "Name of the volume, unique in its namespace." }),
    volumeNamespace: s.string({
      proto: 2,
      optional: true,
      doc: "StorageOS namespace of the volume. Not set, that of the pod.",
    }),
    fsType: s.string({
      proto: 3,
      optional: true,
      doc: "File system on the volume, such as `ext4` or `xfs`. Not set, `ext4`.",
    }),
    readOnly: s.boolean({ proto: 4, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
    secretRef: s.of(localObjectReference, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Secret with user and password for StorageOS. Not set, its defaults.",
    }),
  }),
);

export type StorageOSPersistentVolumeSource = ObjectOf<typeof storageOSPersistentVolumeSource>;

export const storageOSPersistentVolumeSource = s.struct(
  "core.v1.StorageOSPersistentVolumeSource",
  { doc: "A StorageOS volume; no longer supported." },
  () => ({
    volumeName: s.string({ proto: 1, optional: true, doc: "Name of the volume, unique in its namespace." }),
    volumeNamespace: s.string({
      proto: 2,
      optional: true,
      doc: "StorageOS namespace of the volume. Not set, that of the pod.",
    }),
    fsType: s.string({
      proto: 3,
      optional: true,
      doc: "File system on the volume, such as `ext4` or `xfs`. Not set, `ext4`.",
    }),
    readOnly: s.boolean({ proto: 4, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
    secretRef: s.of(objectReference, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Secret with user and password for StorageOS. Not set, its defaults.",
    }),
  }),
);
