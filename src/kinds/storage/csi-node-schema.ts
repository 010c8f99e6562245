// The schema of CSINode.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type CSINode = ObjectOf<typeof csiNodeSchema>;

export const csiNodeSchema = objectSchema("storage.v1.CSINode", { doc: "The storage drivers of a node." }, () => ({
  spec: s.of(csiNodeSpec, { proto: 2 }),
}));

export type CSINodeSpec = ObjectOf<typeof csiNodeSpec>;

export const csiNodeSpec = s.struct("storage.v1.CSINodeSpec", () => ({
  drivers: s.list(csiNodeDriver, {
    proto: 1,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
  }),
}));

export type CSINodeDriver = ObjectOf<typeof csiNodeDriver>;

export const csiNodeDriver = s.struct("storage.v1.CSINodeDriver", () => ({
  name: s.string({ proto: 1 }),
  nodeID: s.string({ proto: 2 }),
  topologyKeys: s.list("string", { proto: 3, required: false, listType: "atomic" }),
  allocatable: s.of(volumeNodeResources, { proto: 4, optional: true, pointer: true }),
}));

export type VolumeNodeResources = ObjectOf<typeof volumeNodeResources>;

export const volumeNodeResources = s.struct("storage.v1.VolumeNodeResources", () => ({
  count: s.int32({ proto: 1, optional: true, pointer: true }),
}));
