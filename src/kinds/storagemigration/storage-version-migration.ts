// StorageVersionMigration: writes stored objects again, in the current version.

import { opt, s, shown } from "../../schema/builder.ts";
import { NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import {
  validateMigration,
  validateMigrationStatus,
  validateMigrationUpdate,
} from "./storage-version-migration-validation.ts";

export type StorageVersionMigration = ObjectOf<typeof storageVersionMigrationSchema>;

const storageVersionMigrationSchema = objectSchema(
  "storagemigration.v1alpha1.StorageVersionMigration",
  "Writes stored objects again, in the current version.",
  () => ({
    spec: opt.of(storageVersionMigrationSpec, 2, "Which objects to rewrite."),
    status: opt.of(storageVersionMigrationStatus, 3, "How far the rewriting has come; written by the controller."),
  }),
);

export const storageVersionMigration = defineKind({
  group: "storagemigration",
  version: "v1alpha1",
  kind: "StorageVersionMigration",
  resource: "storageversionmigrations",
  scope: "Cluster",
  schema: storageVersionMigrationSchema,
  offByDefault: true,
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

const storageVersionMigrationSpec = s.struct(
  "storagemigration.v1alpha1.StorageVersionMigrationSpec",
  "Which objects to rewrite.",
  () => ({
    resource: s.of(
      groupVersionResource,
      1,
      "The resource whose objects are rewritten; any served version of it will do. Cannot change.",
    ),
    continueToken: opt.string(2, "Where to go on in the list of objects; empty starts at the beginning."),
  }),
);

const groupVersionResource = s.struct(
  "storagemigration.v1alpha1.GroupVersionResource",
  "A resource by its full name.",
  () => ({
    group: opt.string(1, "The API group; empty for the core group."),
    version: opt.string(2, "The API version; required."),
    resource: opt.string(3, "The plural word of the resource; required."),
  }),
);

const storageVersionMigrationStatus = s.struct(
  "storagemigration.v1alpha1.StorageVersionMigrationStatus",
  "How far a migration has come.",
  () => ({
    conditions: opt.listBy("type", migrationCondition, 1, "The present state by aspect: Running, Succeeded, Failed."),
    resourceVersion: opt.string(
      2,
      "The version of the store at which the migration began; objects written later need no rewriting.",
    ),
  }),
);

export type MigrationCondition = ObjectOf<typeof migrationCondition>;

const migrationCondition = s.struct(
  "storagemigration.v1alpha1.MigrationCondition",
  "One aspect of the state of a migration.",
  () => ({
    type: s.named("MigrationConditionType", 1, "Running, Succeeded or Failed."),
    status: s.named("v1.ConditionStatus", 2, "Whether the condition holds: True, False or Unknown."),
    lastUpdateTime: shown.time(3, "When the condition was last written."),
    reason: opt.string(4, "One word for programs: why it became so. Required."),
    message: opt.string(5, "Details for people."),
  }),
);
