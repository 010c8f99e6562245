// The schema of CSINode.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type CSINode = ObjectOf<typeof csiNodeSchema>;

export const csiNodeSchema = objectSchema(
  "storage.v1.CSINode",
  { doc: "The storage drivers of a node. Its name is that of the node; written by the node agent." },
  () => ({
    spec: s.of(csiNodeSpec, { proto: 2, doc: "The drivers that are installed." }),
  }),
);

export type CSINodeSpec = ObjectOf<typeof csiNodeSpec>;

export const csiNodeSpec = s.struct(
  "storage.v1.CSINodeSpec",
  { doc: "The storage drivers that are installed on a node." },
  () => ({
    drivers: s.list(csiNodeDriver, {
      proto: 1,
      listType: "map",
      mapKeys: ["name"],
      patchStrategy: ["merge"],
      patchMergeKey: "name",
      doc: "One entry for each driver; empty when none is installed.",
    }),
  }),
);

export type CSINodeDriver = ObjectOf<typeof csiNodeDriver>;

export const csiNodeDriver = s.struct("storage.v1.CSINodeDriver", { doc: "A storage driver on a node." }, () => ({
  name: s.string({ proto: 1, doc: "The name of the driver, as it reports itself." }),
  nodeID: s.string({ proto: 2, doc: "What the driver calls the node, which may differ from the node's name." }),
  topologyKeys: s.list("string", {
    proto: 3,
    required: false,
    listType: "atomic",
    doc: "Labels of the node that tell where its volumes can be reached; each has a value on the node.",
  }),
  allocatable: s.of(volumeNodeResources, {
    proto: 4,
    optional: true,
    pointer: true,
    doc: "How much the driver can take on this node; not set, there is no known limit.",
  }),
}));

export type VolumeNodeResources = ObjectOf<typeof volumeNodeResources>;

export const volumeNodeResources = s.struct(
  "storage.v1.VolumeNodeResources",
  { doc: "How many volumes of a driver a node can take." },
  () => ({
    count: s.int32({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The most volumes that may be used on the node at once; not set, no limit.",
    }),
  }),
);
