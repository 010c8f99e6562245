// PersistentVolumeClaim: a request for storage.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { accessModesCell } from "../cells/volumes.ts";
import { type CellContext, defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { defaultClaimSpec, settleDataSources } from "./persistent-volume-claim/defaults.ts";
import { type PersistentVolumeClaim, persistentVolumeClaimSchema } from "./persistent-volume-claim/schema.ts";
import {
  validateClaim,
  validateClaimStatus,
  validateClaimUpdate,
  warnClaim,
} from "./persistent-volume-claim/validation.ts";
import { roundResourceList } from "./resource-list.ts";

export type { PersistentVolumeClaim } from "./persistent-volume-claim/schema.ts";

export const persistentVolumeClaim = defineKind({
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  resource: "persistentvolumeclaims",
  scope: "Namespaced",
  shortNames: ["pvc"],
  schema: persistentVolumeClaimSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  columns: [
    NAME_COLUMN,
    { name: "Status", type: "string", cell: claimPhase },
    { name: "Volume", type: "string", cell: (claim) => claim.spec.volumeName ?? "" },
    {
      name: "Capacity",
      type: "string",
      cell: (claim) => (claim.spec.volumeName ? (claim.status.capacity?.["storage"] ?? "0") : ""),
    },
    {
      name: "Access Modes",
      type: "string",
      cell: (claim) => (claim.spec.volumeName ? accessModesCell(claim.status.accessModes) : ""),
    },
    { name: "StorageClass", type: "string", cell: claimClass },
    {
      name: "VolumeAttributesClass",
      type: "string",
      cell: (claim) => claim.spec.volumeAttributesClassName ?? "<unset>",
    },
    AGE_COLUMN,
    { name: "VolumeMode", type: "string", priority: 1, cell: (claim) => claim.spec.volumeMode ?? "<unset>" },
  ],
  subresources: { status: { ...statusSubresource<PersistentVolumeClaim>(), validateUpdate: validateClaimStatus } },
  hooks: {
    default(claim) {
      defaultClaimSpec(claim.spec);
      roundResourceList(claim.status.capacity);
      roundResourceList(claim.status.allocatedResources);
      claim.status.phase ||= "Pending";
    },
    prepareForCreate(claim, context) {
      claim.status = { phase: "Pending" };
      settleDataSources(claim.spec, undefined, context);
    },
    prepareForUpdate(claim, old, context) {
      keepStatus(claim, old);
      settleDataSources(claim.spec, old.spec, context);
    },
    validate: validateClaim,
    validateUpdate: validateClaimUpdate,
    warn: warnClaim,
  },
});

function claimPhase({ metadata, status }: PersistentVolumeClaim): string {
  return metadata.deletionTimestamp ? "Terminating" : (status.phase ?? "");
}

function claimClass({ metadata, spec }: PersistentVolumeClaim, { names }: CellContext): string {
  return metadata.annotations?.[names.betaStorageClassAnnotation] ?? spec.storageClassName ?? "";
}
