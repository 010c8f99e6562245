// VolumeAttributesClass: attributes of volumes that may change while they are used.

import { equalJson } from "../../base/json.ts";
import { type FieldError, forbiddenField } from "../../meta/field-error.ts";
import { opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { checkParameters, checkProvisioner } from "./parameter-validation.ts";

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

function validateVolumeAttributesClass({ driverName, parameters }: VolumeAttributesClass): FieldError[] {
  const errors: FieldError[] = [];
  checkProvisioner(driverName, "driverName", errors);
  checkParameters(parameters, false, errors);
  return errors;
}

function validateVolumeAttributesClassUpdate(
  attributes: VolumeAttributesClass,
  old: VolumeAttributesClass,
): FieldError[] {
  const errors = validateVolumeAttributesClass(attributes);
  const forbid = (field: string) => errors.push(forbiddenField(field, `updates to ${field} are forbidden.`));
  if (attributes.driverName !== old.driverName) forbid("driverName");
  if (!equalJson(attributes.parameters ?? {}, old.parameters ?? {})) forbid("parameters");
  return errors;
}
