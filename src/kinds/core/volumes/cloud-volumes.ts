// Disks and file shares of cloud providers, kept by upstream for compatibility.

import { type ObjectOf, opt, ptr, type Struct, s, shown } from "../../../schema/builder.ts";
import { FILLED, LISTED } from "../../../schema/check-fields.ts";
import { localObjectReference, secretReference } from "../object-reference.ts";

export const gcePersistentDiskVolumeSource = s.struct(
  "core.v1.GCEPersistentDiskVolumeSource",
  "A disk of Google Compute Engine.",
  () => ({
    pdName: s.string(1, "Name of the disk, which must be in the project and zone of the node.", { must: FILLED }),
    fsType: opt.string(2, "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`."),
    partition: opt.int32(3, "Number of the partition that is mounted. Not set or 0, the whole disk."),
    readOnly: opt.boolean(4, "Whether the volume can only be read. Not set means false."),
  }),
);

export const awsElasticBlockStoreVolumeSource = s.struct(
  "core.v1.AWSElasticBlockStoreVolumeSource",
  "A disk of Amazon EBS.",
  () => ({
    volumeID: s.string(1, "Identity of the disk, which must be in the zone of the node.", { must: FILLED }),
    fsType: opt.string(2, "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`."),
    partition: opt.int32(3, "Number of the partition that is mounted. Not set or 0, the whole disk."),
    readOnly: opt.boolean(4, "Whether the volume can only be read. Not set means false."),
  }),
);

const CINDER_TEXT = "A disk of OpenStack Cinder.";

const cinderMembers = <R>(secret: Struct<R>) => ({
  volumeID: s.string(1, "Identity of the disk in Cinder.", { must: FILLED }),
  fsType: opt.string(2, "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`."),
  readOnly: opt.boolean(3, "Whether the volume can only be read. Not set means false."),
  secretRef: ptr.of(secret, 4, "Secret with the settings for reaching OpenStack."),
});

export const cinderVolumeSource = s.struct("core.v1.CinderVolumeSource", CINDER_TEXT, () =>
  cinderMembers(localObjectReference),
);

export const cinderPersistentVolumeSource = s.struct("core.v1.CinderPersistentVolumeSource", CINDER_TEXT, () =>
  cinderMembers(secretReference),
);

const AZURE_FILE_TEXT = "A file share of Azure.";

const azureFileMembers = () => ({
  secretName: s.string(1, "Secret with the name and key of the storage account.", { must: FILLED }),
  shareName: s.string(2, "Name of the share.", { must: FILLED }),
  readOnly: opt.boolean(3, "Whether the volume can only be read. Not set means false."),
});

export const azureFileVolumeSource = s.struct("core.v1.AzureFileVolumeSource", AZURE_FILE_TEXT, azureFileMembers);

export const azureFilePersistentVolumeSource = s.struct(
  "core.v1.AzureFilePersistentVolumeSource",
  AZURE_FILE_TEXT,
  () => ({
    ...azureFileMembers(),
    secretNamespace: shown.string(4, "Namespace of the Secret. Not set, that of the claim.", { pointer: true }),
  }),
);

export type AzureDiskVolumeSource = ObjectOf<typeof azureDiskVolumeSource>;

export const azureDiskVolumeSource = s.struct("core.v1.AzureDiskVolumeSource", "A disk of Azure.", () => ({
  diskName: s.string(1, "Name of the disk.", { must: FILLED }),
  diskURI: s.string(2, "Address of the disk.", { must: FILLED }),
  cachingMode: ptr.enumOf(
    "AzureDataDiskCachingMode",
    ["None", "ReadOnly", "ReadWrite"],
    3,
    "How the node caches: `None`, `ReadOnly` or `ReadWrite`. Not set, `ReadWrite`.",
    { default: "ReadWrite", must: LISTED },
  ),
  fsType: ptr.string(4, "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`.", { default: "ext4" }),
  readOnly: ptr.boolean(5, "Whether the volume can only be read. Not set means false.", { default: false }),
  kind: ptr.enumOf(
    "AzureDataDiskKind",
    ["Dedicated", "Managed", "Shared"],
    6,
    "`Shared` (blobs of one storage account), `Dedicated` (an account of its own) or `Managed`. Not set, `Shared`.",
    { default: "Shared", must: LISTED },
  ),
}));

export const vsphereVirtualDiskVolumeSource = s.struct(
  "core.v1.VsphereVirtualDiskVolumeSource",
  "A virtual disk of vSphere.",
  () => ({
    volumePath: s.string(1, "Path of the disk in the datastore.", { must: FILLED }),
    fsType: opt.string(2, "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`."),
    storagePolicyName: opt.string(3, "Name of the storage policy."),
    storagePolicyID: opt.string(4, "Identity of the storage policy that belongs to the name."),
  }),
);

export const photonPersistentDiskVolumeSource = s.struct(
  "core.v1.PhotonPersistentDiskVolumeSource",
  "A disk of the Photon controller; no longer supported.",
  () => ({
    pdID: s.string(1, "Identity of the disk.", { must: FILLED }),
    fsType: opt.string(2, "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`."),
  }),
);
