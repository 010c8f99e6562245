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
    spec: s.of(persistentVolumeClaimSpec, { proto: 2, optional: true }),
    status: s.of(persistentVolumeClaimStatus, { proto: 3, optional: true }),
  }),
);

export type PersistentVolumeClaimSpec = ObjectOf<typeof persistentVolumeClaimSpec>;

export const persistentVolumeClaimSpec = s.struct("core.v1.PersistentVolumeClaimSpec", () => ({
  accessModes: s.list(s.enumValue(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]), {
    alias: "PersistentVolumeAccessMode",
    proto: 1,
    optional: true,
    listType: "atomic",
  }),
  selector: s.of(labelSelector, { proto: 4, optional: true, pointer: true }),
  resources: s.of(volumeResourceRequirements, { proto: 2, optional: true }),
  volumeName: s.string({ proto: 3, optional: true }),
  storageClassName: s.string({ proto: 5, optional: true, pointer: true }),
  volumeMode: s.enumOf(["Block", "Filesystem"], {
    alias: "PersistentVolumeMode",
    proto: 6,
    optional: true,
    pointer: true,
  }),
  dataSource: s.of(typedLocalObjectReference, { proto: 7, optional: true, pointer: true }),
  dataSourceRef: s.of(typedObjectReference, { proto: 8, optional: true, pointer: true }),
  volumeAttributesClassName: s.string({ proto: 9, optional: true, pointer: true, gate: "VolumeAttributesClass" }),
}));

export type VolumeResourceRequirements = ObjectOf<typeof volumeResourceRequirements>;

export const volumeResourceRequirements = s.struct("core.v1.VolumeResourceRequirements", () => ({
  limits: s.map("quantity", { alias: "ResourceList", proto: 1, optional: true }),
  requests: s.map("quantity", { alias: "ResourceList", proto: 2, optional: true }),
}));

export type PersistentVolumeClaimStatus = ObjectOf<typeof persistentVolumeClaimStatus>;

export const persistentVolumeClaimStatus = s.struct("core.v1.PersistentVolumeClaimStatus", () => ({
  phase: s.enumOf(["Bound", "Lost", "Pending"], { alias: "PersistentVolumeClaimPhase", proto: 1, optional: true }),
  accessModes: s.list(s.enumValue(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]), {
    alias: "PersistentVolumeAccessMode",
    proto: 2,
    optional: true,
    listType: "atomic",
  }),
  capacity: s.map("quantity", { alias: "ResourceList", proto: 3, optional: true }),
  conditions: s.list(persistentVolumeClaimCondition, {
    proto: 4,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
  allocatedResources: s.map("quantity", {
    alias: "ResourceList",
    proto: 5,
    optional: true,
    gate: "RecoverVolumeExpansionFailure",
  }),
  allocatedResourceStatuses: s.map(
    s.enumValue([
      "ControllerResizeInProgress",
      "ControllerResizeInfeasible",
      "NodeResizeInProgress",
      "NodeResizeInfeasible",
      "NodeResizePending",
    ]),
    { proto: 7, optional: true, mapType: "granular", gate: "RecoverVolumeExpansionFailure" },
  ),
  currentVolumeAttributesClassName: s.string({
    proto: 8,
    optional: true,
    pointer: true,
    gate: "VolumeAttributesClass",
  }),
  modifyVolumeStatus: s.of(modifyVolumeStatus, {
    proto: 9,
    optional: true,
    pointer: true,
    gate: "VolumeAttributesClass",
  }),
}));

export type PersistentVolumeClaimCondition = ObjectOf<typeof persistentVolumeClaimCondition>;

export const persistentVolumeClaimCondition = s.struct("core.v1.PersistentVolumeClaimCondition", () => ({
  type: s.string({ alias: "PersistentVolumeClaimConditionType", proto: 1 }),
  status: s.string({ alias: "ConditionStatus", proto: 2 }),
  lastProbeTime: s.time({ proto: 3, required: false }),
  lastTransitionTime: s.time({ proto: 4, required: false }),
  reason: s.string({ proto: 5, optional: true }),
  message: s.string({ proto: 6, optional: true }),
}));

export type ModifyVolumeStatus = ObjectOf<typeof modifyVolumeStatus>;

export const modifyVolumeStatus = s.struct("core.v1.ModifyVolumeStatus", () => ({
  targetVolumeAttributesClassName: s.string({ proto: 1, optional: true }),
  status: s.enumOf(["InProgress", "Infeasible", "Pending"], {
    alias: "PersistentVolumeClaimModifyVolumeStatus",
    proto: 2,
  }),
}));
