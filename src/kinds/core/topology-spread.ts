// How pods are spread over the domains of a topology.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";

export type TopologySpreadConstraint = ObjectOf<typeof topologySpreadConstraint>;

export const topologySpreadConstraint = s.struct(
  "core.v1.TopologySpreadConstraint",
  { doc: "How evenly pods are spread over the domains of a topology." },
  () => ({
    maxSkew: s.int32({
      proto: 1,
      doc: "By how many pods a domain may be ahead of the emptiest one; at least 1. With `ScheduleAnyway` a preference only.",
    }),
    topologyKey: s.string({
      proto: 2,
      doc: "Label of nodes: each of its values is a domain. Nodes without the label are left out.",
    }),
    whenUnsatisfiable: s.enumOf(["DoNotSchedule", "ScheduleAnyway"], {
      alias: "UnsatisfiableConstraintAction",
      proto: 3,
      doc: "`DoNotSchedule` makes the pod wait, `ScheduleAnyway` takes the node that makes things least uneven.",
    }),
    labelSelector: s.of(labelSelector, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Which pods are counted, in the namespace of this one.",
    }),
    minDomains: s.int32({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "With fewer domains than this the emptiest counts as having no pods. Only with `DoNotSchedule`; not set, 1.",
    }),
    nodeAffinityPolicy: s.enumOf(["Honor", "Ignore"], {
      alias: "NodeInclusionPolicy",
      proto: 6,
      optional: true,
      pointer: true,
      doc: "Whether only nodes count that the pod's node selector and affinity allow: `Honor`, also when not set, or `Ignore`.",
    }),
    nodeTaintsPolicy: s.enumOf(["Honor", "Ignore"], {
      alias: "NodeInclusionPolicy",
      proto: 7,
      optional: true,
      pointer: true,
      doc: "Whether nodes with taints count only when the pod tolerates them: `Honor`, or `Ignore`, also when not set.",
    }),
    matchLabelKeys: s.list("string", {
      proto: 8,
      optional: true,
      listType: "atomic",
      doc: "Labels of this pod whose values the counted pods must share, besides `labelSelector`, which must be set and not use them.",
    }),
  }),
);
