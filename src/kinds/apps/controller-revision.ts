// ControllerRevision: a snapshot of the state of a controller, never changed.

import { type ObjectMeta, parseApiVersion } from "../../meta/object.ts";
import { s, shown } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateControllerRevision, validateControllerRevisionUpdate } from "./controller-revision-validation.ts";

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
