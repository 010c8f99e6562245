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
  const isOwn = pod.hardSpread.length > 0 || pod.softSpread.length > 0;
  const rules = isOwn ? ownRules(pod, surroundings) : rulesByOwner(pod, surroundings);
  if (rules.length === 0) return undefined;
  // The constraints of a pod are about nodes that have all their labels; the defaults take what there is.
  const required = isOwn ? rules : [];
  const taking = required.length === 0 ? undefined : nodes.map(({ labels }) => hasKeys(labels, required));
  const among = taking === undefined ? nodes : nodes.filter((_, index) => taking[index]);
  const crowds = rules.map((rule) => crowdOf(rule, among, required, surroundings));
  const raw = nodes.map((node) => {
    let sum = 0;
    for (const crowd of crowds) sum += crowd(node);
    return Math.round(sum);
  });
  return turned(raw, taking);
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

/**
 * How crowded the domain of a node is. The more domains there are, the more each pod in one counts; the skew that is allowed
 * makes differences smaller.
 */
function crowdOf(
  rule: Spreading,
  among: readonly NodeInfo[],
  required: readonly Spreading[],
  { labels: { hostname } }: Surroundings,
): (node: NodeInfo) => number {
  const { topologyKey, maxSkew, counts } = rule;
  if (topologyKey === hostname) {
    const weight = Math.log(among.length + 2);
    return (node) =>
      Object.hasOwn(node.labels, topologyKey) ? (counts.byNode.get(node) ?? 0) * weight + (maxSkew - 1) : 0;
  }
  const domains = new Map<string, number>();
  for (const { labels } of among) if (Object.hasOwn(labels, topologyKey)) domains.set(labels[topologyKey]!, 0);
  countInto(domains, rule, required);
  const weight = Math.log(domains.size + 2);
  return ({ labels }) =>
    Object.hasOwn(labels, topologyKey) ? (domains.get(labels[topologyKey]!) ?? 0) * weight + (maxSkew - 1) : 0;
}

/** Only domains that are there already are counted. */
function countInto(
  domains: Map<string, number>,
  { topologyKey, counts, takesPart: counted }: Spreading,
  required: readonly Spreading[],
): void {
  if (counted === undefined && required.length <= 1) {
    const pods = counts.inDomains(topologyKey);
    for (const domain of domains.keys()) domains.set(domain, pods.get(domain) ?? 0);
    return;
  }
  for (const [node, count] of counts.byNode) {
    const domain = Object.hasOwn(node.labels, topologyKey) ? domains.get(node.labels[topologyKey]!) : undefined;
    if (domain === undefined || !hasKeys(node.labels, required) || counted?.(node) === false) continue;
    domains.set(node.labels[topologyKey]!, domain + count);
  }
}

/** The more, the worse; nodes that lack a label are the worst. */
function turned(raw: readonly number[], taking: readonly boolean[] | undefined): readonly number[] {
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (let index = 0; index < raw.length; index += 1) {
    if (taking?.[index] === false) continue;
    min = Math.min(min, raw[index]!);
    max = Math.max(max, raw[index]!);
  }
  return raw.map((value, index) => {
    if (taking?.[index] === false) return 0;
    return max === 0 ? BEST : Math.trunc((BEST * (max + min - value)) / max);
  });
}
