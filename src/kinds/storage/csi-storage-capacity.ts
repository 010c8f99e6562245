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
  { doc: "How much storage a segment of the topology has left." },
  () => ({
    nodeTopology: s.of(labelSelector, { proto: 2, optional: true, pointer: true }),
    storageClassName: s.string({ proto: 3 }),
    capacity: s.quantity({ proto: 4, optional: true, pointer: true }),
    maximumVolumeSize: s.quantity({ proto: 5, optional: true, pointer: true }),
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
