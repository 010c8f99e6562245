// StorageVersionMigration: writes stored objects again, in the current version.

import { s } from "../../schema/builder.ts";
import { NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { ALL_VERBS } from "../verbs.ts";
import {
  validateMigration,
  validateMigrationStatus,
  validateMigrationUpdate,
} from "./storage-version-migration-validation.ts";

export type StorageVersionMigration = ObjectOf<typeof storageVersionMigrationSchema>;

export const storageVersionMigrationSchema = objectSchema(
  "storagemigration.v1alpha1.StorageVersionMigration",
  { doc: "Writes stored objects again, in the current version." },
  () => ({
    spec: s.of(storageVersionMigrationSpec, { proto: 2, optional: true }),
    status: s.of(storageVersionMigrationStatus, { proto: 3, optional: true }),
  }),
);

export const storageVersionMigration = defineKind({
  group: "storagemigration",
  version: "v1alpha1",
  kind: "StorageVersionMigration",
  resource: "storageversionmigrations",
  singular: "storageversionmigration",
  scope: "Cluster",
  verbs: ALL_VERBS,
  schema: storageVersionMigrationSchema,
  storagePrefix: "storageversionmigrations",
  protobuf: true,
  offByDefault: true,
  name: "dns1123Subdomain",
  columns: [
    NAME_COLUMN,
    {
      name: "Resource",
      type: "string",
      cell: ({ spec: { resource } }) => [resource.resource, resource.version, resource.group].filter(Boolean).join("."),
    },
  ],
  subresources: {
    status: {
      ...statusSubresource<StorageVersionMigration>({ keepMetadata: true, resetFields: [["metadata"], ["spec"]] }),
      validateUpdate: validateMigrationStatus,
    },
  },
  hooks: {
    prepareForCreate(migration) {
      migration.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validateMigration,
    validateUpdate: validateMigrationUpdate,
  },
});

export type StorageVersionMigrationSpec = ObjectOf<typeof storageVersionMigrationSpec>;

export const storageVersionMigrationSpec = s.struct("storagemigration.v1alpha1.StorageVersionMigrationSpec", () => ({
  resource: s.of(groupVersionResource, { proto: 1 }),
  continueToken: s.string({ proto: 2, optional: true }),
}));

export type GroupVersionResource = ObjectOf<typeof groupVersionResource>;

export const groupVersionResource = s.struct("storagemigration.v1alpha1.GroupVersionResource", () => ({
  group: s.string({ proto: 1, optional: true }),
  version: s.string({ proto: 2, optional: true }),
  resource: s.string({ proto: 3, optional: true }),
}));

export type StorageVersionMigrationStatus = ObjectOf<typeof storageVersionMigrationStatus>;

export const storageVersionMigrationStatus = s.struct(
  "storagemigration.v1alpha1.StorageVersionMigrationStatus",
  () => ({
    conditions: s.list(migrationCondition, {
      proto: 1,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
    }),
    resourceVersion: s.string({ proto: 2, optional: true }),
  }),
);

export type MigrationCondition = ObjectOf<typeof migrationCondition>;

export const migrationCondition = s.struct("storagemigration.v1alpha1.MigrationCondition", () => ({
  type: s.string({ alias: "MigrationConditionType", proto: 1 }),
  status: s.string({ alias: "v1.ConditionStatus", proto: 2 }),
  lastUpdateTime: s.time({ proto: 3, required: false }),
  reason: s.string({ proto: 4, optional: true }),
  message: s.string({ proto: 5, optional: true }),
}));
