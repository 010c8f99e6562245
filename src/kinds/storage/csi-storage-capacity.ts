// CSIStorageCapacity: how much storage a segment of the topology has left.

import { s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { validateCsiStorageCapacity, validateCsiStorageCapacityUpdate } from "./csi-storage-capacity-validation.ts";

export type CSIStorageCapacity = ObjectOf<typeof csiStorageCapacitySchema>;

export const csiStorageCapacitySchema = objectSchema(
  "storage.v1.CSIStorageCapacity",
  {
    doc: "How much storage a segment of the topology has left, for one class. Written by the driver, read by the scheduler.",
  },
  () => ({
    nodeTopology: s.of(labelSelector, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The nodes that can reach this storage; empty means all, not set means none. Cannot change.",
    }),
    storageClassName: s.string({ proto: 3, doc: "The storage class that the capacity is for. Cannot change." }),
    capacity: s.quantity({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "The bytes that are left; not set, unknown.",
    }),
    maximumVolumeSize: s.quantity({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "The largest volume that can be made; not set, only the capacity is a limit, though it may be split.",
    }),
  }),
);

export const csiStorageCapacity = defineKind({
  group: "storage",
  version: "v1",
  kind: "CSIStorageCapacity",
  resource: "csistoragecapacities",
  singular: "csistoragecapacity",
  scope: "Namespaced",
  verbs: ALL_VERBS,
  schema: csiStorageCapacitySchema,
  storagePrefix: "csistoragecapacities",
  protobuf: true,
  name: "dns1123Subdomain",
  hooks: { validate: validateCsiStorageCapacity, validateUpdate: validateCsiStorageCapacityUpdate },
});
