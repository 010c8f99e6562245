// Which nodes: selectors over labels and fields of nodes, and over topology.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type NodeSelector = ObjectOf<typeof nodeSelector>;

export const nodeSelector = s.struct(
  "core.v1.NodeSelector",
  { doc: "Selects nodes: one of the terms must match.", mapType: "atomic" },
  () => ({
    nodeSelectorTerms: s.list(nodeSelectorTerm, {
      proto: 1,
      listType: "atomic",
      doc: "The terms, of which any one is enough. At least one is needed.",
    }),
  }),
);

export type NodeSelectorTerm = ObjectOf<typeof nodeSelectorTerm>;

export const nodeSelectorTerm = s.struct(
  "core.v1.NodeSelectorTerm",
  { doc: "Requirements for a node, all of which must hold. A term without any matches no node.", mapType: "atomic" },
  () => ({
    matchExpressions: s.list(nodeSelectorRequirement, {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Requirements for the labels of the node.",
    }),
    matchFields: s.list(nodeSelectorRequirement, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Requirements for the fields of the node; only `metadata.name` is known.",
    }),
  }),
);

export type NodeSelectorRequirement = ObjectOf<typeof nodeSelectorRequirement>;

export const nodeSelectorRequirement = s.struct(
  "core.v1.NodeSelectorRequirement",
  { doc: "A requirement for one label or field." },
  () => ({
    key: s.string({ proto: 1, doc: "The label or field." }),
    operator: s.enumOf(["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"], {
      alias: "NodeSelectorOperator",
      proto: 2,
      doc: "`In` and `NotIn` a list, `Exists` and `DoesNotExist` for the key alone, `Gt` and `Lt` for integers.",
    }),
    values: s.list("string", {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "At least one for `In` and `NotIn`, none for `Exists` and `DoesNotExist`, exactly one integer for `Gt` and `Lt`.",
    }),
  }),
);

export type TopologySelectorTerm = ObjectOf<typeof topologySelectorTerm>;

export const topologySelectorTerm = s.struct(
  "core.v1.TopologySelectorTerm",
  { doc: "Requirements for topology labels, all of which must hold.", mapType: "atomic" },
  () => ({
    matchLabelExpressions: s.list(topologySelectorLabelRequirement, {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Requirements for single labels.",
    }),
  }),
);

export type TopologySelectorLabelRequirement = ObjectOf<typeof topologySelectorLabelRequirement>;

export const topologySelectorLabelRequirement = s.struct(
  "core.v1.TopologySelectorLabelRequirement",
  { doc: "The values that one topology label may have." },
  () => ({
    key: s.string({ proto: 1, doc: "The label." }),
    values: s.list("string", { proto: 2, listType: "atomic", doc: "The values, of which one must match." }),
  }),
);
