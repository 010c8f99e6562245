// Volumes by the protocols of storage networks: NFS, iSCSI and Fibre Channel.

import { compileLinear } from "../../../base/linear-regexp.ts";
import { type ObjectOf, opt, ptr, type Struct, s } from "../../../schema/builder.ts";
import { FILLED } from "../../../schema/check-fields.ts";
import { localObjectReference, secretReference } from "../object-reference.ts";

export const nfsVolumeSource = s.struct("core.v1.NFSVolumeSource", "A directory that an NFS server exports.", () => ({
  server: s.string(1, "Name or address of the server.", { must: FILLED }),
  path: s.string(2, "Directory that the server exports.", { must: FILLED }),
  readOnly: opt.boolean(3, "Whether the volume can only be read. Not set means false."),
}));

const ISCSI_TEXT = "An iSCSI disk, mounted read-write by one node at a time.";

const iscsiMembers = <R>(secret: Struct<R>) => ({
  targetPortal: s.string(1, "Address of the target; with its port unless that is 860 or 3260.", { must: FILLED }),
  iqn: s.string(2, "Qualified name of the target.", { must: { filled: true, form: iscsiNameProblems } }),
  lun: s.int32(3, "Number of the logical unit at the target, from 0 to 255.", { must: { least: 0, most: 255 } }),
  iscsiInterface: opt.string(4, "Transport to use. Not set, `default`, which is TCP.", { default: "default" }),
  fsType: opt.string(5, "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`."),
  readOnly: opt.boolean(6, "Whether the volume can only be read. Not set means false."),
  portals: opt.atomic("string", 7, "Further addresses of the target, for several paths to it."),
  chapAuthDiscovery: opt.boolean(8, "Whether discovery authenticates by CHAP. Needs `secretRef`."),
  chapAuthSession: opt.boolean(11, "Whether the session authenticates by CHAP. Needs `secretRef`."),
  secretRef: ptr.of(secret, 10, "Secret with the names and passwords for CHAP."),
  initiatorName: ptr.string(
    12,
    "Name with which the node introduces itself. With it the interface becomes `<target portal>:<volume name>`.",
  ),
});

export type ISCSIVolumeSource = ObjectOf<typeof iscsiVolumeSource>;

export const iscsiVolumeSource = s.struct("core.v1.ISCSIVolumeSource", ISCSI_TEXT, () =>
  iscsiMembers(localObjectReference),
);

export const iscsiPersistentVolumeSource = s.struct("core.v1.ISCSIPersistentVolumeSource", ISCSI_TEXT, () =>
  iscsiMembers(secretReference),
);

export const fcVolumeSource = s.struct(
  "core.v1.FCVolumeSource",
  "A Fibre Channel disk, mounted read-write by one node at a time.",
  () => ({
    targetWWNs: opt.atomic("string", 1, "World-wide names of the target, used with `lun`. Not together with `wwids`."),
    lun: ptr.int32(2, "Number of the logical unit at the target, from 0 to 255."),
    fsType: opt.string(3, "File system on the disk, such as `ext4` or `xfs`. Not set, `ext4`."),
    readOnly: opt.boolean(4, "Whether the volume can only be read. Not set means false."),
    wwids: opt.atomic("string", 5, "World-wide identifiers of the disk. Not together with `targetWWNs`."),
  }),
);

const ISCSI_NAMES: ReadonlyMap<string, string> = new Map([
  ["iqn", "iqn\\.\\d{4}-\\d{2}\\.[A-Za-z0-9.-]+:[^,;*&$|\\s]+$"],
  ["eui", "^eui.[A-Za-z0-9]{16}$"],
  ["naa", "^naa.[A-Za-z0-9]{32}$"],
]);

export function iscsiNameProblems(name: string): string[] {
  const form = ISCSI_NAMES.get(name.slice(0, 3));
  if (form === undefined) return ["must be valid format starting with iqn, eui, or naa"];
  // The first form may begin anywhere, as upstream has it: other engines look for its end from every place anew.
  const pattern = compileLinear(form);
  return typeof pattern !== "string" && pattern.test(name) === true ? [] : ["must be valid format"];
}
