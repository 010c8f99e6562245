// Volumes of single storage systems, kept by upstream for compatibility.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { localObjectReference } from "./object-reference.ts";

export type GCEPersistentDiskVolumeSource = ObjectOf<typeof gcePersistentDiskVolumeSource>;

export const gcePersistentDiskVolumeSource = s.struct("core.v1.GCEPersistentDiskVolumeSource", () => ({
  pdName: s.string({ proto: 1 }),
  fsType: s.string({ proto: 2, optional: true }),
  partition: s.int32({ proto: 3, optional: true }),
  readOnly: s.boolean({ proto: 4, optional: true }),
}));

export type AWSElasticBlockStoreVolumeSource = ObjectOf<typeof awsElasticBlockStoreVolumeSource>;

export const awsElasticBlockStoreVolumeSource = s.struct("core.v1.AWSElasticBlockStoreVolumeSource", () => ({
  volumeID: s.string({ proto: 1 }),
  fsType: s.string({ proto: 2, optional: true }),
  partition: s.int32({ proto: 3, optional: true }),
  readOnly: s.boolean({ proto: 4, optional: true }),
}));

export type GlusterfsVolumeSource = ObjectOf<typeof glusterfsVolumeSource>;

export const glusterfsVolumeSource = s.struct("core.v1.GlusterfsVolumeSource", () => ({
  endpoints: s.string({ proto: 1 }),
  path: s.string({ proto: 2 }),
  readOnly: s.boolean({ proto: 3, optional: true }),
}));

export type RBDVolumeSource = ObjectOf<typeof rbdVolumeSource>;

export const rbdVolumeSource = s.struct("core.v1.RBDVolumeSource", () => ({
  monitors: s.list("string", { proto: 1, listType: "atomic" }),
  image: s.string({ proto: 2 }),
  fsType: s.string({ proto: 3, optional: true }),
  pool: s.string({ proto: 4, optional: true, default: "rbd" }),
  user: s.string({ proto: 5, optional: true, default: "admin" }),
  keyring: s.string({ proto: 6, optional: true, default: "/etc/ceph/keyring" }),
  secretRef: s.of(localObjectReference, { proto: 7, optional: true, pointer: true }),
  readOnly: s.boolean({ proto: 8, optional: true }),
}));

export type ISCSIVolumeSource = ObjectOf<typeof iscsiVolumeSource>;

export const iscsiVolumeSource = s.struct("core.v1.ISCSIVolumeSource", () => ({
  targetPortal: s.string({ proto: 1 }),
  iqn: s.string({ proto: 2 }),
  lun: s.int32({ proto: 3 }),
  iscsiInterface: s.string({ proto: 4, optional: true, default: "default" }),
  fsType: s.string({ proto: 5, optional: true }),
  readOnly: s.boolean({ proto: 6, optional: true }),
  portals: s.list("string", { proto: 7, optional: true, listType: "atomic" }),
  chapAuthDiscovery: s.boolean({ proto: 8, optional: true }),
  chapAuthSession: s.boolean({ proto: 11, optional: true }),
  secretRef: s.of(localObjectReference, { proto: 10, optional: true, pointer: true }),
  initiatorName: s.string({ proto: 12, optional: true, pointer: true }),
}));

export type CinderVolumeSource = ObjectOf<typeof cinderVolumeSource>;

export const cinderVolumeSource = s.struct("core.v1.CinderVolumeSource", () => ({
  volumeID: s.string({ proto: 1 }),
  fsType: s.string({ proto: 2, optional: true }),
  readOnly: s.boolean({ proto: 3, optional: true }),
  secretRef: s.of(localObjectReference, { proto: 4, optional: true, pointer: true }),
}));

export type CephFSVolumeSource = ObjectOf<typeof cephFSVolumeSource>;

export const cephFSVolumeSource = s.struct("core.v1.CephFSVolumeSource", () => ({
  monitors: s.list("string", { proto: 1, listType: "atomic" }),
  path: s.string({ proto: 2, optional: true }),
  user: s.string({ proto: 3, optional: true }),
  secretFile: s.string({ proto: 4, optional: true }),
  secretRef: s.of(localObjectReference, { proto: 5, optional: true, pointer: true }),
  readOnly: s.boolean({ proto: 6, optional: true }),
}));

export type FCVolumeSource = ObjectOf<typeof fcVolumeSource>;

export const fcVolumeSource = s.struct("core.v1.FCVolumeSource", () => ({
  targetWWNs: s.list("string", { proto: 1, optional: true, listType: "atomic" }),
  lun: s.int32({ proto: 2, optional: true, pointer: true }),
  fsType: s.string({ proto: 3, optional: true }),
  readOnly: s.boolean({ proto: 4, optional: true }),
  wwids: s.list("string", { proto: 5, optional: true, listType: "atomic" }),
}));

export type FlockerVolumeSource = ObjectOf<typeof flockerVolumeSource>;

export const flockerVolumeSource = s.struct("core.v1.FlockerVolumeSource", () => ({
  datasetName: s.string({ proto: 1, optional: true }),
  datasetUUID: s.string({ proto: 2, optional: true }),
}));

