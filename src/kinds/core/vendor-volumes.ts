// Volumes of single storage systems, kept by upstream for compatibility.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { localObjectReference } from "./object-reference.ts";

export type GCEPersistentDiskVolumeSource = ObjectOf<typeof gcePersistentDiskVolumeSource>;

export const gcePersistentDiskVolumeSource = s.struct(
  "core.v1.GCEPersistentDiskVolumeSource",
  { doc: "A disk of Google Compute Engine." },
  () => ({
    pdName: s.string({ proto: 1, doc: "Name of the disk, which must be in the project and zone of the node." }),
    fsType: s.string({
      proto: 2,
      optional: true,
      doc: "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`.",
    }),
    partition: s.int32({
      proto: 3,
      optional: true,
      doc: "Number of the partition that is mounted. Not set or 0, the whole disk.",
    }),
    readOnly: s.boolean({ proto: 4, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
  }),
);

export type AWSElasticBlockStoreVolumeSource = ObjectOf<typeof awsElasticBlockStoreVolumeSource>;

export const awsElasticBlockStoreVolumeSource = s.struct(
  "core.v1.AWSElasticBlockStoreVolumeSource",
  { doc: "A disk of Amazon EBS." },
  () => ({
    volumeID: s.string({ proto: 1, doc: "Identity of the disk, which must be in the zone of the node." }),
    fsType: s.string({
      proto: 2,
      optional: true,
      doc: "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`.",
    }),
    partition: s.int32({
      proto: 3,
      optional: true,
      doc: "Number of the partition that is mounted. Not set or 0, the whole disk.",
    }),
    readOnly: s.boolean({ proto: 4, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
  }),
);

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

export type RBDVolumeSource = ObjectOf<typeof rbdVolumeSource>;

export const rbdVolumeSource = s.struct(
  "core.v1.RBDVolumeSource",
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
    secretRef: s.of(localObjectReference, {
      proto: 7,
      optional: true,
      pointer: true,
      doc: "Secret with the key of the user; wins over `keyring`.",
    }),
    readOnly: s.boolean({ proto: 8, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
  }),
);

export type ISCSIVolumeSource = ObjectOf<typeof iscsiVolumeSource>;

export const iscsiVolumeSource = s.struct(
  "core.v1.ISCSIVolumeSource",
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
    secretRef: s.of(localObjectReference, {
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

export type CinderVolumeSource = ObjectOf<typeof cinderVolumeSource>;

export const cinderVolumeSource = s.struct(
  "core.v1.CinderVolumeSource",
  { doc: "A disk of OpenStack Cinder." },
  () => ({
    volumeID: s.string({ proto: 1, doc: "Identity of the disk in Cinder." }),
    fsType: s.string({
      proto: 2,
      optional: true,
      doc: "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`.",
    }),
    readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
    secretRef: s.of(localObjectReference, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Secret with the settings for reaching OpenStack.",
    }),
  }),
);

export type CephFSVolumeSource = ObjectOf<typeof cephFSVolumeSource>;

export const cephFSVolumeSource = s.struct(
  "core.v1.CephFSVolumeSource",
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
    secretRef: s.of(localObjectReference, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Secret with the key of the user; wins over `secretFile`.",
    }),
    readOnly: s.boolean({ proto: 6, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
  }),
);

export type FCVolumeSource = ObjectOf<typeof fcVolumeSource>;

export const fcVolumeSource = s.struct(
  "core.v1.FCVolumeSource",
  { doc: "A Fibre Channel disk, mounted read-write by one node at a time." },
  () => ({
    targetWWNs: s.list("string", {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "World-wide names of the target, used with `lun`. Not together with `wwids`.",
    }),
    lun: s.int32({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Number of the logical unit at the target, from 0 to 255.",
    }),
    fsType: s.string({
      proto: 3,
      optional: true,
      doc: "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`.",
    }),
    readOnly: s.boolean({ proto: 4, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
    wwids: s.list("string", {
      proto: 5,
      optional: true,
      listType: "atomic",
      doc: "World-wide identifiers of the disk. Not together with `targetWWNs`.",
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

export type AzureFileVolumeSource = ObjectOf<typeof azureFileVolumeSource>;

export const azureFileVolumeSource = s.struct(
  "core.v1.AzureFileVolumeSource",
  { doc: "A file share of Azure." },
  () => ({
    secretName: s.string({ proto: 1, doc: "Secret with the name and key of the storage account." }),
    shareName: s.string({ proto: 2, doc: "Name of the share." }),
    readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
  }),
);

export type AzureDiskVolumeSource = ObjectOf<typeof azureDiskVolumeSource>;

export const azureDiskVolumeSource = s.struct("core.v1.AzureDiskVolumeSource", { doc: "A disk of Azure." }, () => ({
  diskName: s.string({ proto: 1, doc: "Name of the disk." }),
  diskURI: s.string({ proto: 2, doc: "Address of the disk." }),
  cachingMode: s.enumOf(["None", "ReadOnly", "ReadWrite"], {
    alias: "AzureDataDiskCachingMode",
    proto: 3,
    optional: true,
    pointer: true,
    default: "ReadWrite",
    doc: "How the node caches: `None`, `ReadOnly` or `ReadWrite`. Not set, `ReadWrite`.",
  }),
  fsType: s.string({
    proto: 4,
    optional: true,
    pointer: true,
    default: "ext4",
    doc: "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`.",
  }),
  readOnly: s.boolean({
    proto: 5,
    optional: true,
    pointer: true,
    default: false,
    doc: "Whether the volume can only be read. Not set means false.",
  }),
  kind: s.enumOf(["Dedicated", "Managed", "Shared"], {
    alias: "AzureDataDiskKind",
    proto: 6,
    optional: true,
    pointer: true,
    default: "Shared",
    doc: "`Shared` (blobs of one storage account), `Dedicated` (an account of its own) or `Managed`. Not set, `Shared`.",
  }),
}));

export type VsphereVirtualDiskVolumeSource = ObjectOf<typeof vsphereVirtualDiskVolumeSource>;

export const vsphereVirtualDiskVolumeSource = s.struct(
  "core.v1.VsphereVirtualDiskVolumeSource",
  { doc: "A virtual disk of vSphere." },
  () => ({
    volumePath: s.string({ proto: 1, doc: "Path of the disk in the datastore." }),
    fsType: s.string({
      proto: 2,
      optional: true,
      doc: "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`.",
    }),
    storagePolicyName: s.string({ proto: 3, optional: true, doc: "Name of the storage policy." }),
    storagePolicyID: s.string({
      proto: 4,
      optional: true,
      doc: "Identity of the storage policy that belongs to the name.",
    }),
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

export type PhotonPersistentDiskVolumeSource = ObjectOf<typeof photonPersistentDiskVolumeSource>;

export const photonPersistentDiskVolumeSource = s.struct(
  "core.v1.PhotonPersistentDiskVolumeSource",
  { doc: "A disk of the Photon controller; no longer supported." },
  () => ({
    pdID: s.string({ proto: 1, doc: "Identity of the disk." }),
    fsType: s.string({
      proto: 2,
      optional: true,
      doc: "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`.",
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
