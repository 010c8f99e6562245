// Score: domains with fewer pods of the same kind, as the pod's soft constraints say; without any, pods of one controller are
// spread over nodes and zones. Pure.

import type { Surroundings } from "../filters/filter.ts";
import { allTakePart, hasKeys, takesPart } from "../filters/topology-spread.ts";
import type { Domains } from "../state/domains.ts";
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

interface SpreadOptions {
  /** Of pods that have no constraints themselves: those of the list, or of the system. */
  readonly defaultingType: "System" | "List";
  readonly defaultConstraints: readonly DefaultConstraint[];
}

type DefaultConstraint = Pick<Spreading, "topologyKey" | "maxSkew">;

export function spreadWith({ defaultingType, defaultConstraints }: SpreadOptions): Score {
  const listed = defaultingType === "List" ? defaultConstraints : undefined;
  return (pod, nodes, surroundings, places, points) => spread(listed, pod, nodes, surroundings, places, points);
}

function spread(
  listed: readonly DefaultConstraint[] | undefined,
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  surroundings: Surroundings,
  places: readonly number[],
  points: Float64Array,
): boolean {
  const isOwn = pod.hardSpread.length > 0 || pod.softSpread.length > 0;
  const rules = isOwn ? ownRules(pod, surroundings) : rulesByOwner(pod, surroundings, listed);
  if (rules.length === 0) return false;
  // Constraints that somebody has written are about nodes that have all their labels; the usual ones take what there is.
  const required = isOwn || listed !== undefined ? rules : [];
  const taking = required.length === 0 ? undefined : nodes.map(({ labels }) => hasKeys(labels, required));
  const among = taking === undefined ? places : places.filter((_, index) => taking[index]);
  const crowds = rules.map((rule) => crowdOf(rule, among, required, surroundings));
  for (let index = 0; index < nodes.length; index += 1) {
    let sum = 0;
    for (const crowd of crowds) sum += crowd(nodes[index]!, places[index]!);
    points[index] = Math.round(sum);
  }
  turn(points, taking);
  return true;
}

function ownRules(pod: PodInfo, { state }: Surroundings): Spreading[] {
  return pod.softSpread.map((rule: SpreadRule) => ({
    topologyKey: rule.topologyKey,
    maxSkew: rule.maxSkew,
    counts: state.matches.bySelector(pod.namespace, rule.selector, { skipsTerminating: true }),
    takesPart: allTakePart(pod, rule) ? undefined : (node) => takesPart(pod, rule, node),
  }));
}

/** As upstream's defaults, where none are listed: nodes with a skew of 3, zones with one of 5. */
function rulesByOwner(
  pod: PodInfo,
  { state, labels }: Surroundings,
  listed: readonly DefaultConstraint[] | undefined,
): Spreading[] {
  if (pod.ownerUid === undefined || listed?.length === 0) return [];
  const counts = state.matches.byOwner(pod.namespace, pod.ownerUid);
  const { nodes } = pod;
  const takesPart = nodes === undefined ? undefined : (node: NodeInfo): boolean => nodes.matches(node);
  const constraints = listed ?? [
    { topologyKey: labels.hostname, maxSkew: 3 },
    { topologyKey: labels.zone, maxSkew: 5 },
  ];
  return constraints.map(({ topologyKey, maxSkew }) => ({ topologyKey, maxSkew, counts, takesPart }));
}

/**
 * How crowded the domain of a node is. The more domains there are, the more each pod in one counts; the skew that is allowed
 * makes differences smaller.
 */
function crowdOf(
  rule: Spreading,
  among: readonly number[],
  required: readonly Spreading[],
  { state, labels: { hostname } }: Surroundings,
): (node: NodeInfo, place: number) => number {
  const { topologyKey, maxSkew, counts } = rule;
  const domains = state.domainsOf(topologyKey);
  if (topologyKey === hostname) {
    const weight = Math.log(among.length + 2);
    return (node, place) => (domains.at(place) < 0 ? 0 : (counts.byNode.get(node) ?? 0) * weight + (maxSkew - 1));
  }
  const pods = new Map<number, number>();
  for (const place of among) if (domains.at(place) >= 0) pods.set(domains.at(place), 0);
  countInto(pods, domains, rule, required);
  const weight = Math.log(pods.size + 2);
  return (_node, place) => {
    const domain = domains.at(place);
    return domain < 0 ? 0 : (pods.get(domain) ?? 0) * weight + (maxSkew - 1);
  };
}

/** Only domains that are there already are counted. */
function countInto(
  pods: Map<number, number>,
  domains: Domains,
  { counts, takesPart: counted }: Spreading,
  required: readonly Spreading[],
): void {
  if (counted === undefined && required.length <= 1) {
    const all = counts.inDomains(domains);
    for (const domain of pods.keys()) pods.set(domain, all[domain]!);
    return;
  }
  for (const [node, count] of counts.byNode) {
    const domain = domains.at(node.place);
    const sum = pods.get(domain);
    if (sum === undefined || !hasKeys(node.labels, required) || counted?.(node) === false) continue;
    pods.set(domain, sum + count);
  }
}

/** The more, the worse; nodes that lack a label are the worst. */
function turn(points: Float64Array, taking: readonly boolean[] | undefined): void {
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (let index = 0; index < points.length; index += 1) {
    if (taking?.[index] === false) continue;
    min = Math.min(min, points[index]!);
    max = Math.max(max, points[index]!);
  }
  for (let index = 0; index < points.length; index += 1) {
    if (taking?.[index] === false) points[index] = 0;
    else points[index] = max === 0 ? BEST : Math.trunc((BEST * (max + min - points[index]!)) / max);
  }
}
