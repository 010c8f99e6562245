// ResourceSlice: devices that a driver offers.

import { timeOfMs } from "../../meta/time.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { rowFields } from "../cells/row-fields.ts";
import { defineKind } from "../define-kind.ts";
import { resourceSliceSchema } from "./resource-slice-schema.ts";
import { validateResourceSlice, validateResourceSliceUpdate } from "./resource-slice-validation.ts";

export type { ResourceSlice } from "./resource-slice-schema.ts";

export const resourceSlice = defineKind({
  group: "resource",
  version: "v1",
  kind: "ResourceSlice",
  resource: "resourceslices",
  scope: "Cluster",
  schema: resourceSliceSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  generation: true,
  rowFields: rowFields("spec.nodeName", "spec.driver", "spec.pool"),
  columns: [
    NAME_COLUMN,
    { name: "Node", type: "string", cell: ({ spec }) => spec.nodeName ?? "" },
    { name: "Driver", type: "string", cell: ({ spec }) => spec.driver },
    { name: "Pool", type: "string", cell: ({ spec }) => spec.pool.name },
    AGE_COLUMN,
  ],
  selectableFields: { "spec.nodeName": ({ spec }) => spec.nodeName ?? "", "spec.driver": ({ spec }) => spec.driver },
  refusesField: (field, names) =>
    `field label not supported for ${names.group("resource")}/v1, Kind=ResourceSlice: ${field}`,
  hooks: {
    default({ spec }, { nowMs }) {
      for (const taint of (spec.devices ?? []).flatMap((device) => device.taints ?? []))
        taint.timeAdded ??= timeOfMs(nowMs);
    },
    validate: validateResourceSlice,
    validateUpdate: validateResourceSliceUpdate,
  },
});
