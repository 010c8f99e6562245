// The schema of PersistentVolume.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { nodeSelector } from "./node-selector.ts";
import { objectReference } from "./object-reference.ts";
import { persistentVolumeSource } from "./persistent-volume-source.ts";

export type PersistentVolume = ObjectOf<typeof persistentVolumeSchema>;

export const persistentVolumeSchema = objectSchema(
  "core.v1.PersistentVolume",
  { doc: "A piece of storage in the cluster." },
  () => ({
    spec: s.of(persistentVolumeSpec, { proto: 2, optional: true, doc: "What the volume is and who may use it." }),
    status: s.of(persistentVolumeStatus, { proto: 3, optional: true, doc: "What became of the volume." }),
  }),
);

export type PersistentVolumeSpec = ObjectOf<typeof persistentVolumeSpec>;

export const persistentVolumeSpec = s.struct(
  "core.v1.PersistentVolumeSpec",
  { doc: "What a volume is and who may use it." },
  () => ({
    capacity: s.map("quantity", {
      alias: "ResourceList",
      proto: 1,
      optional: true,
      doc: "What the volume holds, by resource; `storage` is required.",
    }),
    persistentVolumeSource: s.inline(persistentVolumeSource, { proto: 2, protoName: "persistentVolumeSource" }),
    accessModes: s.list(s.enumValue(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]), {
      alias: "PersistentVolumeAccessMode",
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "All the ways in which the volume can be mounted. At least one.",
    }),
    claimRef: s.of(objectReference, {
      proto: 4,
      optional: true,
      pointer: true,
      mapType: "granular",
      doc: "The claim to which the volume is bound, or for which it is reserved.",
    }),
    persistentVolumeReclaimPolicy: s.enumOf(["Delete", "Recycle", "Retain"], {
      alias: "PersistentVolumeReclaimPolicy",
      proto: 5,
      optional: true,
      doc: "What happens when the claim is gone: `Retain` keeps data and volume, `Delete` deletes both, `Recycle` is no longer advised.",
    }),
    storageClassName: s.string({
      proto: 6,
      optional: true,
      doc: "Class to which the volume belongs. Empty, only claims without a class get it.",
    }),
    mountOptions: s.list("string", {
      proto: 7,
      optional: true,
      listType: "atomic",
      doc: "Options for mounting, such as `ro` or `soft`. Not checked: a wrong one makes the mount fail.",
    }),
    volumeMode: s.enumOf(["Block", "Filesystem"], {
      alias: "PersistentVolumeMode",
      proto: 8,
      optional: true,
      pointer: true,
      doc: "`Filesystem`, also when not set, or `Block` for a raw device.",
    }),
    nodeAffinity: s.of(volumeNodeAffinity, {
      proto: 9,
      optional: true,
      pointer: true,
      doc: "Nodes from which the volume can be reached. Not set, all; pods that use it are scheduled there.",
    }),
    volumeAttributesClassName: s.string({
      proto: 10,
      optional: true,
      pointer: true,
      gate: "VolumeAttributesClass",
      doc: "Class of attributes that the volume has. May change only by way of the claim.",
    }),
  }),
);

export type VolumeNodeAffinity = ObjectOf<typeof volumeNodeAffinity>;

export const volumeNodeAffinity = s.struct(
  "core.v1.VolumeNodeAffinity",
  { doc: "Nodes from which a volume can be reached." },
  () => ({
    required: s.of(nodeSelector, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "What a node must match to reach the volume.",
    }),
  }),
);

export type PersistentVolumeStatus = ObjectOf<typeof persistentVolumeStatus>;

export const persistentVolumeStatus = s.struct(
  "core.v1.PersistentVolumeStatus",
  { doc: "What became of a volume." },
  () => ({
    phase: s.enumOf(["Available", "Bound", "Failed", "Pending", "Released"], {
      alias: "PersistentVolumePhase",
      proto: 1,
      optional: true,
      doc: "`Pending`, `Available` for claims, `Bound` to one, `Released` when its claim is gone, or `Failed` to be reclaimed.",
    }),
    message: s.string({ proto: 2, optional: true, doc: "Why it is in this phase, for people." }),
    reason: s.string({ proto: 3, optional: true, doc: "Why it failed, in one word for programs." }),
    lastPhaseTransitionTime: s.time({ proto: 4, optional: true, pointer: true, doc: "When the phase last changed." }),
  }),
);
