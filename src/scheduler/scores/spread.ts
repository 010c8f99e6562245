// Score: domains with fewer pods of the same kind, as the pod's soft constraints say; without any, pods of one controller are
// spread over nodes and zones. Pure.

import type { Surroundings } from "../filters/filter.ts";
import { allTakePart, hasKeys, takesPart } from "../filters/topology-spread.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodCounts } from "../state/pod-counts.ts";
import type { PodInfo, SpreadRule } from "../state/pod-info.ts";
import { BEST, type Score } from "./score.ts";

interface Spreading {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly counts: PodCounts;
  /** Whether pods on the node count; all do when not given. */
  readonly takesPart?: ((node: NodeInfo) => boolean) | undefined;
}

export const spread: Score = (pod, nodes, surroundings) => {
  const own = pod.hardSpread.length > 0 || pod.softSpread.length > 0;
  const rules = own ? ownRules(pod, surroundings) : rulesByOwner(pod, surroundings);
  if (rules.length === 0) return undefined;
  const isMissing = nodes.map(({ labels }) => own && !hasKeys(labels, rules));
  const raw = new Array<number>(nodes.length).fill(0);
  const taking = isMissing.filter((missing) => !missing).length;
  for (const rule of rules) addSkews(raw, nodes, isMissing, rule, taking, surroundings, own ? rules : []);
  return turned(raw.map(Math.round), isMissing);
};

function ownRules(pod: PodInfo, { state }: Surroundings): Spreading[] {
  return pod.softSpread.map((rule: SpreadRule) => ({
    topologyKey: rule.topologyKey,
    maxSkew: rule.maxSkew,
    counts: state.matches.bySelector(pod.namespace, rule.selector, { skipsTerminating: true }),
    takesPart: allTakePart(pod, rule) ? undefined : (node) => takesPart(pod, rule, node),
  }));
}

/** As upstream's defaults: nodes with a skew of 3, zones with one of 5. */
function rulesByOwner(pod: PodInfo, { state, labels }: Surroundings): Spreading[] {
  if (pod.ownerUid === undefined) return [];
  const counts = state.matches.byOwner(pod.namespace, pod.ownerUid);
  const { nodes } = pod;
  const allowed = nodes === undefined ? undefined : (node: NodeInfo): boolean => nodes.matches(node);
  return [
    { topologyKey: labels.hostname, maxSkew: 3, counts, takesPart: allowed },
    { topologyKey: labels.zone, maxSkew: 5, counts, takesPart: allowed },
  ];
}

function addSkews(
  raw: number[],
  nodes: readonly NodeInfo[],
  isMissing: readonly boolean[],
  rule: Spreading,
  taking: number,
  { labels: { hostname } }: Surroundings,
  required: readonly Spreading[],
): void {
  const { topologyKey, maxSkew, counts } = rule;
  if (topologyKey === hostname) {
    const weight = Math.log(taking + 2);
    for (const [index, node] of nodes.entries())
      if (!isMissing[index] && Object.hasOwn(node.labels, topologyKey))
        raw[index]! += (counts.byNode.get(node) ?? 0) * weight + (maxSkew - 1);
    return;
  }
  const byDomain = new Map<string, number>();
  for (const [index, { labels }] of nodes.entries())
    if (!isMissing[index] && Object.hasOwn(labels, topologyKey)) byDomain.set(labels[topologyKey]!, 0);
  if (rule.takesPart === undefined && required.length <= 1) {
    const pods = counts.inDomains(topologyKey);
    for (const domain of byDomain.keys()) byDomain.set(domain, pods.get(domain) ?? 0);
  } else {
    for (const [node, count] of counts.byNode) {
      const domain = Object.hasOwn(node.labels, topologyKey) ? byDomain.get(node.labels[topologyKey]!) : undefined;
      if (domain === undefined || !hasKeys(node.labels, required) || rule.takesPart?.(node) === false) continue;
      byDomain.set(node.labels[topologyKey]!, domain + count);
    }
  }
  const weight = Math.log(byDomain.size + 2);
  for (const [index, { labels }] of nodes.entries())
    if (!isMissing[index] && Object.hasOwn(labels, topologyKey))
      raw[index]! += byDomain.get(labels[topologyKey]!)! * weight + (maxSkew - 1);
}

/** The more, the worse; nodes that lack a label are the worst. */
function turned(raw: readonly number[], isMissing: readonly boolean[]): readonly number[] {
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (const [index, value] of raw.entries()) {
    if (isMissing[index]) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return raw.map((value, index) => {
    if (isMissing[index]) return 0;
    return max === 0 ? BEST : Math.trunc((BEST * (max + min - value)) / max);
  });
}
