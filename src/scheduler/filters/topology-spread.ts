// Filter: pods stay evenly spread over the domains of a topology. Pure.

import { tolerates } from "../../kinds/core/pod/tolerates.ts";
import type { ClusterState } from "../state/cluster-state.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodCounts } from "../state/pod-counts.ts";
import type { PodInfo, SpreadRule } from "../state/pod-info.ts";
import { type Filter, type NodeCheck, refusal } from "./filter.ts";

const NO_LABEL = refusal(
  "PodTopologySpread",
  "node(s) didn't match pod topology spread constraints (missing required label)",
);
const TOO_SKEWED = refusal("PodTopologySpread", "node(s) didn't match pod topology spread constraints", true);

export const topologySpread: Filter = (pod, { state }) => {
  const rules = pod.hardSpread;
  if (rules.length === 0) return undefined;
  const checks = rules.map((rule) => {
    const counts = state.matches.bySelector(pod.namespace, rule.selector, { skipsTerminating: true });
    return ruleCheck(pod, rule, podsByDomain(pod, rule, counts, state));
  });
  return (node) => {
    for (const check of checks) {
      const refused = check(node);
      if (refused !== undefined) return refused;
    }
    return undefined;
  };
};

export function hasKeys(labels: Readonly<Record<string, string>>, rules: readonly { topologyKey: string }[]): boolean {
  return rules.every(({ topologyKey }) => Object.hasOwn(labels, topologyKey));
}

/** Whether a node counts for a rule of a pod. */
export function takesPart(pod: PodInfo, rule: SpreadRule, node: NodeInfo): boolean {
  if (rule.honorsAffinity && pod.nodes !== undefined && !pod.nodes.matches(node)) return false;
  return !rule.honorsTaints || node.hardTaints.every((taint) => tolerates(pod.tolerations, taint));
}

/** Whether every node with the labels of all rules counts for this one. */
export function allTakePart(pod: PodInfo, rule: SpreadRule): boolean {
  return !(rule.honorsAffinity && pod.nodes !== undefined) && !rule.honorsTaints;
}

/** Pods in each domain, those without any included. Only nodes that have the labels of all rules take part. */
function podsByDomain(
  pod: PodInfo,
  rule: SpreadRule,
  counts: PodCounts,
  state: ClusterState,
): ReadonlyMap<string, number> {
  const { topologyKey } = rule;
  const byDomain = new Map<string, number>();
  if (pod.hardSpread.length === 1 && allTakePart(pod, rule)) {
    const pods = counts.inDomains(topologyKey);
    for (const domain of state.domainsOf(topologyKey)) byDomain.set(domain, pods.get(domain) ?? 0);
    return byDomain;
  }
  for (const node of state.nodes) {
    if (!hasKeys(node.labels, pod.hardSpread) || !takesPart(pod, rule, node)) continue;
    const domain = node.labels[topologyKey]!;
    byDomain.set(domain, (byDomain.get(domain) ?? 0) + (counts.byNode.get(node) ?? 0));
  }
  return byDomain;
}

function ruleCheck(pod: PodInfo, rule: SpreadRule, byDomain: ReadonlyMap<string, number>): NodeCheck {
  const { topologyKey, maxSkew, minDomains } = rule;
  let fewest = byDomain.size < minDomains ? 0 : Number.POSITIVE_INFINITY;
  for (const count of byDomain.values()) fewest = Math.min(fewest, count);
  const own = rule.selector.matches(pod.labels) ? 1 : 0;
  return ({ labels }) => {
    if (!Object.hasOwn(labels, topologyKey)) return NO_LABEL;
    const count = byDomain.get(labels[topologyKey]!) ?? 0;
    return count + own - fewest > maxSkew ? TOO_SKEWED : undefined;
  };
}
