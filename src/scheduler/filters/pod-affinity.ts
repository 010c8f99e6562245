// Filter: the pod is near the pods that it needs, and away from those it does not bear or that do not bear it. Pure.

import type { ClusterState } from "../state/cluster-state.ts";
import type { NodeInfo } from "../state/node-info.ts";
import { type AffinityTerm, type PodInfo, termMeans } from "../state/pod-info.ts";
import { type Filter, refusal } from "./filter.ts";

const NOT_NEAR = refusal("InterPodAffinity", "node(s) didn't match pod affinity rules");
const TOO_NEAR = refusal("InterPodAffinity", "node(s) didn't match pod anti-affinity rules", true);
const NOT_WANTED = refusal("InterPodAffinity", "node(s) didn't satisfy existing pods anti-affinity rules", true);

export const podAffinity: Filter = (pod, { state }) => {
  const refusing = domainsThatRefuse(pod, state);
  const wanted = pod.affinity.length === 0 ? undefined : wantedDomains(pod, state);
  const avoided = pod.antiAffinity.map((term) => {
    const domains = new Set<string>();
    for (const node of nodesWith(term, state)) addDomain(domains, node, term.topologyKey);
    return { topologyKey: term.topologyKey, domains };
  });
  if (refusing.size === 0 && wanted === undefined && avoided.length === 0) return undefined;
  return (node) => {
    if (wanted !== undefined && !wanted(node)) return NOT_NEAR;
    for (const { topologyKey, domains } of avoided) if (isIn(domains, node, topologyKey)) return TOO_NEAR;
    for (const [topologyKey, domains] of refusing) if (isIn(domains, node, topologyKey)) return NOT_WANTED;
    return undefined;
  };
};

/** By topology key, the domains where a pod is that does not bear this one. */
function domainsThatRefuse(pod: PodInfo, state: ClusterState): ReadonlyMap<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { info, node } of state.withAntiAffinity) {
    for (const term of info.antiAffinity) {
      if (!termMeans(term, pod, state.labelsOfNamespace)) continue;
      const domains = found.get(term.topologyKey) ?? new Set();
      addDomain(domains, node, term.topologyKey);
      found.set(term.topologyKey, domains);
    }
  }
  return found;
}

/** Whether pods that all terms mean are in the domain of a node, of every term's topology. */
function wantedDomains(pod: PodInfo, state: ClusterState): (node: NodeInfo) => boolean {
  const terms = pod.affinity;
  const domains = terms.map(() => new Set<string>());
  for (const node of nodesWithAll(terms, state))
    for (const [index, { topologyKey }] of terms.entries()) addDomain(domains[index]!, node, topologyKey);
  // The first of pods that want each other has nobody yet.
  const isFirst =
    domains.every(({ size }) => size === 0) && terms.every((term) => termMeans(term, pod, state.labelsOfNamespace));
  return (node) =>
    terms.every(({ topologyKey }, index) => {
      if (!Object.hasOwn(node.labels, topologyKey)) return false;
      return isFirst || isIn(domains[index]!, node, topologyKey);
    });
}

function* nodesWithAll(terms: readonly AffinityTerm[], state: ClusterState): Iterable<NodeInfo> {
  const [first, ...others] = terms;
  if (first === undefined) return;
  if (others.length === 0) {
    yield* nodesWith(first, state);
    return;
  }
  for (const namespace of namespacesOf(first, state))
    for (const { info, node } of state.podsIn(namespace))
      if (terms.every((term) => termMeans(term, info, state.labelsOfNamespace))) yield node;
}

/** Nodes with a pod that the term means. */
export function* nodesWith(term: AffinityTerm, state: ClusterState): Iterable<NodeInfo> {
  for (const namespace of namespacesOf(term, state))
    yield* state.matches.bySelector(namespace, term.selector, { skipsTerminating: false }).keys();
}

export function namespacesOf(
  { namespaces, namespaceSelector }: AffinityTerm,
  state: ClusterState,
): ReadonlySet<string> {
  if (namespaceSelector === undefined) return namespaces;
  return new Set([...namespaces, ...state.namespacesWhere((labels) => namespaceSelector.matches(labels))]);
}

function addDomain(domains: Set<string>, { labels }: NodeInfo, topologyKey: string): void {
  if (Object.hasOwn(labels, topologyKey)) domains.add(labels[topologyKey]!);
}

function isIn(domains: ReadonlySet<string>, { labels }: NodeInfo, topologyKey: string): boolean {
  return Object.hasOwn(labels, topologyKey) && domains.has(labels[topologyKey]!);
}
