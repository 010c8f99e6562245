// How pods are spread over the domains of a topology.

import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";
import { LISTED } from "../../../schema/check-fields.ts";
import { labelSelector } from "../../meta/label-selector.ts";

export type TopologySpreadConstraint = ObjectOf<typeof topologySpreadConstraint>;

export const topologySpreadConstraint = s.struct(
  "core.v1.TopologySpreadConstraint",
  "How evenly pods are spread over the domains of a topology.",
  () => ({
    maxSkew: s.int32(
      1,
      "By how many pods a domain may be ahead of the emptiest one; at least 1. With `ScheduleAnyway` a preference only.",
    ),
    topologyKey: s.string(2, "Label of nodes: each of its values is a domain. Nodes without the label are left out."),
    whenUnsatisfiable: s.enumOf(
      "UnsatisfiableConstraintAction",
      ["DoNotSchedule", "ScheduleAnyway"],
      3,
      "`DoNotSchedule` makes the pod wait, `ScheduleAnyway` takes the node that makes things least uneven.",
    ),
    labelSelector: ptr.of(labelSelector, 4, "Which pods are counted, in the namespace of this one."),
    minDomains: ptr.int32(
      5,
      "With fewer domains than this the emptiest counts as having no pods. Only with `DoNotSchedule`; not set, 1.",
    ),
    nodeAffinityPolicy: ptr.enumOf(
      "NodeInclusionPolicy",
      ["Honor", "Ignore"],
      6,
      "Whether only nodes count that the pod's node selector and affinity allow: `Honor`, also when not set, or `Ignore`.",
      { must: LISTED },
    ),
    nodeTaintsPolicy: ptr.enumOf(
      "NodeInclusionPolicy",
      ["Honor", "Ignore"],
      7,
      "Whether nodes with taints count only when the pod tolerates them: `Honor`, or `Ignore`, also when not set.",
      { must: LISTED },
    ),
    matchLabelKeys: opt.atomic(
      "string",
      8,
      "Labels of this pod whose values the counted pods must share, besides `labelSelector`, which must be set and not use them.",
    ),
  }),
);
