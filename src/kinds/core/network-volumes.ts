// Volumes by the protocols of storage networks: NFS, iSCSI and Fibre Channel.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { localObjectReference, secretReference } from "./object-reference.ts";

export type NFSVolumeSource = ObjectOf<typeof nfsVolumeSource>;

export const nfsVolumeSource = s.struct(
  "core.v1.NFSVolumeSource",
  { doc: "A directory that an NFS server exports." },
  () => ({
    server: s.string({ proto: 1, doc: "Name or address of the server." }),
    path: s.string({ proto: 2, doc: "Directory that the server exports." }),
    readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the volume can only be read. Not set means false." }),
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
