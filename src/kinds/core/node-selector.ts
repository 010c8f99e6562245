// Which nodes: selectors over labels and fields of nodes, and over topology.

import { labelKeyProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, s } from "../../schema/builder.ts";

export type NodeSelector = ObjectOf<typeof nodeSelector>;

export const nodeSelector = s.struct(
  "core.v1.NodeSelector",
  "Selects nodes: one of the terms must match.",
  { mapType: "atomic" },
  () => ({
    nodeSelectorTerms: s.atomic(nodeSelectorTerm, 1, "The terms, of which any one is enough. At least one is needed."),
  }),
);

export type NodeSelectorTerm = ObjectOf<typeof nodeSelectorTerm>;

export const nodeSelectorTerm = s.struct(
  "core.v1.NodeSelectorTerm",
  "Requirements for a node, all of which must hold. A term without any matches no node.",
  { mapType: "atomic" },
  () => ({
    matchExpressions: opt.atomic(nodeSelectorRequirement, 1, "Requirements for the labels of the node."),
    matchFields: opt.atomic(
      nodeSelectorRequirement,
      2,
      "Requirements for the fields of the node; only `metadata.name` is known.",
    ),
  }),
);

export type NodeSelectorRequirement = ObjectOf<typeof nodeSelectorRequirement>;

const nodeSelectorRequirement = s.struct(
  "core.v1.NodeSelectorRequirement",
  "A requirement for one label or field.",
  () => ({
    key: s.string(1, "The label or field."),
    operator: s.enumOf(
      "NodeSelectorOperator",
      ["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"],
      2,
      "`In` and `NotIn` a list, `Exists` and `DoesNotExist` for the key alone, `Gt` and `Lt` for integers.",
    ),
    values: opt.atomic(
      "string",
      3,
      "At least one for `In` and `NotIn`, none for `Exists` and `DoesNotExist`, exactly one integer for `Gt` and `Lt`.",
    ),
  }),
);

export type TopologySelectorTerm = ObjectOf<typeof topologySelectorTerm>;

export const topologySelectorTerm = s.struct(
  "core.v1.TopologySelectorTerm",
  "Requirements for topology labels, all of which must hold.",
  { mapType: "atomic" },
  () => ({
    matchLabelExpressions: opt.atomic(topologySelectorLabelRequirement, 1, "Requirements for single labels."),
  }),
);

export const topologySelectorLabelRequirement = s.struct(
  "core.v1.TopologySelectorLabelRequirement",
  "The values that one topology label may have.",
  () => ({
    key: s.string(1, "The label.", { must: { strict: true, form: labelKeyProblems } }),
    values: s.atomic("string", 2, "The values, of which one must match.", { must: { filled: true, unique: true } }),
  }),
);
