// The schema of PersistentVolumeClaim.

import { dns1123SubdomainProblems } from "../../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../../schema/builder.ts";
import { LISTED } from "../../../schema/check-fields.ts";
import { reportMembers } from "../../meta/condition.ts";
import { labelSelector } from "../../meta/label-selector.ts";
import { objectSchema } from "../../meta/object-schema.ts";
import { typedLocalObjectReference, typedObjectReference } from "../object-reference.ts";

export type PersistentVolumeClaim = ObjectOf<typeof persistentVolumeClaimSchema>;

export const persistentVolumeClaimSchema = objectSchema(
  "core.v1.PersistentVolumeClaim",
  "A request for storage.",
  () => ({
    spec: opt.of(persistentVolumeClaimSpec, 2, "The storage that is asked for."),
    status: opt.of(persistentVolumeClaimStatus, 3, "What became of the claim."),
  }),
);

export type PersistentVolumeClaimSpec = ObjectOf<typeof persistentVolumeClaimSpec>;

export const persistentVolumeClaimSpec = s.struct(
  "core.v1.PersistentVolumeClaimSpec",
  "The storage that is asked for.",
  () => ({
    accessModes: opt.atomic(
      s.enumValue(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]),
      1,
      "How the volume is to be used: by one node, one pod or many nodes, for reading or writing. At least one.",
      { alias: "PersistentVolumeAccessMode" },
    ),
    selector: ptr.of(labelSelector, 4, "Only volumes with such labels are considered."),
    resources: opt.of(
      volumeResourceRequirements,
      2,
      "How large the volume must be at least. May be raised later if the class allows it.",
    ),
    volumeName: opt.string(3, "The volume to which the claim is or shall be bound."),
    storageClassName: ptr.string(
      5,
      "Class of the storage. Not set, the default class; empty, only volumes without a class.",
      { must: { form: dns1123SubdomainProblems } },
    ),
    volumeMode: ptr.enumOf(
      "PersistentVolumeMode",
      ["Block", "Filesystem"],
      6,
      "`Filesystem`, also when not set, or `Block` for a raw device.",
      { must: LISTED },
    ),
    dataSource: ptr.of(
      typedLocalObjectReference,
      7,
      "Claim or snapshot with whose data the volume starts. The same as `dataSourceRef`, without a namespace.",
    ),
    dataSourceRef: ptr.of(
      typedObjectReference,
      8,
      "Object with whose data the volume starts: a claim, a snapshot or one for which a populator exists.",
    ),
    volumeAttributesClassName: ptr.string(
      9,
      "Class of attributes that may change while the volume is used, such as its speed. Not set or empty, none.",
      { gate: "VolumeAttributesClass", must: { form: dns1123SubdomainProblems } },
    ),
  }),
);

const volumeResourceRequirements = s.struct(
  "core.v1.VolumeResourceRequirements",
  "How much storage is needed.",
  () => ({
    limits: opt.map("quantity", 1, "The most that the volume may hold, by resource; only `storage` counts.", {
      alias: "ResourceList",
    }),
    requests: opt.map(
      "quantity",
      2,
      "The least that the volume must hold, by resource; only `storage` counts, and it is required.",
      { alias: "ResourceList" },
    ),
  }),
);

const persistentVolumeClaimStatus = s.struct("core.v1.PersistentVolumeClaimStatus", "What became of a claim.", () => ({
  phase: opt.enumOf(
    "PersistentVolumeClaimPhase",
    ["Bound", "Lost", "Pending"],
    1,
    "`Pending` until it has a volume, `Bound`, or `Lost` when the volume has gone.",
  ),
  accessModes: opt.atomic(
    s.enumValue(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]),
    2,
    "Access modes that the volume has.",
    { alias: "PersistentVolumeAccessMode" },
  ),
  capacity: opt.map("quantity", 3, "What the volume holds now, by resource.", { alias: "ResourceList" }),
  conditions: opt.listBy(
    "type",
    persistentVolumeClaimCondition,
    4,
    "What is known of the claim, such as a change of its size.",
  ),
  allocatedResources: opt.map(
    "quantity",
    5,
    "Size that is being made or has been made, by resource. Quota counts the larger of this and the request.",
    { alias: "ResourceList", gate: "RecoverVolumeExpansionFailure" },
  ),
  allocatedResourceStatuses: opt.map(
    s.enumValue([
      "ControllerResizeInProgress",
      "ControllerResizeInfeasible",
      "NodeResizeInProgress",
      "NodeResizeInfeasible",
      "NodeResizePending",
    ]),
    7,
    "How far a change of size has come, by resource. No entry, none is under way.",
    { mapType: "granular", gate: "RecoverVolumeExpansionFailure" },
  ),
  currentVolumeAttributesClassName: ptr.string(8, "Class whose attributes the volume has now. Not set, none.", {
    gate: "VolumeAttributesClass",
  }),
  modifyVolumeStatus: ptr.of(
    modifyVolumeStatus,
    9,
    "How far a change of attributes has come. Not set, none is under way.",
    { gate: "VolumeAttributesClass" },
  ),
}));

const persistentVolumeClaimCondition = s.struct(
  "core.v1.PersistentVolumeClaimCondition",
  "One aspect of the state of a claim.",
  () =>
    s.retold(
      reportMembers(
        "PersistentVolumeClaimConditionType",
        "What is told, for example `Resizing`, `FileSystemResizePending` or `ModifyingVolume`.",
        4,
        { lastProbeTime: shown.time(3, "When it was last checked.") },
      ),
      { reason: "Why, in one word for programs. `Resizing` means that the size is being changed." },
    ),
);

const modifyVolumeStatus = s.struct("core.v1.ModifyVolumeStatus", "A change of the attributes of a volume.", () => ({
  targetVolumeAttributesClassName: opt.string(1, "Class whose attributes the volume is being given."),
  status: s.enumOf(
    "PersistentVolumeClaimModifyVolumeStatus",
    ["InProgress", "Infeasible", "Pending"],
    2,
    "`Pending` while something is missing, such as the class; `InProgress`; or `Infeasible`, when the driver refuses it.",
  ),
}));
