// The schema of PersistentVolume.

import { dns1123SubdomainProblems } from "../../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";
import { LISTED } from "../../../schema/check-fields.ts";
import { objectSchema } from "../../meta/object-schema.ts";
import { nodeSelector } from "../node-selector.ts";
import { objectReference } from "../object-reference.ts";
import { persistentVolumeSource } from "./source.ts";

export type PersistentVolume = ObjectOf<typeof persistentVolumeSchema>;

export const persistentVolumeSchema = objectSchema(
  "core.v1.PersistentVolume",
  "A piece of storage in the cluster.",
  () => ({
    spec: opt.of(persistentVolumeSpec, 2, "What the volume is and who may use it."),
    status: opt.of(persistentVolumeStatus, 3, "What became of the volume."),
  }),
);

export type PersistentVolumeSpec = ObjectOf<typeof persistentVolumeSpec>;

export const persistentVolumeSpec = s.struct(
  "core.v1.PersistentVolumeSpec",
  "What a volume is and who may use it.",
  () => ({
    capacity: opt.map("quantity", 1, "What the volume holds, by resource; `storage` is required.", {
      alias: "ResourceList",
    }),
    persistentVolumeSource: s.inline(persistentVolumeSource, 2),
    accessModes: opt.atomic(
      s.enumValue(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]),
      3,
      "All the ways in which the volume can be mounted. At least one.",
      { alias: "PersistentVolumeAccessMode" },
    ),
    claimRef: ptr.of(objectReference, 4, "The claim to which the volume is bound, or for which it is reserved.", {
      mapType: "granular",
    }),
    persistentVolumeReclaimPolicy: opt.enumOf(
      "PersistentVolumeReclaimPolicy",
      ["Delete", "Recycle", "Retain"],
      5,
      "What happens when the claim is gone: `Retain` keeps data and volume, `Delete` deletes both, `Recycle` is no longer advised.",
    ),
    storageClassName: opt.string(6, "Class to which the volume belongs. Empty, only claims without a class get it.", {
      must: { form: dns1123SubdomainProblems },
    }),
    mountOptions: opt.atomic(
      "string",
      7,
      "Options for mounting, such as `ro` or `soft`. Not checked: a wrong one makes the mount fail.",
    ),
    volumeMode: ptr.enumOf(
      "PersistentVolumeMode",
      ["Block", "Filesystem"],
      8,
      "`Filesystem`, also when not set, or `Block` for a raw device.",
      { must: LISTED },
    ),
    nodeAffinity: ptr.of(
      volumeNodeAffinity,
      9,
      "Nodes from which the volume can be reached. Not set, all; pods that use it are scheduled there.",
    ),
    volumeAttributesClassName: ptr.string(
      10,
      "Class of attributes that the volume has. May change only by way of the claim.",
      { gate: "VolumeAttributesClass" },
    ),
  }),
);

export type VolumeNodeAffinity = ObjectOf<typeof volumeNodeAffinity>;

export const volumeNodeAffinity = s.struct(
  "core.v1.VolumeNodeAffinity",
  "Nodes from which a volume can be reached.",
  () => ({
    required: ptr.of(nodeSelector, 1, "What a node must match to reach the volume."),
  }),
);

const persistentVolumeStatus = s.struct("core.v1.PersistentVolumeStatus", "What became of a volume.", () => ({
  phase: opt.enumOf(
    "PersistentVolumePhase",
    ["Available", "Bound", "Failed", "Pending", "Released"],
    1,
    "`Pending`, `Available` for claims, `Bound` to one, `Released` when its claim is gone, or `Failed` to be reclaimed.",
  ),
  message: opt.string(2, "Why it is in this phase, for people."),
  reason: opt.string(3, "Why it failed, in one word for programs."),
  lastPhaseTransitionTime: ptr.time(4, "When the phase last changed."),
}));
