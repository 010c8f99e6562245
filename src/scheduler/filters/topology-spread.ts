// Filter: pods stay evenly spread over the domains of a topology. Pure.

import { tolerates } from "../../kinds/core/pod/tolerates.ts";
import type { ClusterState } from "../state/cluster-state.ts";
import type { Domains } from "../state/domains.ts";
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
    const domains = state.domainsOf(rule.topologyKey);
    return ruleCheck(pod, rule, domains, podsByDomain(pod, rule, counts, domains, state));
  });
  return (node, place) => {
    for (const check of checks) {
      const refused = check(node, place);
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
  domains: Domains,
  state: ClusterState,
): ReadonlyMap<number, number> {
  const byDomain = new Map<number, number>();
  if (pod.hardSpread.length === 1 && allTakePart(pod, rule)) {
    const pods = counts.inDomains(domains);
    for (const domain of domains.names.keys()) byDomain.set(domain, pods[domain]!);
    return byDomain;
  }
  for (const [place, node] of state.nodes.entries()) {
    if (!hasKeys(node.labels, pod.hardSpread) || !takesPart(pod, rule, node)) continue;
    const domain = domains.at(place);
    byDomain.set(domain, (byDomain.get(domain) ?? 0) + (counts.byNode.get(node) ?? 0));
  }
  return byDomain;
}

function ruleCheck(
  pod: PodInfo,
  { maxSkew, minDomains, selector }: SpreadRule,
  domains: Domains,
  byDomain: ReadonlyMap<number, number>,
): NodeCheck {
  let fewest = byDomain.size < minDomains ? 0 : Number.POSITIVE_INFINITY;
  for (const count of byDomain.values()) fewest = Math.min(fewest, count);
  const own = selector.matches(pod.labels) ? 1 : 0;
  const isTooFull = Uint8Array.from(domains.names, (_, domain) =>
    (byDomain.get(domain) ?? 0) + own - fewest > maxSkew ? 1 : 0,
  );
  return (node, place = node.place) => {
    const domain = domains.at(place);
    if (domain < 0) return NO_LABEL;
    return isTooFull[domain] === 1 ? TOO_SKEWED : undefined;
  };
}
