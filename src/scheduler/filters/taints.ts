// Filters: nodes that are closed to new pods, and nodes whose taints the pod does not tolerate. Pure.

import { tolerates } from "../../kinds/core/pod/tolerates.ts";
import { type Filter, type NodeRefusal, refusal } from "./filter.ts";

const UNSCHEDULABLE = refusal("NodeUnschedulable", "node(s) were unschedulable");

/** A pod that tolerates the taint of closed nodes may go there. */
export const nodeUnschedulable: Filter = ({ tolerations }, { labels }) => {
  if (tolerates(tolerations, { key: labels.unschedulableTaint, effect: "NoSchedule" })) return undefined;
  return (node) => (node.isUnschedulable ? UNSCHEDULABLE : undefined);
};

export const taintToleration: Filter = ({ tolerations }) => {
  const refusals = new Map<string, NodeRefusal>();
  return ({ hardTaints }) => {
    if (hardTaints.length === 0) return undefined;
    const taint = hardTaints.find((each) => !tolerates(tolerations, each));
    if (taint === undefined) return undefined;
    const reason = `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`;
    let refused = refusals.get(reason);
    if (refused === undefined) {
      refused = refusal("TaintToleration", reason);
      refusals.set(reason, refused);
    }
    return refused;
  };
};
