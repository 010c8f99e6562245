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

export const persistentVolumeSource = s.struct(
  "core.v1.PersistentVolumeSource",
  { doc: "Where the data of a volume is; exactly one member is set." },
  () => ({
    gcePersistentDisk: s.of(gcePersistentDiskVolumeSource, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "A disk of Google Compute Engine. Handled by its CSI driver.",
    }),
    awsElasticBlockStore: s.of(awsElasticBlockStoreVolumeSource, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "A disk of Amazon EBS. Handled by its CSI driver.",
    }),
    hostPath: s.of(hostPathVolumeSource, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "A directory of the node, for tests on a single node only: the data does not follow a pod.",
    }),
    glusterfs: s.of(glusterfsPersistentVolumeSource, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "A GlusterFS volume. No longer supported.",
    }),
    nfs: s.of(nfsVolumeSource, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "A directory that an NFS server exports.",
    }),
    rbd: s.of(rbdPersistentVolumeSource, {
      proto: 6,
      optional: true,
      pointer: true,
      doc: "A Ceph block device. No longer supported.",
    }),
    iscsi: s.of(iscsiPersistentVolumeSource, {
      proto: 7,
      optional: true,
      pointer: true,
      doc: "An iSCSI disk that is attached to the node.",
    }),
    cinder: s.of(cinderPersistentVolumeSource, {
      proto: 8,
      optional: true,
      pointer: true,
      doc: "A disk of OpenStack Cinder. Handled by its CSI driver.",
    }),
    cephfs: s.of(cephFSPersistentVolumeSource, {
      proto: 9,
      optional: true,
      pointer: true,
      doc: "A Ceph file system. No longer supported.",
    }),
    fc: s.of(fcVolumeSource, {
      proto: 10,
      optional: true,
      pointer: true,
      doc: "A Fibre Channel disk that is attached to the node.",
    }),
    flocker: s.of(flockerVolumeSource, {
      proto: 11,
      optional: true,
      pointer: true,
      doc: "A Flocker dataset. No longer supported.",
    }),
    flexVolume: s.of(flexPersistentVolumeSource, {
      proto: 12,
      optional: true,
      pointer: true,
      doc: "A volume of a driver that is a program on the node. Deprecated: CSI has taken its place.",
    }),
    azureFile: s.of(azureFilePersistentVolumeSource, {
      proto: 13,
      optional: true,
      pointer: true,
      doc: "A file share of Azure. Handled by its CSI driver.",
    }),
    vsphereVolume: s.of(vsphereVirtualDiskVolumeSource, {
      proto: 14,
      optional: true,
      pointer: true,
      doc: "A virtual disk of vSphere. Handled by its CSI driver.",
    }),
    quobyte: s.of(quobyteVolumeSource, {
      proto: 15,
      optional: true,
      pointer: true,
      doc: "A Quobyte volume. No longer supported.",
    }),
    azureDisk: s.of(azureDiskVolumeSource, {
      proto: 16,
      optional: true,
      pointer: true,
      doc: "A disk of Azure. Handled by its CSI driver.",
    }),
    photonPersistentDisk: s.of(photonPersistentDiskVolumeSource, {
      proto: 17,
      optional: true,
      pointer: true,
      doc: "A disk of the Photon controller. No longer supported.",
    }),
    portworxVolume: s.of(portworxVolumeSource, {
      proto: 18,
      optional: true,
      pointer: true,
      doc: "A Portworx volume. Handled by its CSI driver.",
    }),
    scaleIO: s.of(scaleIOPersistentVolumeSource, {
      proto: 19,
      optional: true,
      pointer: true,
      doc: "A ScaleIO volume. No longer supported.",
    }),
    local: s.of(localVolumeSource, {
      proto: 20,
      optional: true,
      pointer: true,
      doc: "A disk, partition or directory of one node. Needs `nodeAffinity`.",
    }),
    storageos: s.of(storageOSPersistentVolumeSource, {
      proto: 21,
      optional: true,
      pointer: true,
      doc: "A StorageOS volume. No longer supported.",
    }),
    csi: s.of(csiPersistentVolumeSource, {
      proto: 22,
      optional: true,
      pointer: true,
      doc: "A volume of an external storage driver (CSI).",
    }),
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

export type RBDPersistentVolumeSource = ObjectOf<typeof rbdPersistentVolumeSource>;

