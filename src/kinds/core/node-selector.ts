// Which nodes: selectors over labels and fields of nodes, and over topology.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type NodeSelector = ObjectOf<typeof nodeSelector>;

export const nodeSelector = s.struct("core.v1.NodeSelector", { mapType: "atomic" }, () => ({
  nodeSelectorTerms: s.list(nodeSelectorTerm, { proto: 1, listType: "atomic" }),
}));

export type NodeSelectorTerm = ObjectOf<typeof nodeSelectorTerm>;

export const nodeSelectorTerm = s.struct("core.v1.NodeSelectorTerm", { mapType: "atomic" }, () => ({
  matchExpressions: s.list(nodeSelectorRequirement, { proto: 1, optional: true, listType: "atomic" }),
  matchFields: s.list(nodeSelectorRequirement, { proto: 2, optional: true, listType: "atomic" }),
}));

export type NodeSelectorRequirement = ObjectOf<typeof nodeSelectorRequirement>;

export const nodeSelectorRequirement = s.struct("core.v1.NodeSelectorRequirement", () => ({
  key: s.string({ proto: 1 }),
  operator: s.enumOf(["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"], {
    alias: "NodeSelectorOperator",
    proto: 2,
  }),
  values: s.list("string", { proto: 3, optional: true, listType: "atomic" }),
}));

export type TopologySelectorTerm = ObjectOf<typeof topologySelectorTerm>;

export const topologySelectorTerm = s.struct("core.v1.TopologySelectorTerm", { mapType: "atomic" }, () => ({
  matchLabelExpressions: s.list(topologySelectorLabelRequirement, { proto: 1, optional: true, listType: "atomic" }),
}));

export type TopologySelectorLabelRequirement = ObjectOf<typeof topologySelectorLabelRequirement>;

export const topologySelectorLabelRequirement = s.struct("core.v1.TopologySelectorLabelRequirement", () => ({
  key: s.string({ proto: 1 }),
  values: s.list("string", { proto: 2, listType: "atomic" }),
}));
