// Filters: nodes that are closed to new pods, and nodes whose taints the pod does not tolerate. Pure.

import type { Taint, Toleration } from "../../kinds/core/pod/toleration.ts";
import { type Filter, type Refusal, refusal } from "./filter.ts";

export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key = "", operator = "Equal", value = "", effect = "" }) => {
    if (effect !== "" && effect !== taint.effect) return false;
    if (key !== "" && key !== taint.key) return false;
    // Without a key every taint is meant, but only by Exists.
    if (operator === "Exists") return true;
    return key !== "" && value === (taint.value ?? "");
  });
}

const UNSCHEDULABLE = refusal("NodeUnschedulable", "node(s) were unschedulable");

/** A pod that tolerates the taint of closed nodes may go there. */
export const nodeUnschedulable: Filter = ({ tolerations }, { labels }) => {
  if (tolerates(tolerations, { key: labels.unschedulableTaint, effect: "NoSchedule" })) return undefined;
  return (node) => (node.isUnschedulable ? UNSCHEDULABLE : undefined);
};

export const taintToleration: Filter = ({ tolerations }) => {
  const refusals = new Map<string, Refusal>();
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
