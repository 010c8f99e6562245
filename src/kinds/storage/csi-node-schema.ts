// The schema of CSINode.

import { type ObjectOf, ptr, s, shown } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type CSINode = ObjectOf<typeof csiNodeSchema>;

export const csiNodeSchema = objectSchema(
  "storage.v1.CSINode",
  "The storage drivers of a node. Its name is that of the node; written by the node agent.",
  () => ({
    spec: s.of(csiNodeSpec, 2, "The drivers that are installed."),
  }),
);

const csiNodeSpec = s.struct("storage.v1.CSINodeSpec", "The storage drivers that are installed on a node.", () => ({
  drivers: s.listBy("name", csiNodeDriver, 1, "One entry for each driver; empty when none is installed."),
}));

export type CSINodeDriver = ObjectOf<typeof csiNodeDriver>;

export const csiNodeDriver = s.struct("storage.v1.CSINodeDriver", "A storage driver on a node.", () => ({
  name: s.string(1, "The name of the driver, as it reports itself."),
  nodeID: s.string(2, "What the driver calls the node, which may differ from the node's name."),
  topologyKeys: shown.atomic(
    "string",
    3,
    "Labels of the node that tell where its volumes can be reached; each has a value on the node.",
  ),
  allocatable: ptr.of(
    volumeNodeResources,
    4,
    "How much the driver can take on this node; not set, there is no known limit.",
  ),
}));

const volumeNodeResources = s.struct(
  "storage.v1.VolumeNodeResources",
  "How many volumes of a driver a node can take.",
  () => ({
    count: ptr.int32(1, "The most volumes that may be used on the node at once; not set, no limit."),
  }),
);
