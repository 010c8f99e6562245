// StorageClass: how volumes of a class are made.

import { opt, ptr, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { topologySelectorTerm } from "../core/node-selector.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateStorageClass, validateStorageClassUpdate } from "./storage-class-validation.ts";

export type StorageClass = ObjectOf<typeof storageClassSchema>;

const storageClassSchema = objectSchema(
  "storage.v1.StorageClass",
  "How volumes of a class are made; claims choose the class by its name.",
  () => ({
    provisioner: s.string(2, "The driver that makes the volumes. Cannot change."),
    parameters: opt.map("string", 3, "Settings for the driver, by key; at most 512. Cannot change."),
    reclaimPolicy: ptr.enumOf(
      "PersistentVolumeReclaimPolicy",
      ["Delete", "Recycle", "Retain"],
      4,
      "What becomes of a volume when its claim is gone: Delete (the default) or Retain. Cannot change.",
    ),
    mountOptions: opt.atomic(
      "string",
      5,
      "Options with which volumes are mounted; not checked, and a wrong one makes the mount fail.",
    ),
    allowVolumeExpansion: ptr.boolean(6, "True if claims of this class may ask for more space later."),
    volumeBindingMode: ptr.enumOf(
      "VolumeBindingMode",
      ["Immediate", "WaitForFirstConsumer"],
      7,
      "Immediate (the default) makes volumes at once, WaitForFirstConsumer where the first pod is placed. Cannot change.",
    ),
    allowedTopologies: opt.atomic(
      topologySelectorTerm,
      8,
      "Where volumes may be made, by labels of nodes; empty means anywhere.",
    ),
  }),
);

export const storageClass = defineKind({
  group: "storage",
  version: "v1",
  kind: "StorageClass",
  resource: "storageclasses",
  scope: "Cluster",
  shortNames: ["sc"],
  schema: storageClassSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
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
