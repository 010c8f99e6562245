// Where the data of a persistent volume is.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectReference, secretReference } from "./object-reference.ts";
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  fcVolumeSource,
  flockerVolumeSource,
  gcePersistentDiskVolumeSource,
  photonPersistentDiskVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from "./vendor-volumes.ts";
import { hostPathVolumeSource, nfsVolumeSource } from "./volume.ts";

export type PersistentVolumeSource = ObjectOf<typeof persistentVolumeSource>;

export const persistentVolumeSource = s.struct("core.v1.PersistentVolumeSource", () => ({
  gcePersistentDisk: s.of(gcePersistentDiskVolumeSource, { proto: 1, optional: true, pointer: true }),
  awsElasticBlockStore: s.of(awsElasticBlockStoreVolumeSource, { proto: 2, optional: true, pointer: true }),
  hostPath: s.of(hostPathVolumeSource, { proto: 3, optional: true, pointer: true }),
  glusterfs: s.of(glusterfsPersistentVolumeSource, { proto: 4, optional: true, pointer: true }),
  nfs: s.of(nfsVolumeSource, { proto: 5, optional: true, pointer: true }),
  rbd: s.of(rbdPersistentVolumeSource, { proto: 6, optional: true, pointer: true }),
  iscsi: s.of(iscsiPersistentVolumeSource, { proto: 7, optional: true, pointer: true }),
  cinder: s.of(cinderPersistentVolumeSource, { proto: 8, optional: true, pointer: true }),
  cephfs: s.of(cephFSPersistentVolumeSource, { proto: 9, optional: true, pointer: true }),
  fc: s.of(fcVolumeSource, { proto: 10, optional: true, pointer: true }),
  flocker: s.of(flockerVolumeSource, { proto: 11, optional: true, pointer: true }),
  flexVolume: s.of(flexPersistentVolumeSource, { proto: 12, optional: true, pointer: true }),
  azureFile: s.of(azureFilePersistentVolumeSource, { proto: 13, optional: true, pointer: true }),
  vsphereVolume: s.of(vsphereVirtualDiskVolumeSource, { proto: 14, optional: true, pointer: true }),
  quobyte: s.of(quobyteVolumeSource, { proto: 15, optional: true, pointer: true }),
  azureDisk: s.of(azureDiskVolumeSource, { proto: 16, optional: true, pointer: true }),
  photonPersistentDisk: s.of(photonPersistentDiskVolumeSource, { proto: 17, optional: true, pointer: true }),
  portworxVolume: s.of(portworxVolumeSource, { proto: 18, optional: true, pointer: true }),
  scaleIO: s.of(scaleIOPersistentVolumeSource, { proto: 19, optional: true, pointer: true }),
  local: s.of(localVolumeSource, { proto: 20, optional: true, pointer: true }),
  storageos: s.of(storageOSPersistentVolumeSource, { proto: 21, optional: true, pointer: true }),
  csi: s.of(csiPersistentVolumeSource, { proto: 22, optional: true, pointer: true }),
}));

export type GlusterfsPersistentVolumeSource = ObjectOf<typeof glusterfsPersistentVolumeSource>;

export const glusterfsPersistentVolumeSource = s.struct("core.v1.GlusterfsPersistentVolumeSource", () => ({
  endpoints: s.string({ proto: 1 }),
  path: s.string({ proto: 2 }),
  readOnly: s.boolean({ proto: 3, optional: true }),
  endpointsNamespace: s.string({ proto: 4, optional: true, pointer: true }),
}));

export type RBDPersistentVolumeSource = ObjectOf<typeof rbdPersistentVolumeSource>;

export const rbdPersistentVolumeSource = s.struct("core.v1.RBDPersistentVolumeSource", () => ({
  monitors: s.list("string", { proto: 1, listType: "atomic" }),
  image: s.string({ proto: 2 }),
  fsType: s.string({ proto: 3, optional: true }),
  pool: s.string({ proto: 4, optional: true, default: "rbd" }),
  user: s.string({ proto: 5, optional: true, default: "admin" }),
  keyring: s.string({ proto: 6, optional: true, default: "/etc/ceph/keyring" }),
  secretRef: s.of(secretReference, { proto: 7, optional: true, pointer: true }),
  readOnly: s.boolean({ proto: 8, optional: true }),
}));

export type ISCSIPersistentVolumeSource = ObjectOf<typeof iscsiPersistentVolumeSource>;

export const iscsiPersistentVolumeSource = s.struct("core.v1.ISCSIPersistentVolumeSource", () => ({
  targetPortal: s.string({ proto: 1 }),
  iqn: s.string({ proto: 2 }),
  lun: s.int32({ proto: 3 }),
  iscsiInterface: s.string({ proto: 4, optional: true, default: "default" }),
  fsType: s.string({ proto: 5, optional: true }),
  readOnly: s.boolean({ proto: 6, optional: true }),
  portals: s.list("string", { proto: 7, optional: true, listType: "atomic" }),
  chapAuthDiscovery: s.boolean({ proto: 8, optional: true }),
  chapAuthSession: s.boolean({ proto: 11, optional: true }),
  secretRef: s.of(secretReference, { proto: 10, optional: true, pointer: true }),
  initiatorName: s.string({ proto: 12, optional: true, pointer: true }),
}));

