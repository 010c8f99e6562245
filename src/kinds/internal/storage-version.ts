// StorageVersion: in which version servers store a resource.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { ALL_VERBS } from "../verbs.ts";
import { storageVersionNameProblems, validateStorageVersion } from "./storage-version-validation.ts";

export type StorageVersion = ObjectOf<typeof storageVersionSchema>;

export const storageVersionSchema = objectSchema(
  "apiserverinternal.v1alpha1.StorageVersion",
  { doc: "In which version servers store a resource." },
  () => ({
    spec: s.of(storageVersionSpec, { proto: 2 }),
    status: s.of(storageVersionStatus, { proto: 3 }),
  }),
);

export const storageVersion = defineKind({
  group: "internal.apiserver",
  version: "v1alpha1",
  kind: "StorageVersion",
  resource: "storageversions",
  singular: "storageversion",
  scope: "Cluster",
  verbs: ALL_VERBS,
  schema: storageVersionSchema,
  storagePrefix: "storageversions",
  protobuf: true,
  offByDefault: true,
  name: storageVersionNameProblems,
  columns: [
    NAME_COLUMN,
    { name: "CommonEncodingVersion", type: "string", cell: ({ status }) => status.commonEncodingVersion ?? "<unset>" },
    { name: "StorageVersions", type: "string", cell: versionsCell },
    AGE_COLUMN,
  ],
  subresources: {
    status: {
      ...statusSubresource<StorageVersion>({ keepMetadata: true, resetFields: [["metadata"], ["spec"]] }),
      validateUpdate: validateStorageVersion,
    },
  },
  hooks: {
    prepareForCreate(version) {
      version.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validateStorageVersion,
  },
});

function versionsCell({ status }: StorageVersion): string {
  const versions = (status.storageVersions ?? []).map(
    ({ apiServerID, encodingVersion }) => `${apiServerID ?? ""}=${encodingVersion ?? ""}`,
  );
  return versions.length === 0 ? "<unset>" : versions.join(",");
}

export type StorageVersionSpec = ObjectOf<typeof storageVersionSpec>;

export const storageVersionSpec = s.struct("apiserverinternal.v1alpha1.StorageVersionSpec", () => ({}));

export type StorageVersionStatus = ObjectOf<typeof storageVersionStatus>;

export const storageVersionStatus = s.struct("apiserverinternal.v1alpha1.StorageVersionStatus", () => ({
  storageVersions: s.list(serverStorageVersion, {
    proto: 1,
    optional: true,
    listType: "map",
    mapKeys: ["apiServerID"],
  }),
  commonEncodingVersion: s.string({ proto: 2, optional: true, pointer: true }),
  conditions: s.list(storageVersionCondition, { proto: 3, optional: true, listType: "map", mapKeys: ["type"] }),
}));

export type ServerStorageVersion = ObjectOf<typeof serverStorageVersion>;

export const serverStorageVersion = s.struct("apiserverinternal.v1alpha1.ServerStorageVersion", () => ({
  apiServerID: s.string({ proto: 1, optional: true }),
  encodingVersion: s.string({ proto: 2, optional: true }),
  decodableVersions: s.list("string", { proto: 3, optional: true, listType: "set" }),
  servedVersions: s.list("string", { proto: 4, optional: true, listType: "set" }),
}));

export type StorageVersionCondition = ObjectOf<typeof storageVersionCondition>;

export const storageVersionCondition = s.struct("apiserverinternal.v1alpha1.StorageVersionCondition", () => ({
  type: s.string({ alias: "StorageVersionConditionType", proto: 1 }),
  status: s.string({ alias: "ConditionStatus", proto: 2 }),
  observedGeneration: s.int64({ proto: 3, optional: true }),
  lastTransitionTime: s.time({ proto: 4, required: false }),
  reason: s.string({ proto: 5 }),
  message: s.string({ proto: 6, omitEmpty: true }),
}));
