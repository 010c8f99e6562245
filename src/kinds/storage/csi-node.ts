// CSINode: the storage drivers of a node.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { ALL_VERBS } from "../verbs.ts";
import { csiNodeSchema } from "./csi-node-schema.ts";
import { validateCsiNode, validateCsiNodeUpdate } from "./csi-node-validation.ts";

export type { CSINode } from "./csi-node-schema.ts";

export const csiNode = defineKind({
  group: "storage",
  version: "v1",
  kind: "CSINode",
  resource: "csinodes",
  singular: "csinode",
  scope: "Cluster",
  verbs: ALL_VERBS,
  schema: csiNodeSchema,
  storagePrefix: "csinodes",
  returnDeletedObject: true,
  protobuf: true,
  name: "dns1123Subdomain",
  columns: [
    NAME_COLUMN,
    { name: "Drivers", type: "integer", cell: (node) => node.spec.drivers?.length ?? 0 },
    AGE_COLUMN,
  ],
  hooks: { validate: validateCsiNode, validateUpdate: validateCsiNodeUpdate },
});