export const rbdPersistentVolumeSource = s.struct(
  "core.v1.RBDPersistentVolumeSource",
  { doc: "A Ceph block device; no longer supported." },
  () => ({
    monitors: s.list("string", { proto: 1, listType: "atomic", doc: "Addresses of the Ceph monitors." }),
    image: s.string({ proto: 2, doc: "Name of the image." }),
    fsType: s.string({
      proto: 3,
      optional: true,
      doc: "File system on the device, such as `ext4` or `xfs`. Not set, `ext4`.",
    }),
    pool: s.string({ proto: 4, optional: true, default: "rbd", doc: "Pool of the image. Not set, `rbd`." }),
    user: s.string({ proto: 5, optional: true, default: "admin", doc: "User for Ceph. Not set, `admin`." }),
    keyring: s.string({
      proto: 6,
      optional: true,
      default: "/etc/ceph/keyring",
      doc: "Path of the user's keyring on the node. Not set, `/etc/ceph/keyring`.",
    }),
    secretRef: s.of(secretReference, {
      proto: 7,
      optional: true,
      pointer: true,
      doc: "Secret with the key of the user; wins over `keyring`.",
    }),
    readOnly: s.boolean({ proto: 8, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
  }),
);

export type ISCSIPersistentVolumeSource = ObjectOf<typeof iscsiPersistentVolumeSource>;

export const iscsiPersistentVolumeSource = s.struct(
  "core.v1.ISCSIPersistentVolumeSource",
  { doc: "An iSCSI disk, mounted read-write by one node at a time." },
  () => ({
    targetPortal: s.string({ proto: 1, doc: "Address of the target; with its port unless that is 860 or 3260." }),
    iqn: s.string({ proto: 2, doc: "Qualified name of the target." }),
    lun: s.int32({ proto: 3, doc: "Number of the logical unit at the target, from 0 to 255." }),
    iscsiInterface: s.string({
      proto: 4,
      optional: true,
      default: "default",
      doc: "Transport to use. Not set, `default`, which is TCP.",
    }),
    fsType: s.string({
      proto: 5,
      optional: true,
      doc: "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`.",
    }),
    readOnly: s.boolean({ proto: 6, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
    portals: s.list("string", {
      proto: 7,
      optional: true,
      listType: "atomic",
      doc: "Further addresses of the target, for several paths to it.",
    }),
    chapAuthDiscovery: s.boolean({
      proto: 8,
      optional: true,
      doc: "Whether discovery authenticates by CHAP. Needs `secretRef`.",
    }),
    chapAuthSession: s.boolean({
      proto: 11,
      optional: true,
      doc: "Whether the session authenticates by CHAP. Needs `secretRef`.",
    }),
    secretRef: s.of(secretReference, {
      proto: 10,
      optional: true,
      pointer: true,
      doc: "Secret with the names and passwords for CHAP.",
    }),
    initiatorName: s.string({
      proto: 12,
      optional: true,
      pointer: true,
      doc: "Name with which the node introduces itself. With it the interface becomes `<target portal>:<volume name>`.",
    }),
  }),
);

export type CinderPersistentVolumeSource = ObjectOf<typeof cinderPersistentVolumeSource>;

export const cinderPersistentVolumeSource = s.struct(
  "core.v1.CinderPersistentVolumeSource",
  { doc: "A disk of OpenStack Cinder." },
  () => ({
    volumeID: s.string({ proto: 1, doc: "Identity of the disk in Cinder." }),
    fsType: s.string({
      proto: 2,
      optional: true,
      doc: "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`.",
    }),
    readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
    secretRef: s.of(secretReference, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Secret with the settings for reaching OpenStack.",
    }),
  }),
);

export type CephFSPersistentVolumeSource = ObjectOf<typeof cephFSPersistentVolumeSource>;

export const cephFSPersistentVolumeSource = s.struct(
  "core.v1.CephFSPersistentVolumeSource",
  { doc: "A Ceph file system; no longer supported." },
  () => ({
    monitors: s.list("string", { proto: 1, listType: "atomic", doc: "Addresses of the Ceph monitors." }),
    path: s.string({
      proto: 2,
      optional: true,
      doc: "Directory of the file system that is mounted. Not set, its root.",
    }),
    user: s.string({ proto: 3, optional: true, doc: "User for Ceph. Not set, `admin`." }),
    secretFile: s.string({
      proto: 4,
      optional: true,
      doc: "Path of the user's keyring on the node. Not set, `/etc/ceph/user.secret`.",
    }),
    secretRef: s.of(secretReference, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Secret with the key of the user; wins over `secretFile`.",
    }),
    readOnly: s.boolean({ proto: 6, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
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

export type AzureFilePersistentVolumeSource = ObjectOf<typeof azureFilePersistentVolumeSource>;

export const azureFilePersistentVolumeSource = s.struct(
  "core.v1.AzureFilePersistentVolumeSource",
  { doc: "A file share of Azure." },
  () => ({
    secretName: s.string({ proto: 1, doc: "Secret with the name and key of the storage account." }),
    shareName: s.string({ proto: 2, doc: "Name of the share." }),
    readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
    secretNamespace: s.string({
      proto: 4,
      required: false,
      pointer: true,
      doc: "Namespace of the Secret. Not set, that of the claim.",
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

export type LocalVolumeSource = ObjectOf<typeof localVolumeSource>;

export const localVolumeSource = s.struct(
  "core.v1.LocalVolumeSource",
  { doc: "A disk, partition or directory of one node." },
  () => ({
    path: s.string({ proto: 1, doc: "Path on the node, of a directory or, with the mode `Block`, of a device." }),
    fsType: s.string({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "File system to make and mount when the path is a device, such as `ext4` or `xfs`. Not set, the node agent chooses.",
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
