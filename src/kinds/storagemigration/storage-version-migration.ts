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
    spec: s.of(storageVersionMigrationSpec, {
      proto: 2,
      optional: true,
      doc: "Which objects to rewrite.",
    }),
    status: s.of(storageVersionMigrationStatus, {
      proto: 3,
      optional: true,
      doc: "How far the rewriting has come; written by the controller.",
    }),
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

export const storageVersionMigrationSpec = s.struct(
  "storagemigration.v1alpha1.StorageVersionMigrationSpec",
  { doc: "Which objects to rewrite." },
  () => ({
    resource: s.of(groupVersionResource, {
      proto: 1,
      doc: "The resource whose objects are rewritten; any served version of it will do. Cannot change.",
    }),
    continueToken: s.string({
      proto: 2,
      optional: true,
      doc: "Where to go on in the list of objects; empty starts at the beginning.",
    }),
  }),
);

export type GroupVersionResource = ObjectOf<typeof groupVersionResource>;

export const groupVersionResource = s.struct(
  "storagemigration.v1alpha1.GroupVersionResource",
  { doc: "A resource by its full name." },
  () => ({
    group: s.string({ proto: 1, optional: true, doc: "The API group; empty for the core group." }),
    version: s.string({ proto: 2, optional: true, doc: "The API version; required." }),
    resource: s.string({ proto: 3, optional: true, doc: "The plural word of the resource; required." }),
  }),
);

export type StorageVersionMigrationStatus = ObjectOf<typeof storageVersionMigrationStatus>;

export const storageVersionMigrationStatus = s.struct(
  "storagemigration.v1alpha1.StorageVersionMigrationStatus",
  { doc: "How far a migration has come." },
  () => ({
    conditions: s.list(migrationCondition, {
      proto: 1,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
      doc: "The present state by aspect: Running, Succeeded, Failed.",
    }),
    resourceVersion: s.string({
      proto: 2,
      optional: true,
      doc: "The version of the store at which the migration began; objects written later need no rewriting.",
    }),
  }),
);

export type MigrationCondition = ObjectOf<typeof migrationCondition>;

export const migrationCondition = s.struct(
  "storagemigration.v1alpha1.MigrationCondition",
  { doc: "One aspect of the state of a migration." },
  () => ({
    type: s.string({ alias: "MigrationConditionType", proto: 1, doc: "Running, Succeeded or Failed." }),
    status: s.string({
      alias: "v1.ConditionStatus",
      proto: 2,
      doc: "Whether the condition holds: True, False or Unknown.",
    }),
    lastUpdateTime: s.time({ proto: 3, required: false, doc: "When the condition was last written." }),
    reason: s.string({ proto: 4, optional: true, doc: "One word for programs: why it became so. Required." }),
    message: s.string({ proto: 5, optional: true, doc: "Details for people." }),
  }),
);
