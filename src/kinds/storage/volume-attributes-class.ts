// VolumeAttributesClass: attributes of volumes that may change while they are used.

import { opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import {
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from "./volume-attributes-class-validation.ts";

export type VolumeAttributesClass = ObjectOf<typeof volumeAttributesClassSchema>;

const volumeAttributesClassSchema = objectSchema(
  "storage.v1.VolumeAttributesClass",
  "Attributes of volumes that may change while they are used, such as throughput. Claims name the class.",
  () => ({
    driverName: s.string(2, "The driver that the attributes are for. Cannot change."),
    parameters: opt.map(
      "string",
      3,
      "The attributes for the driver, by key; at least one, at most 512. Cannot change: move claims to another class.",
    ),
  }),
);

export const volumeAttributesClass = defineKind({
  group: "storage",
  version: "v1",
  kind: "VolumeAttributesClass",
  resource: "volumeattributesclasses",
  scope: "Cluster",
  shortNames: ["vac"],
  schema: volumeAttributesClassSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  columns: [
    NAME_COLUMN,
    { name: "DriverName", type: "string", cell: (attributes) => attributes.driverName },
    AGE_COLUMN,
  ],
  hooks: { validate: validateVolumeAttributesClass, validateUpdate: validateVolumeAttributesClassUpdate },
});
