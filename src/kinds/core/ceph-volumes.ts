// Block devices and file systems of Ceph, kept by upstream for compatibility.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { localObjectReference, secretReference } from "./object-reference.ts";

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
