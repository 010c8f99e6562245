// Volumes that show keys of a Secret or ConfigMap, or fields of the pod, as files.

import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";
import { FILLED } from "../../../schema/check-fields.ts";
import { localObjectReference } from "../object-reference.ts";
import { objectFieldSelector, resourceFieldSelector } from "../pod/env.ts";

export const secretVolumeSource = s.struct("core.v1.SecretVolumeSource", "Keys of a Secret as files.", () => ({
  secretName: opt.string(1, "The Secret, in the namespace of the pod.", { must: FILLED }),
  items: opt.atomic(
    keyToPath,
    2,
    "Which keys, and under which paths; a key that is missing is an error. Not set, all keys by their names.",
  ),
  defaultMode: ptr.int32(
    3,
    "Mode of files that name none, from 0 to 0777; in JSON as a decimal number. Not set, 0644.",
  ),
  optional: ptr.boolean(4, "Whether the Secret or its keys may be missing. Not set means false."),
}));

export const configMapVolumeSource = s.struct("core.v1.ConfigMapVolumeSource", "Keys of a ConfigMap as files.", () => ({
  localObjectReference: s.inline(localObjectReference, 1),
  items: opt.atomic(
    keyToPath,
    2,
    "Which keys, and under which paths; a key that is missing is an error. Not set, all keys by their names.",
  ),
  defaultMode: ptr.int32(
    3,
    "Mode of files that name none, from 0 to 0777; in JSON as a decimal number. Not set, 0644.",
  ),
  optional: ptr.boolean(4, "Whether the ConfigMap or its keys may be missing. Not set means false."),
}));

export type KeyToPath = ObjectOf<typeof keyToPath>;

export const keyToPath = s.struct("core.v1.KeyToPath", "The file that a key becomes.", () => ({
  key: s.string(1, "The key."),
  path: s.string(2, "Path of the file in the volume; relative and without `..`."),
  mode: ptr.int32(3, "Mode of the file, from 0 to 0777; in JSON as a decimal number. Not set, the volume's default."),
}));

export const downwardAPIVolumeSource = s.struct(
  "core.v1.DownwardAPIVolumeSource",
  "Fields of the pod as files.",
  () => ({
    items: opt.atomic(downwardAPIVolumeFile, 1, "The files."),
    defaultMode: ptr.int32(
      2,
      "Mode of files that name none, from 0 to 0777; in JSON as a decimal number. Not set, 0644.",
    ),
  }),
);

export type DownwardAPIVolumeFile = ObjectOf<typeof downwardAPIVolumeFile>;

export const downwardAPIVolumeFile = s.struct(
  "core.v1.DownwardAPIVolumeFile",
  "The file that a field of the pod becomes; either `fieldRef` or `resourceFieldRef` is set.",
  () => ({
    path: s.string(1, "Path of the file in the volume; relative and without `..`."),
    fieldRef: ptr.of(objectFieldSelector, 2, "A field of the pod: name, namespace, uid, labels or annotations."),
    resourceFieldRef: ptr.of(
      resourceFieldSelector,
      3,
      "A limit or request of a container: CPU, memory, ephemeral storage or huge pages.",
    ),
    mode: ptr.int32(4, "Mode of the file, from 0 to 0777; in JSON as a decimal number. Not set, the volume's default."),
  }),
);
