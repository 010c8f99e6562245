// StorageClass: how volumes of a class are made.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { topologySelectorTerm } from "../core/node-selector.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { validateStorageClass, validateStorageClassUpdate } from "./storage-class-validation.ts";

export type StorageClass = ObjectOf<typeof storageClassSchema>;

export const storageClassSchema = objectSchema(
  "storage.v1.StorageClass",
  {
    doc: "How volumes of a class are made; claims choose the class by its name.",
  },
  () => ({
    provisioner: s.string({ proto: 2, doc: "The driver that makes the volumes. Cannot change." }),
    parameters: s.map("string", {
      proto: 3,
      optional: true,
      doc: "Settings for the driver, by key; at most 512. Cannot change.",
    }),
    reclaimPolicy: s.enumOf(["Delete", "Recycle", "Retain"], {
      alias: "PersistentVolumeReclaimPolicy",
      proto: 4,
      optional: true,
      pointer: true,
      doc: "What becomes of a volume when its claim is gone: Delete (the default) or Retain. Cannot change.",
    }),
    mountOptions: s.list("string", {
      proto: 5,
      optional: true,
      listType: "atomic",
      doc: "Options with which volumes are mounted; not checked, and a wrong one makes the mount fail.",
    }),
    allowVolumeExpansion: s.boolean({
      proto: 6,
      optional: true,
      pointer: true,
      doc: "True if claims of this class may ask for more space later.",
    }),
    volumeBindingMode: s.enumOf(["Immediate", "WaitForFirstConsumer"], {
      alias: "VolumeBindingMode",
      proto: 7,
      optional: true,
      pointer: true,
      doc: "Immediate (the default) makes volumes at once, WaitForFirstConsumer where the first pod is placed. Cannot change.",
    }),
    allowedTopologies: s.list(topologySelectorTerm, {
      proto: 8,
      optional: true,
      listType: "atomic",
      doc: "Where volumes may be made, by labels of nodes; empty means anywhere.",
    }),
  }),
);

export const storageClass = defineKind({
  group: "storage",
  version: "v1",
  kind: "StorageClass",
  resource: "storageclasses",
  singular: "storageclass",
  scope: "Cluster",
  shortNames: ["sc"],
  verbs: ALL_VERBS,
  schema: storageClassSchema,
  storagePrefix: "storageclasses",
  unconditionalUpdate: true,
  returnDeletedObject: true,
  protobuf: true,
  name: "dns1123Subdomain",
  columns: [
    NAME_COLUMN,
    { name: "Provisioner", type: "string", cell: (storageClass) => storageClass.provisioner },
    { name: "ReclaimPolicy", type: "string", cell: (storageClass) => storageClass.reclaimPolicy ?? "Delete" },
    {
      name: "VolumeBindingMode",
      type: "string",
      cell: (storageClass) => storageClass.volumeBindingMode ?? "Immediate",
    },
    {
      name: "AllowVolumeExpansion",
      type: "string",
      cell: (storageClass) => storageClass.allowVolumeExpansion ?? false,
    },
    AGE_COLUMN,
  ],
  hooks: {
    default(storageClass) {
      storageClass.reclaimPolicy ??= "Delete";
      storageClass.volumeBindingMode ??= "Immediate";
    },
    validate: validateStorageClass,
    validateUpdate: validateStorageClassUpdate,
  },
});
