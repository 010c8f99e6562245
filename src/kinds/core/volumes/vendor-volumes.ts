// Volumes of single storage products, kept by upstream for compatibility.

import { dns1123LabelProblems } from "../../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, type Struct, s } from "../../../schema/builder.ts";
import { FILLED } from "../../../schema/check-fields.ts";
import { localObjectReference, objectReference, secretReference } from "../object-reference.ts";

const GLUSTERFS_TEXT = "A GlusterFS volume; no longer supported.";

const glusterfsMembers = () => ({
  endpoints: s.string(1, "Name of the Endpoints that list the servers.", { must: FILLED }),
  path: s.string(2, "Name of the volume.", { must: FILLED }),
  readOnly: opt.boolean(3, "Whether the volume can only be read. Not set means false."),
});

export const glusterfsVolumeSource = s.struct("core.v1.GlusterfsVolumeSource", GLUSTERFS_TEXT, glusterfsMembers);

export const glusterfsPersistentVolumeSource = s.struct(
  "core.v1.GlusterfsPersistentVolumeSource",
  GLUSTERFS_TEXT,
  () => ({
    ...glusterfsMembers(),
    endpointsNamespace: ptr.string(4, "Namespace of the Endpoints. Not set, that of the claim."),
  }),
);

export const flockerVolumeSource = s.struct(
  "core.v1.FlockerVolumeSource",
  "A Flocker dataset; no longer supported. Exactly one member is set.",
  () => ({
    datasetName: opt.string(1, "Name in the dataset's metadata. Deprecated."),
    datasetUUID: opt.string(2, "Identity of the dataset."),
  }),
);

export type QuobyteVolumeSource = ObjectOf<typeof quobyteVolumeSource>;

export const quobyteVolumeSource = s.struct(
  "core.v1.QuobyteVolumeSource",
  "A Quobyte volume; no longer supported.",
  () => ({
    registry: s.string(1, "Addresses of the registry as host and port, separated by commas."),
    volume: s.string(2, "Name of the volume, which must exist."),
    readOnly: opt.boolean(3, "Whether the volume can only be read. Not set means false."),
    user: opt.string(4, "User to which the mount belongs. Not set, that of the service account."),
    group: opt.string(5, "Group to which the mount belongs. Not set, none."),
    tenant: opt.string(6, "Tenant that owns the volume; set for volumes that Quobyte made by request."),
  }),
);

export const portworxVolumeSource = s.struct("core.v1.PortworxVolumeSource", "A Portworx volume.", () => ({
  volumeID: s.string(1, "Identity of the volume.", { must: FILLED }),
  fsType: opt.string(2, "File system on the volume, `ext4` or `xfs`. Not set, `ext4`."),
  readOnly: opt.boolean(3, "Whether the volume can only be read. Not set means false."),
}));

const SCALE_IO_TEXT = "A ScaleIO volume; no longer supported.";

const scaleIOMembers = <R>(secret: Struct<R>) => ({
  gateway: s.string(1, "Address of the gateway of the API.", { must: FILLED }),
  system: s.string(2, "Name of the storage system.", { must: FILLED }),
  secretRef: s.of(secret, 3, "Secret with user and password for the gateway.", { pointer: true }),
  sslEnabled: opt.boolean(4, "Whether the gateway is reached by TLS. Not set means false."),
  protectionDomain: opt.string(5, "Protection domain of the storage."),
  storagePool: opt.string(6, "Pool of the protection domain."),
  storageMode: opt.string(7, "`ThinProvisioned`, also when not set, or `ThickProvisioned`.", {
    default: "ThinProvisioned",
  }),
  volumeName: opt.string(8, "Name of a volume that exists in the system.", { must: FILLED }),
  fsType: opt.string(9, "File system on the volume, such as `ext4` or `xfs`. Not set, `xfs`.", { default: "xfs" }),
  readOnly: opt.boolean(10, "Whether the volume can only be read. Not set means false."),
});

export const scaleIOVolumeSource = s.struct("core.v1.ScaleIOVolumeSource", SCALE_IO_TEXT, () =>
  scaleIOMembers(localObjectReference),
);

export const scaleIOPersistentVolumeSource = s.struct("core.v1.ScaleIOPersistentVolumeSource", SCALE_IO_TEXT, () =>
  scaleIOMembers(secretReference),
);

const STORAGE_OS_TEXT = "A StorageOS volume; no longer supported.";

const storageOSMembers = <R>(secret: Struct<R>) => ({
  volumeName: opt.string(1, "Name of the volume, unique in its namespace.", {
    must: { filled: true, form: dns1123LabelProblems },
  }),
  volumeNamespace: opt.string(2, "StorageOS namespace of the volume. Not set, that of the pod.", {
    must: { form: dns1123LabelProblems },
  }),
  fsType: opt.string(3, "File system on the volume, such as `ext4` or `xfs`. Not set, `ext4`."),
  readOnly: opt.boolean(4, "Whether the volume can only be read. Not set means false."),
  secretRef: ptr.of(secret, 5, "Secret with user and password for StorageOS. Not set, its defaults."),
});

export const storageOSVolumeSource = s.struct("core.v1.StorageOSVolumeSource", STORAGE_OS_TEXT, () =>
  storageOSMembers(localObjectReference),
);

export const storageOSPersistentVolumeSource = s.struct(
  "core.v1.StorageOSPersistentVolumeSource",
  STORAGE_OS_TEXT,
  () => storageOSMembers(objectReference),
);
