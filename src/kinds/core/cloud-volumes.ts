// Disks and file shares of cloud providers, kept by upstream for compatibility.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { localObjectReference, secretReference } from "./object-reference.ts";

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
