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
    spec: s.of(storageVersionSpec, { proto: 2, doc: "Always empty: there is nothing to ask for." }),
    status: s.of(storageVersionStatus, {
      proto: 3,
      doc: "What each server reports. The object is named group.resource.",
    }),
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

export const storageVersionSpec = s.struct(
  "apiserverinternal.v1alpha1.StorageVersionSpec",
  { doc: "Empty." },
  () => ({}),
);

export type StorageVersionStatus = ObjectOf<typeof storageVersionStatus>;

export const storageVersionStatus = s.struct(
  "apiserverinternal.v1alpha1.StorageVersionStatus",
  { doc: "Which versions the servers write and read." },
  () => ({
    storageVersions: s.list(serverStorageVersion, {
      proto: 1,
      optional: true,
      listType: "map",
      mapKeys: ["apiServerID"],
      doc: "One entry for each server of the cluster.",
    }),
    commonEncodingVersion: s.string({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The version that all servers write; not set while they differ or none has reported.",
    }),
    conditions: s.list(storageVersionCondition, {
      proto: 3,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      doc: "AllEncodingVersionsEqual is True when all servers write the same version.",
    }),
  }),
);

export type ServerStorageVersion = ObjectOf<typeof serverStorageVersion>;

export const serverStorageVersion = s.struct(
  "apiserverinternal.v1alpha1.ServerStorageVersion",
  { doc: "The versions of one server." },
  () => ({
    apiServerID: s.string({ proto: 1, optional: true, doc: "Which server reports this." }),
    encodingVersion: s.string({
      proto: 2,
      optional: true,
      doc: "Version in which the server writes objects, as group/version.",
    }),
    decodableVersions: s.list("string", {
      proto: 3,
      optional: true,
      listType: "set",
      doc: "Versions that the server can read; encodingVersion is among them.",
    }),
    servedVersions: s.list("string", {
      proto: 4,
      optional: true,
      listType: "set",
      doc: "Versions that the server offers to clients; all of them are in decodableVersions.",
    }),
  }),
);

export type StorageVersionCondition = ObjectOf<typeof storageVersionCondition>;

export const storageVersionCondition = s.struct(
  "apiserverinternal.v1alpha1.StorageVersionCondition",
  { doc: "One observation about the versions of the servers." },
  () => ({
    type: s.string({
      alias: "StorageVersionConditionType",
      proto: 1,
      doc: "What is observed, such as AllEncodingVersionsEqual.",
    }),
    status: s.string({ alias: "ConditionStatus", proto: 2, doc: "True, False or Unknown." }),
    observedGeneration: s.int64({
      proto: 3,
      optional: true,
      doc: "The metadata.generation that this was observed of.",
    }),
    lastTransitionTime: s.time({ proto: 4, required: false, doc: "When the status last became another one." }),
    reason: s.string({ proto: 5, doc: "Why the status is what it is, as one CamelCase word for programs." }),
    message: s.string({ proto: 6, omitEmpty: true, doc: "What was observed, for people." }),
  }),
);