export type CinderPersistentVolumeSource = ObjectOf<typeof cinderPersistentVolumeSource>;

export const cinderPersistentVolumeSource = s.struct("core.v1.CinderPersistentVolumeSource", () => ({
  volumeID: s.string({ proto: 1 }),
  fsType: s.string({ proto: 2, optional: true }),
  readOnly: s.boolean({ proto: 3, optional: true }),
  secretRef: s.of(secretReference, { proto: 4, optional: true, pointer: true }),
}));

export type CephFSPersistentVolumeSource = ObjectOf<typeof cephFSPersistentVolumeSource>;

export const cephFSPersistentVolumeSource = s.struct("core.v1.CephFSPersistentVolumeSource", () => ({
  monitors: s.list("string", { proto: 1, listType: "atomic" }),
  path: s.string({ proto: 2, optional: true }),
  user: s.string({ proto: 3, optional: true }),
  secretFile: s.string({ proto: 4, optional: true }),
  secretRef: s.of(secretReference, { proto: 5, optional: true, pointer: true }),
  readOnly: s.boolean({ proto: 6, optional: true }),
}));

export type FlexPersistentVolumeSource = ObjectOf<typeof flexPersistentVolumeSource>;

export const flexPersistentVolumeSource = s.struct("core.v1.FlexPersistentVolumeSource", () => ({
  driver: s.string({ proto: 1 }),
  fsType: s.string({ proto: 2, optional: true }),
  secretRef: s.of(secretReference, { proto: 3, optional: true, pointer: true }),
  readOnly: s.boolean({ proto: 4, optional: true }),
  options: s.map("string", { proto: 5, optional: true }),
}));

export type AzureFilePersistentVolumeSource = ObjectOf<typeof azureFilePersistentVolumeSource>;

export const azureFilePersistentVolumeSource = s.struct("core.v1.AzureFilePersistentVolumeSource", () => ({
  secretName: s.string({ proto: 1 }),
  shareName: s.string({ proto: 2 }),
  readOnly: s.boolean({ proto: 3, optional: true }),
  secretNamespace: s.string({ proto: 4, required: false, pointer: true }),
}));

export type ScaleIOPersistentVolumeSource = ObjectOf<typeof scaleIOPersistentVolumeSource>;

export const scaleIOPersistentVolumeSource = s.struct("core.v1.ScaleIOPersistentVolumeSource", () => ({
  gateway: s.string({ proto: 1 }),
  system: s.string({ proto: 2 }),
  secretRef: s.of(secretReference, { proto: 3, pointer: true }),
  sslEnabled: s.boolean({ proto: 4, optional: true }),
  protectionDomain: s.string({ proto: 5, optional: true }),
  storagePool: s.string({ proto: 6, optional: true }),
  storageMode: s.string({ proto: 7, optional: true, default: "ThinProvisioned" }),
  volumeName: s.string({ proto: 8, optional: true }),
  fsType: s.string({ proto: 9, optional: true, default: "xfs" }),
  readOnly: s.boolean({ proto: 10, optional: true }),
}));

export type LocalVolumeSource = ObjectOf<typeof localVolumeSource>;

export const localVolumeSource = s.struct("core.v1.LocalVolumeSource", () => ({
  path: s.string({ proto: 1 }),
  fsType: s.string({ proto: 2, optional: true, pointer: true }),
}));

export type StorageOSPersistentVolumeSource = ObjectOf<typeof storageOSPersistentVolumeSource>;

export const storageOSPersistentVolumeSource = s.struct("core.v1.StorageOSPersistentVolumeSource", () => ({
  volumeName: s.string({ proto: 1, optional: true }),
  volumeNamespace: s.string({ proto: 2, optional: true }),
  fsType: s.string({ proto: 3, optional: true }),
  readOnly: s.boolean({ proto: 4, optional: true }),
  secretRef: s.of(objectReference, { proto: 5, optional: true, pointer: true }),
}));

export type CSIPersistentVolumeSource = ObjectOf<typeof csiPersistentVolumeSource>;

export const csiPersistentVolumeSource = s.struct("core.v1.CSIPersistentVolumeSource", () => ({
  driver: s.string({ proto: 1 }),
  volumeHandle: s.string({ proto: 2 }),
  readOnly: s.boolean({ proto: 3, optional: true }),
  fsType: s.string({ proto: 4, optional: true }),
  volumeAttributes: s.map("string", { proto: 5, optional: true }),
  controllerPublishSecretRef: s.of(secretReference, { proto: 6, optional: true, pointer: true }),
  nodeStageSecretRef: s.of(secretReference, { proto: 7, optional: true, pointer: true }),
  nodePublishSecretRef: s.of(secretReference, { proto: 8, optional: true, pointer: true }),
  controllerExpandSecretRef: s.of(secretReference, { proto: 9, optional: true, pointer: true }),
  nodeExpandSecretRef: s.of(secretReference, { proto: 10, optional: true, pointer: true }),
}));
