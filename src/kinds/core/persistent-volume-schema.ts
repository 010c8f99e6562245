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
    spec: s.of(persistentVolumeSpec, { proto: 2, optional: true }),
    status: s.of(persistentVolumeStatus, { proto: 3, optional: true }),
  }),
);

export type PersistentVolumeSpec = ObjectOf<typeof persistentVolumeSpec>;

export const persistentVolumeSpec = s.struct("core.v1.PersistentVolumeSpec", () => ({
  capacity: s.map("quantity", { alias: "ResourceList", proto: 1, optional: true }),
  persistentVolumeSource: s.inline(persistentVolumeSource, { proto: 2, protoName: "persistentVolumeSource" }),
  accessModes: s.list(s.enumValue(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]), {
    alias: "PersistentVolumeAccessMode",
    proto: 3,
    optional: true,
    listType: "atomic",
  }),
  claimRef: s.of(objectReference, { proto: 4, optional: true, pointer: true, mapType: "granular" }),
  persistentVolumeReclaimPolicy: s.enumOf(["Delete", "Recycle", "Retain"], {
    alias: "PersistentVolumeReclaimPolicy",
    proto: 5,
    optional: true,
  }),
  storageClassName: s.string({ proto: 6, optional: true }),
  mountOptions: s.list("string", { proto: 7, optional: true, listType: "atomic" }),
  volumeMode: s.enumOf(["Block", "Filesystem"], {
    alias: "PersistentVolumeMode",
    proto: 8,
    optional: true,
    pointer: true,
  }),
  nodeAffinity: s.of(volumeNodeAffinity, { proto: 9, optional: true, pointer: true }),
  volumeAttributesClassName: s.string({ proto: 10, optional: true, pointer: true, gate: "VolumeAttributesClass" }),
}));

export type VolumeNodeAffinity = ObjectOf<typeof volumeNodeAffinity>;

export const volumeNodeAffinity = s.struct("core.v1.VolumeNodeAffinity", () => ({
  required: s.of(nodeSelector, { proto: 1, optional: true, pointer: true }),
}));

export type PersistentVolumeStatus = ObjectOf<typeof persistentVolumeStatus>;

export const persistentVolumeStatus = s.struct("core.v1.PersistentVolumeStatus", () => ({
  phase: s.enumOf(["Available", "Bound", "Failed", "Pending", "Released"], {
    alias: "PersistentVolumePhase",
    proto: 1,
    optional: true,
  }),
  message: s.string({ proto: 2, optional: true }),
  reason: s.string({ proto: 3, optional: true }),
  lastPhaseTransitionTime: s.time({ proto: 4, optional: true, pointer: true }),
}));
