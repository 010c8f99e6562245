// Block devices and file systems of Ceph, kept by upstream for compatibility.

import { opt, ptr, type Struct, s } from "../../../schema/builder.ts";
import { FILLED } from "../../../schema/check-fields.ts";
import { localObjectReference, secretReference } from "../object-reference.ts";

const RBD_TEXT = "A Ceph block device; no longer supported.";

const rbdMembers = <R>(secret: Struct<R>) => ({
  monitors: s.atomic("string", 1, "Addresses of the Ceph monitors.", { must: FILLED }),
  image: s.string(2, "Name of the image.", { must: FILLED }),
  fsType: opt.string(3, "File system on the device, such as `ext4` or `xfs`. Not set, `ext4`."),
  pool: opt.string(4, "Pool of the image. Not set, `rbd`.", { default: "rbd" }),
  user: opt.string(5, "User for Ceph. Not set, `admin`.", { default: "admin" }),
  keyring: opt.string(6, "Path of the user's keyring on the node. Not set, `/etc/ceph/keyring`.", {
    default: "/etc/ceph/keyring",
  }),
  secretRef: ptr.of(secret, 7, "Secret with the key of the user; wins over `keyring`."),
  readOnly: opt.boolean(8, "Whether the volume can only be read. Not set means false."),
});

export const rbdVolumeSource = s.struct("core.v1.RBDVolumeSource", RBD_TEXT, () => rbdMembers(localObjectReference));

export const rbdPersistentVolumeSource = s.struct("core.v1.RBDPersistentVolumeSource", RBD_TEXT, () =>
  rbdMembers(secretReference),
);

const CEPH_FS_TEXT = "A Ceph file system; no longer supported.";

const cephFSMembers = <R>(secret: Struct<R>) => ({
  monitors: s.atomic("string", 1, "Addresses of the Ceph monitors.", { must: FILLED }),
  path: opt.string(2, "Directory of the file system that is mounted. Not set, its root."),
  user: opt.string(3, "User for Ceph. Not set, `admin`."),
  secretFile: opt.string(4, "Path of the user's keyring on the node. Not set, `/etc/ceph/user.secret`."),
  secretRef: ptr.of(secret, 5, "Secret with the key of the user; wins over `secretFile`."),
  readOnly: opt.boolean(6, "Whether the volume can only be read. Not set means false."),
});

export const cephFSVolumeSource = s.struct("core.v1.CephFSVolumeSource", CEPH_FS_TEXT, () =>
  cephFSMembers(localObjectReference),
);

export const cephFSPersistentVolumeSource = s.struct("core.v1.CephFSPersistentVolumeSource", CEPH_FS_TEXT, () =>
  cephFSMembers(secretReference),
);
