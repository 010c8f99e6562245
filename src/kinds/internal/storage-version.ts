// StorageVersion: in which version servers store a resource.

import { opt, ptr, s, shown } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { storageVersionNameProblems, validateStorageVersion } from "./storage-version-validation.ts";

export type StorageVersion = ObjectOf<typeof storageVersionSchema>;

const storageVersionSchema = objectSchema(
  "apiserverinternal.v1alpha1.StorageVersion",
  "In which version servers store a resource.",
  () => ({
    spec: s.of(storageVersionSpec, 2, "Always empty: there is nothing to ask for."),
    status: s.of(storageVersionStatus, 3, "What each server reports. The object is named group.resource."),
  }),
);

export const storageVersion = defineKind({
  group: "internal.apiserver",
  version: "v1alpha1",
  kind: "StorageVersion",
  resource: "storageversions",
  scope: "Cluster",
  schema: storageVersionSchema,
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

const storageVersionSpec = s.struct("apiserverinternal.v1alpha1.StorageVersionSpec", "Empty.", () => ({}));

export type StorageVersionStatus = ObjectOf<typeof storageVersionStatus>;

const storageVersionStatus = s.struct(
  "apiserverinternal.v1alpha1.StorageVersionStatus",
  "Which versions the servers write and read.",
  () => ({
    storageVersions: opt.list(serverStorageVersion, 1, "One entry for each server of the cluster.", {
      listType: "map",
      mapKeys: ["apiServerID"],
    }),
    commonEncodingVersion: ptr.string(
      2,
      "The version that all servers write; not set while they differ or none has reported.",
    ),
    conditions: opt.list(
      storageVersionCondition,
      3,
      "AllEncodingVersionsEqual is True when all servers write the same version.",
      { listType: "map", mapKeys: ["type"] },
    ),
  }),
);

export type ServerStorageVersion = ObjectOf<typeof serverStorageVersion>;

const serverStorageVersion = s.struct(
  "apiserverinternal.v1alpha1.ServerStorageVersion",
  "The versions of one server.",
  () => ({
    apiServerID: opt.string(1, "Which server reports this."),
    encodingVersion: opt.string(2, "Version in which the server writes objects, as group/version."),
    decodableVersions: opt.set("string", 3, "Versions that the server can read; encodingVersion is among them."),
    servedVersions: opt.set(
      "string",
      4,
      "Versions that the server offers to clients; all of them are in decodableVersions.",
    ),
  }),
);

const storageVersionCondition = s.struct(
  "apiserverinternal.v1alpha1.StorageVersionCondition",
  "One observation about the versions of the servers.",
  () => ({
    type: s.named("StorageVersionConditionType", 1, "What is observed, such as AllEncodingVersionsEqual."),
    status: s.named("ConditionStatus", 2, "True, False or Unknown."),
    observedGeneration: opt.int64(3, "The metadata.generation that this was observed of."),
    lastTransitionTime: shown.time(4, "When the status last became another one."),
    reason: s.string(5, "Why the status is what it is, as one CamelCase word for programs."),
    message: s.string(6, "What was observed, for people.", { omitEmpty: true }),
  }),
);
