// PersistentVolume: a piece of storage in the cluster.

import { timeOfMs } from "../../meta/time.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { accessModesCell } from "../cells/volumes.ts";
import { type CellContext, defineKind, type HookContext } from "../define-kind.ts";
import { keepStatus, restore, statusSubresource } from "../subresources.ts";
import { defaultPersistentVolumeSpec } from "./persistent-volume/defaults.ts";
import { type PersistentVolume, persistentVolumeSchema } from "./persistent-volume/schema.ts";
import {
  validatePersistentVolume,
  validatePersistentVolumeStatus,
  validatePersistentVolumeUpdate,
  warnPersistentVolume,
} from "./persistent-volume/validation.ts";

export type { PersistentVolume } from "./persistent-volume/schema.ts";

export const persistentVolume = defineKind({
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  resource: "persistentvolumes",
  scope: "Cluster",
  shortNames: ["pv"],
  schema: persistentVolumeSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  columns: [
    NAME_COLUMN,
    { name: "Capacity", type: "string", cell: (volume) => volume.spec.capacity?.["storage"] ?? "0" },
    { name: "Access Modes", type: "string", cell: (volume) => accessModesCell(volume.spec.accessModes) },
    { name: "Reclaim Policy", type: "string", cell: (volume) => volume.spec.persistentVolumeReclaimPolicy ?? "" },
    { name: "Status", type: "string", cell: volumePhase },
    { name: "Claim", type: "string", cell: claimCell },
    { name: "StorageClass", type: "string", cell: volumeClass },
    {
      name: "VolumeAttributesClass",
      type: "string",
      cell: (volume) => volume.spec.volumeAttributesClassName ?? "<unset>",
    },
    { name: "Reason", type: "string", cell: (volume) => volume.status.reason ?? "" },
    AGE_COLUMN,
    { name: "VolumeMode", type: "string", priority: 1, cell: (volume) => volume.spec.volumeMode ?? "<unset>" },
  ],
  subresources: {
    status: {
      ...statusSubresource<PersistentVolume>(),
      prepareForUpdate: prepareStatus,
      validateUpdate: validatePersistentVolumeStatus,
    },
  },
  hooks: {
    default(volume) {
      defaultPersistentVolumeSpec(volume.spec);
      volume.status.phase ||= "Pending";
      volume.spec.persistentVolumeReclaimPolicy ||= "Retain";
      volume.spec.volumeMode ??= "Filesystem";
    },
    prepareForCreate(volume, { nowMs }) {
      volume.status = { phase: "Pending", lastPhaseTransitionTime: timeOfMs(nowMs) };
    },
    prepareForUpdate: keepStatus,
    validate: validatePersistentVolume,
    validateUpdate: validatePersistentVolumeUpdate,
    warn: warnPersistentVolume,
  },
});

function prepareStatus(volume: PersistentVolume, old: PersistentVolume, { nowMs }: HookContext): void {
  volume.spec = old.spec;
  const { status } = volume;
  const isGiven =
    status.lastPhaseTransitionTime !== undefined &&
    status.lastPhaseTransitionTime !== old.status.lastPhaseTransitionTime;
  if (isGiven) return;
  if (status.phase !== old.status.phase) status.lastPhaseTransitionTime = timeOfMs(nowMs);
  else restore(status, old.status, "lastPhaseTransitionTime");
}

function volumePhase({ metadata, status }: PersistentVolume): string {
  return metadata.deletionTimestamp ? "Terminating" : (status.phase ?? "");
}

function claimCell({ spec: { claimRef } }: PersistentVolume): string {
  return claimRef ? `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}` : "";
}

function volumeClass({ metadata, spec }: PersistentVolume, { names }: CellContext): string {
  return metadata.annotations?.[names.betaStorageClassAnnotation] ?? spec.storageClassName ?? "";
}