export type FlexVolumeSource = ObjectOf<typeof flexVolumeSource>;

export const flexVolumeSource = s.struct("core.v1.FlexVolumeSource", () => ({
  driver: s.string({ proto: 1 }),
  fsType: s.string({ proto: 2, optional: true }),
  secretRef: s.of(localObjectReference, { proto: 3, optional: true, pointer: true }),
  readOnly: s.boolean({ proto: 4, optional: true }),
  options: s.map("string", { proto: 5, optional: true }),
}));

export type AzureFileVolumeSource = ObjectOf<typeof azureFileVolumeSource>;

export const azureFileVolumeSource = s.struct("core.v1.AzureFileVolumeSource", () => ({
  secretName: s.string({ proto: 1 }),
  shareName: s.string({ proto: 2 }),
  readOnly: s.boolean({ proto: 3, optional: true }),
}));

export type AzureDiskVolumeSource = ObjectOf<typeof azureDiskVolumeSource>;

export const azureDiskVolumeSource = s.struct("core.v1.AzureDiskVolumeSource", () => ({
  diskName: s.string({ proto: 1 }),
  diskURI: s.string({ proto: 2 }),
  cachingMode: s.enumOf(["None", "ReadOnly", "ReadWrite"], {
    alias: "AzureDataDiskCachingMode",
    proto: 3,
    optional: true,
    pointer: true,
    default: "ReadWrite",
  }),
  fsType: s.string({ proto: 4, optional: true, pointer: true, default: "ext4" }),
  readOnly: s.boolean({ proto: 5, optional: true, pointer: true, default: false }),
  kind: s.enumOf(["Dedicated", "Managed", "Shared"], {
    alias: "AzureDataDiskKind",
    proto: 6,
    optional: true,
    pointer: true,
    default: "Shared",
  }),
}));

export type VsphereVirtualDiskVolumeSource = ObjectOf<typeof vsphereVirtualDiskVolumeSource>;

export const vsphereVirtualDiskVolumeSource = s.struct("core.v1.VsphereVirtualDiskVolumeSource", () => ({
  volumePath: s.string({ proto: 1 }),
  fsType: s.string({ proto: 2, optional: true }),
  storagePolicyName: s.string({ proto: 3, optional: true }),
  storagePolicyID: s.string({ proto: 4, optional: true }),
}));

export type QuobyteVolumeSource = ObjectOf<typeof quobyteVolumeSource>;

export const quobyteVolumeSource = s.struct("core.v1.QuobyteVolumeSource", () => ({
  registry: s.string({ proto: 1 }),
  volume: s.string({ proto: 2 }),
  readOnly: s.boolean({ proto: 3, optional: true }),
  user: s.string({ proto: 4, optional: true }),
  group: s.string({ proto: 5, optional: true }),
  tenant: s.string({ proto: 6, optional: true }),
}));

export type PhotonPersistentDiskVolumeSource = ObjectOf<typeof photonPersistentDiskVolumeSource>;

export const photonPersistentDiskVolumeSource = s.struct("core.v1.PhotonPersistentDiskVolumeSource", () => ({
  pdID: s.string({ proto: 1 }),
  fsType: s.string({ proto: 2, optional: true }),
}));

export type PortworxVolumeSource = ObjectOf<typeof portworxVolumeSource>;

export const portworxVolumeSource = s.struct("core.v1.PortworxVolumeSource", () => ({
  volumeID: s.string({ proto: 1 }),
  fsType: s.string({ proto: 2, optional: true }),
  readOnly: s.boolean({ proto: 3, optional: true }),
}));

export type ScaleIOVolumeSource = ObjectOf<typeof scaleIOVolumeSource>;

export const scaleIOVolumeSource = s.struct("core.v1.ScaleIOVolumeSource", () => ({
  gateway: s.string({ proto: 1 }),
  system: s.string({ proto: 2 }),
  secretRef: s.of(localObjectReference, { proto: 3, pointer: true }),
  sslEnabled: s.boolean({ proto: 4, optional: true }),
  protectionDomain: s.string({ proto: 5, optional: true }),
  storagePool: s.string({ proto: 6, optional: true }),
  storageMode: s.string({ proto: 7, optional: true, default: "ThinProvisioned" }),
  volumeName: s.string({ proto: 8, optional: true }),
  fsType: s.string({ proto: 9, optional: true, default: "xfs" }),
  readOnly: s.boolean({ proto: 10, optional: true }),
}));

export type StorageOSVolumeSource = ObjectOf<typeof storageOSVolumeSource>;

export const storageOSVolumeSource = s.struct("core.v1.StorageOSVolumeSource", () => ({
  volumeName: s.string({ proto: 1, optional: true }),
  volumeNamespace: s.string({ proto: 2, optional: true }),
  fsType: s.string({ proto: 3, optional: true }),
  readOnly: s.boolean({ proto: 4, optional: true }),
  secretRef: s.of(localObjectReference, { proto: 5, optional: true, pointer: true }),
}));
