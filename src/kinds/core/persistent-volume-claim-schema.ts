// The schema of PersistentVolumeClaim.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { typedLocalObjectReference, typedObjectReference } from "./object-reference.ts";

export type PersistentVolumeClaim = ObjectOf<typeof persistentVolumeClaimSchema>;

export const persistentVolumeClaimSchema = objectSchema(
  "core.v1.PersistentVolumeClaim",
  { doc: "A request for storage." },
  () => ({
    spec: s.of(persistentVolumeClaimSpec, { proto: 2, optional: true, doc: "The storage that is asked for." }),
    status: s.of(persistentVolumeClaimStatus, { proto: 3, optional: true, doc: "What became of the claim." }),
  }),
);

export type PersistentVolumeClaimSpec = ObjectOf<typeof persistentVolumeClaimSpec>;

export const persistentVolumeClaimSpec = s.struct(
  "core.v1.PersistentVolumeClaimSpec",
  { doc: "The storage that is asked for." },
  () => ({
    accessModes: s.list(s.enumValue(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]), {
      alias: "PersistentVolumeAccessMode",
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "How the volume is to be used: by one node, one pod or many nodes, for reading or writing. At least one.",
    }),
    selector: s.of(labelSelector, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Only volumes with such labels are considered.",
    }),
    resources: s.of(volumeResourceRequirements, {
      proto: 2,
      optional: true,
      doc: "How large the volume must be at least. May be raised later if the class allows it.",
    }),
    volumeName: s.string({ proto: 3, optional: true, doc: "The volume to which the claim is or shall be bound." }),
    storageClassName: s.string({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Class of the storage. Not set, the default class; empty, only volumes without a class.",
    }),
    volumeMode: s.enumOf(["Block", "Filesystem"], {
      alias: "PersistentVolumeMode",
      proto: 6,
      optional: true,
      pointer: true,
      doc: "`Filesystem`, also when not set, or `Block` for a raw device.",
    }),
    dataSource: s.of(typedLocalObjectReference, {
      proto: 7,
      optional: true,
      pointer: true,
      doc: "Claim or snapshot with whose data the volume starts. The same as `dataSourceRef`, without a namespace.",
    }),
    dataSourceRef: s.of(typedObjectReference, {
      proto: 8,
      optional: true,
      pointer: true,
      doc: "Object with whose data the volume starts: a claim, a snapshot or one for which a populator exists.",
    }),
    volumeAttributesClassName: s.string({
      proto: 9,
      optional: true,
      pointer: true,
      gate: "VolumeAttributesClass",
      doc: "Class of attributes that may change while the volume is used, such as its speed. Not set or empty, none.",
    }),
  }),
);

export type VolumeResourceRequirements = ObjectOf<typeof volumeResourceRequirements>;

export const volumeResourceRequirements = s.struct(
  "core.v1.VolumeResourceRequirements",
  { doc: "How much storage is needed." },
  () => ({
    limits: s.map("quantity", {
      alias: "ResourceList",
      proto: 1,
      optional: true,
      doc: "The most that the volume may hold, by resource; only `storage` counts.",
    }),
    requests: s.map("quantity", {
      alias: "ResourceList",
      proto: 2,
      optional: true,
      doc: "The least that the volume must hold, by resource; only `storage` counts, and it is required.",
    }),
  }),
);

export type PersistentVolumeClaimStatus = ObjectOf<typeof persistentVolumeClaimStatus>;

export const persistentVolumeClaimStatus = s.struct(
  "core.v1.PersistentVolumeClaimStatus",
  { doc: "What became of a claim." },
  () => ({
    phase: s.enumOf(["Bound", "Lost", "Pending"], {
      alias: "PersistentVolumeClaimPhase",
      proto: 1,
      optional: true,
      doc: "`Pending` until it has a volume, `Bound`, or `Lost` when the volume has gone.",
    }),
    accessModes: s.list(s.enumValue(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]), {
      alias: "PersistentVolumeAccessMode",
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Access modes that the volume has.",
    }),
    capacity: s.map("quantity", {
      alias: "ResourceList",
      proto: 3,
      optional: true,
      doc: "What the volume holds now, by resource.",
    }),
    conditions: s.list(persistentVolumeClaimCondition, {
      proto: 4,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
      doc: "What is known of the claim, such as a change of its size.",
    }),
    allocatedResources: s.map("quantity", {
      alias: "ResourceList",
      proto: 5,
      optional: true,
      gate: "RecoverVolumeExpansionFailure",
      doc: "Size that is being made or has been made, by resource. Quota counts the larger of this and the request.",
    }),
    allocatedResourceStatuses: s.map(
      s.enumValue([
        "ControllerResizeInProgress",
        "ControllerResizeInfeasible",
        "NodeResizeInProgress",
        "NodeResizeInfeasible",
        "NodeResizePending",
      ]),
      {
        proto: 7,
        optional: true,
        mapType: "granular",
        gate: "RecoverVolumeExpansionFailure",
        doc: "How far a change of size has come, by resource. No entry, none is under way.",
      },
    ),
    currentVolumeAttributesClassName: s.string({
      proto: 8,
      optional: true,
      pointer: true,
      gate: "VolumeAttributesClass",
      doc: "Class whose attributes the volume has now. Not set, none.",
    }),
    modifyVolumeStatus: s.of(modifyVolumeStatus, {
      proto: 9,
      optional: true,
      pointer: true,
      gate: "VolumeAttributesClass",
      doc: "How far a change of attributes has come. Not set, none is under way.",
    }),
  }),
);

export type PersistentVolumeClaimCondition = ObjectOf<typeof persistentVolumeClaimCondition>;

export const persistentVolumeClaimCondition = s.struct(
  "core.v1.PersistentVolumeClaimCondition",
  { doc: "One aspect of the state of a claim." },
  () => ({
    type: s.string({
      alias: "PersistentVolumeClaimConditionType",
      proto: 1,
      doc: "What is told, for example `Resizing`, `FileSystemResizePending` or `ModifyingVolume`.",
    }),
    status: s.string({ alias: "ConditionStatus", proto: 2, doc: "`True`, `False` or `Unknown`." }),
    lastProbeTime: s.time({ proto: 3, required: false, doc: "When it was last checked." }),
    lastTransitionTime: s.time({ proto: 4, required: false, doc: "When the status last changed." }),
    reason: s.string({
      proto: 5,
      optional: true,
      doc: "Why, in one word for programs. `Resizing` means that the size is being changed.",
    }),
    message: s.string({ proto: 6, optional: true, doc: "Why, for people." }),
  }),
);

export type ModifyVolumeStatus = ObjectOf<typeof modifyVolumeStatus>;

export const modifyVolumeStatus = s.struct(
  "core.v1.ModifyVolumeStatus",
  { doc: "A change of the attributes of a volume." },
  () => ({
    targetVolumeAttributesClassName: s.string({
      proto: 1,
      optional: true,
      doc: "Class whose attributes the volume is being given.",
    }),
    status: s.enumOf(["InProgress", "Infeasible", "Pending"], {
      alias: "PersistentVolumeClaimModifyVolumeStatus",
      proto: 2,
      doc: "`Pending` while something is missing, such as the class; `InProgress`; or `Infeasible`, when the driver refuses it.",
    }),
  }),
);
