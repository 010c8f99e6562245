// Volumes that show keys of a Secret or ConfigMap, or fields of the pod, as files.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectFieldSelector, resourceFieldSelector } from "./env.ts";
import { localObjectReference } from "./object-reference.ts";

export type SecretVolumeSource = ObjectOf<typeof secretVolumeSource>;

export const secretVolumeSource = s.struct("core.v1.SecretVolumeSource", { doc: "Keys of a Secret as files." }, () => ({
  secretName: s.string({ proto: 1, optional: true, doc: "The Secret, in the namespace of the pod." }),
  items: s.list(keyToPath, {
    proto: 2,
    optional: true,
    listType: "atomic",
    doc: "Which keys, and under which paths; a key that is missing is an error. Not set, all keys by their names.",
  }),
  defaultMode: s.int32({
    proto: 3,
    optional: true,
    pointer: true,
    doc: "Mode of files that name none, from 0 to 0777; in JSON as a decimal number. Not set, 0644.",
  }),
  optional: s.boolean({
    proto: 4,
    optional: true,
    pointer: true,
    doc: "Whether the Secret or its keys may be missing. Not set means false.",
  }),
}));

export type ConfigMapVolumeSource = ObjectOf<typeof configMapVolumeSource>;

export const configMapVolumeSource = s.struct(
  "core.v1.ConfigMapVolumeSource",
  { doc: "Keys of a ConfigMap as files." },
  () => ({
    localObjectReference: s.inline(localObjectReference, { proto: 1, protoName: "localObjectReference" }),
    items: s.list(keyToPath, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Which keys, and under which paths; a key that is missing is an error. Not set, all keys by their names.",
    }),
    defaultMode: s.int32({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Mode of files that name none, from 0 to 0777; in JSON as a decimal number. Not set, 0644.",
    }),
    optional: s.boolean({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Whether the ConfigMap or its keys may be missing. Not set means false.",
    }),
  }),
);

export type KeyToPath = ObjectOf<typeof keyToPath>;

export const keyToPath = s.struct("core.v1.KeyToPath", { doc: "The file that a key becomes." }, () => ({
  key: s.string({ proto: 1, doc: "The key." }),
  path: s.string({ proto: 2, doc: "Path of the file in the volume; relative and without `..`." }),
  mode: s.int32({
    proto: 3,
    optional: true,
    pointer: true,
    doc: "Mode of the file, from 0 to 0777; in JSON as a decimal number. Not set, the volume's default.",
  }),
}));

export type DownwardAPIVolumeSource = ObjectOf<typeof downwardAPIVolumeSource>;

export const downwardAPIVolumeSource = s.struct(
  "core.v1.DownwardAPIVolumeSource",
  { doc: "Fields of the pod as files." },
  () => ({
    items: s.list(downwardAPIVolumeFile, { proto: 1, optional: true, listType: "atomic", doc: "The files." }),
    defaultMode: s.int32({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Mode of files that name none, from 0 to 0777; in JSON as a decimal number. Not set, 0644.",
    }),
  }),
);

export type DownwardAPIVolumeFile = ObjectOf<typeof downwardAPIVolumeFile>;

export const downwardAPIVolumeFile = s.struct(
  "core.v1.DownwardAPIVolumeFile",
  { doc: "The file that a field of the pod becomes; either `fieldRef` or `resourceFieldRef` is set." },
  () => ({
    path: s.string({ proto: 1, doc: "Path of the file in the volume; relative and without `..`." }),
    fieldRef: s.of(objectFieldSelector, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "A field of the pod: name, namespace, uid, labels or annotations.",
    }),
    resourceFieldRef: s.of(resourceFieldSelector, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "A limit or request of a container: CPU, memory, ephemeral storage or huge pages.",
    }),
    mode: s.int32({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Mode of the file, from 0 to 0777; in JSON as a decimal number. Not set, the volume's default.",
    }),
  }),
);
