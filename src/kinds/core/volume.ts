// The volumes of a pod.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { objectFieldSelector, resourceFieldSelector } from "./env.ts";
import { localObjectReference } from "./object-reference.ts";
import { persistentVolumeClaimSpec } from "./persistent-volume-claim-schema.ts";
import { projectedVolumeSource } from "./projected-volume.ts";
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  azureFileVolumeSource,
  cephFSVolumeSource,
  cinderVolumeSource,
  fcVolumeSource,
  flexVolumeSource,
  flockerVolumeSource,
  gcePersistentDiskVolumeSource,
  glusterfsVolumeSource,
  iscsiVolumeSource,
  photonPersistentDiskVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  rbdVolumeSource,
  scaleIOVolumeSource,
  storageOSVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from "./vendor-volumes.ts";

export type Volume = ObjectOf<typeof volume>;

export const volume = s.struct("core.v1.Volume", { doc: "A named volume that containers may mount." }, () => ({
  name: s.string({ proto: 1 }),
  volumeSource: s.inline(volumeSource, { proto: 2, protoName: "volumeSource" }),
}));

export type VolumeSource = ObjectOf<typeof volumeSource>;

export const volumeSource = s.struct("core.v1.VolumeSource", () => ({
  hostPath: s.of(hostPathVolumeSource, { proto: 1, optional: true, pointer: true }),
  emptyDir: s.of(emptyDirVolumeSource, { proto: 2, optional: true, pointer: true }),
  gcePersistentDisk: s.of(gcePersistentDiskVolumeSource, { proto: 3, optional: true, pointer: true }),
  awsElasticBlockStore: s.of(awsElasticBlockStoreVolumeSource, { proto: 4, optional: true, pointer: true }),
  gitRepo: s.of(gitRepoVolumeSource, { proto: 5, optional: true, pointer: true }),
  secret: s.of(secretVolumeSource, { proto: 6, optional: true, pointer: true }),
  nfs: s.of(nfsVolumeSource, { proto: 7, optional: true, pointer: true }),
  iscsi: s.of(iscsiVolumeSource, { proto: 8, optional: true, pointer: true }),
  glusterfs: s.of(glusterfsVolumeSource, { proto: 9, optional: true, pointer: true }),
  persistentVolumeClaim: s.of(persistentVolumeClaimVolumeSource, { proto: 10, optional: true, pointer: true }),
  rbd: s.of(rbdVolumeSource, { proto: 11, optional: true, pointer: true }),
  flexVolume: s.of(flexVolumeSource, { proto: 12, optional: true, pointer: true }),
  cinder: s.of(cinderVolumeSource, { proto: 13, optional: true, pointer: true }),
  cephfs: s.of(cephFSVolumeSource, { proto: 14, optional: true, pointer: true }),
  flocker: s.of(flockerVolumeSource, { proto: 15, optional: true, pointer: true }),
  downwardAPI: s.of(downwardAPIVolumeSource, { proto: 16, optional: true, pointer: true }),
  fc: s.of(fcVolumeSource, { proto: 17, optional: true, pointer: true }),
  azureFile: s.of(azureFileVolumeSource, { proto: 18, optional: true, pointer: true }),
  configMap: s.of(configMapVolumeSource, { proto: 19, optional: true, pointer: true }),
  vsphereVolume: s.of(vsphereVirtualDiskVolumeSource, { proto: 20, optional: true, pointer: true }),
  quobyte: s.of(quobyteVolumeSource, { proto: 21, optional: true, pointer: true }),
  azureDisk: s.of(azureDiskVolumeSource, { proto: 22, optional: true, pointer: true }),
  photonPersistentDisk: s.of(photonPersistentDiskVolumeSource, { proto: 23, optional: true, pointer: true }),
  projected: s.of(projectedVolumeSource, { proto: 26, optional: true, pointer: true }),
  portworxVolume: s.of(portworxVolumeSource, { proto: 24, optional: true, pointer: true }),
  scaleIO: s.of(scaleIOVolumeSource, { proto: 25, optional: true, pointer: true }),
  storageos: s.of(storageOSVolumeSource, { proto: 27, optional: true, pointer: true }),
  csi: s.of(csiVolumeSource, { proto: 28, optional: true, pointer: true }),
  ephemeral: s.of(ephemeralVolumeSource, { proto: 29, optional: true, pointer: true }),
  image: s.of(imageVolumeSource, { proto: 30, optional: true, pointer: true, gate: "ImageVolume" }),
}));

export type EmptyDirVolumeSource = ObjectOf<typeof emptyDirVolumeSource>;

export const emptyDirVolumeSource = s.struct("core.v1.EmptyDirVolumeSource", () => ({
  medium: s.string({ alias: "StorageMedium", proto: 1, optional: true }),
  sizeLimit: s.quantity({ proto: 2, optional: true, pointer: true }),
}));

export type HostPathVolumeSource = ObjectOf<typeof hostPathVolumeSource>;

export const hostPathVolumeSource = s.struct("core.v1.HostPathVolumeSource", () => ({
  path: s.string({ proto: 1 }),
  type: s.enumOf(
    ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"],
    { alias: "HostPathType", proto: 2, optional: true, pointer: true },
  ),
}));

