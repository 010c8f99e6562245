// ControllerRevision: a snapshot of the state of a controller, never changed.

import { equalJson, isObject } from "../../base/json.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { type ObjectMeta, parseApiVersion } from "../../meta/object.ts";
import { s, shown } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { rowFields } from "../cells/row-fields.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { checkNotNegative, IMMUTABLE } from "../meta/value-checks.ts";

export type ControllerRevision = ObjectOf<typeof controllerRevisionSchema>;

const controllerRevisionSchema = objectSchema(
  "apps.v1.ControllerRevision",
  "A snapshot of the state of a controller, never changed. Daemon sets and stateful sets keep their history in these.",
  () => ({
    data: shown.any("rawExtension", 2, "The state, in a form that only its controller knows. Cannot change."),
    revision: s.int64(3, "The position in the history of the owner; the highest is the newest."),
  }),
);

export const controllerRevision = defineKind({
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  resource: "controllerrevisions",
  scope: "Namespaced",
  schema: controllerRevisionSchema,
  unconditionalUpdate: true,
  rowFields: rowFields("metadata.ownerReferences", "revision"),
  columns: [
    NAME_COLUMN,
    { name: "Controller", type: "string", cell: ({ metadata }) => controllerCell(metadata) },
    { name: "Revision", type: "string", cell: (revision) => revision.revision },
    AGE_COLUMN,
  ],
  hooks: { validate: validateControllerRevision, validateUpdate: validateControllerRevisionUpdate },
});

function controllerCell({ ownerReferences }: ObjectMeta): string {
  const owner = ownerReferences?.find((reference) => reference.controller);
  if (owner === undefined) return "<none>";
  const group = parseApiVersion(owner.apiVersion)?.group ?? "";
  return `${owner.kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${owner.name}`;
}

function validateControllerRevision({ data, revision }: ControllerRevision): FieldError[] {
  const errors: FieldError[] = [];
  checkNotNegative(errors, "revision", revision);
  if (data === undefined || data === null) errors.push(required("data", "data is mandatory"));
  else if (!isObject(data)) errors.push(required("data", "data must be a valid JSON object"));
  return errors;
}

function validateControllerRevisionUpdate(next: ControllerRevision, old: ControllerRevision): FieldError[] {
  const errors: FieldError[] = [];
  checkNotNegative(errors, "revision", next.revision);
  if (!equalJson(next.data ?? undefined, old.data ?? undefined))
    errors.push(invalid("data", next.data ?? null, IMMUTABLE));
  return errors;
}
