// CSINode: the storage drivers of a node.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { csiNodeSchema } from "./csi-node-schema.ts";
import { validateCsiNode, validateCsiNodeUpdate } from "./csi-node-validation.ts";

export type { CSINode } from "./csi-node-schema.ts";

export const csiNode = defineKind({
  group: "storage",
  version: "v1",
  kind: "CSINode",
  resource: "csinodes",
  scope: "Cluster",
  schema: csiNodeSchema,
  returnDeletedObject: true,
  columns: [
    NAME_COLUMN,
    { name: "Drivers", type: "integer", cell: (node) => node.spec.drivers?.length ?? 0 },
    AGE_COLUMN,
  ],
  hooks: { validate: validateCsiNode, validateUpdate: validateCsiNodeUpdate },
});