export type SecretVolumeSource = ObjectOf<typeof secretVolumeSource>;

export const secretVolumeSource = s.struct("core.v1.SecretVolumeSource", () => ({
  secretName: s.string({ proto: 1, optional: true }),
  items: s.list(keyToPath, { proto: 2, optional: true, listType: "atomic" }),
  defaultMode: s.int32({ proto: 3, optional: true, pointer: true }),
  optional: s.boolean({ proto: 4, optional: true, pointer: true }),
}));

export type ConfigMapVolumeSource = ObjectOf<typeof configMapVolumeSource>;

export const configMapVolumeSource = s.struct("core.v1.ConfigMapVolumeSource", () => ({
  localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
  items: s.list(keyToPath, { proto: 2, optional: true, listType: "atomic" }),
  defaultMode: s.int32({ proto: 3, optional: true, pointer: true }),
  optional: s.boolean({ proto: 4, optional: true, pointer: true }),
}));

export type KeyToPath = ObjectOf<typeof keyToPath>;

export const keyToPath = s.struct("core.v1.KeyToPath", () => ({
  key: s.string({ proto: 1 }),
  path: s.string({ proto: 2 }),
  mode: s.int32({ proto: 3, optional: true, pointer: true }),
}));

export type PersistentVolumeClaimVolumeSource = ObjectOf<typeof persistentVolumeClaimVolumeSource>;

export const persistentVolumeClaimVolumeSource = s.struct("core.v1.PersistentVolumeClaimVolumeSource", () => ({
  claimName: s.string({ proto: 1 }),
  readOnly: s.boolean({ proto: 2, optional: true }),
}));

export type DownwardAPIVolumeSource = ObjectOf<typeof downwardAPIVolumeSource>;

export const downwardAPIVolumeSource = s.struct("core.v1.DownwardAPIVolumeSource", () => ({
  items: s.list(downwardAPIVolumeFile, { proto: 1, optional: true, listType: "atomic" }),
  defaultMode: s.int32({ proto: 2, optional: true, pointer: true }),
}));

export type DownwardAPIVolumeFile = ObjectOf<typeof downwardAPIVolumeFile>;

export const downwardAPIVolumeFile = s.struct("core.v1.DownwardAPIVolumeFile", () => ({
  path: s.string({ proto: 1 }),
  fieldRef: s.of(objectFieldSelector, { proto: 2, optional: true, pointer: true }),
  resourceFieldRef: s.of(resourceFieldSelector, { proto: 3, optional: true, pointer: true }),
  mode: s.int32({ proto: 4, optional: true, pointer: true }),
}));

export type EphemeralVolumeSource = ObjectOf<typeof ephemeralVolumeSource>;

export const ephemeralVolumeSource = s.struct("core.v1.EphemeralVolumeSource", () => ({
  volumeClaimTemplate: s.of(persistentVolumeClaimTemplate, { proto: 1, optional: true, pointer: true }),
}));

export type PersistentVolumeClaimTemplate = ObjectOf<typeof persistentVolumeClaimTemplate>;

export const persistentVolumeClaimTemplate = s.struct("core.v1.PersistentVolumeClaimTemplate", () => ({
  metadata: s.of(objectMeta, { proto: 1, optional: true }),
  spec: s.of(persistentVolumeClaimSpec, { proto: 2 }),
}));

export type ImageVolumeSource = ObjectOf<typeof imageVolumeSource>;

export const imageVolumeSource = s.struct("core.v1.ImageVolumeSource", () => ({
  reference: s.string({ proto: 1, optional: true }),
  pullPolicy: s.enumOf(["Always", "IfNotPresent", "Never"], { alias: "PullPolicy", proto: 2, optional: true }),
}));

export type GitRepoVolumeSource = ObjectOf<typeof gitRepoVolumeSource>;

export const gitRepoVolumeSource = s.struct("core.v1.GitRepoVolumeSource", () => ({
  repository: s.string({ proto: 1 }),
  revision: s.string({ proto: 2, optional: true }),
  directory: s.string({ proto: 3, optional: true }),
}));

export type CSIVolumeSource = ObjectOf<typeof csiVolumeSource>;

export const csiVolumeSource = s.struct("core.v1.CSIVolumeSource", () => ({
  driver: s.string({ proto: 1 }),
  readOnly: s.boolean({ proto: 2, optional: true, pointer: true }),
  fsType: s.string({ proto: 3, optional: true, pointer: true }),
  volumeAttributes: s.map("string", { proto: 4, optional: true }),
  nodePublishSecretRef: s.of(localObjectReference, { proto: 5, optional: true, pointer: true }),
}));

export type NFSVolumeSource = ObjectOf<typeof nfsVolumeSource>;

export const nfsVolumeSource = s.struct("core.v1.NFSVolumeSource", () => ({
  server: s.string({ proto: 1 }),
  path: s.string({ proto: 2 }),
  readOnly: s.boolean({ proto: 3, optional: true }),
}));
