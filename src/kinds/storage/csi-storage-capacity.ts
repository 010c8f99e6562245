// CSIStorageCapacity: how much storage a segment of the topology has left.

import { ptr, s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateCsiStorageCapacity, validateCsiStorageCapacityUpdate } from "./csi-storage-capacity-validation.ts";

export type CSIStorageCapacity = ObjectOf<typeof csiStorageCapacitySchema>;

const csiStorageCapacitySchema = objectSchema(
  "storage.v1.CSIStorageCapacity",
  "How much storage a segment of the topology has left, for one class. Written by the driver, read by the scheduler.",
  () => ({
    nodeTopology: ptr.of(
      labelSelector,
      2,
      "The nodes that can reach this storage; empty means all, not set means none. Cannot change.",
    ),
    storageClassName: s.string(3, "The storage class that the capacity is for. Cannot change."),
    capacity: ptr.quantity(4, "The bytes that are left; not set, unknown."),
    maximumVolumeSize: ptr.quantity(
      5,
      "The largest volume that can be made; not set, only the capacity is a limit, though it may be split.",
    ),
  }),
);

export const csiStorageCapacity = defineKind({
  group: "storage",
  version: "v1",
  kind: "CSIStorageCapacity",
  resource: "csistoragecapacities",
  scope: "Namespaced",
  schema: csiStorageCapacitySchema,
  hooks: { validate: validateCsiStorageCapacity, validateUpdate: validateCsiStorageCapacityUpdate },
});
