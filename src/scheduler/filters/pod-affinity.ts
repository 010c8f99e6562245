// Filter: the pod is near the pods that it needs, and away from those it does not bear or that do not bear it. Pure.

import type { ClusterState } from "../state/cluster-state.ts";
import type { NodeInfo } from "../state/node-info.ts";
import { PodCounts } from "../state/pod-counts.ts";
import { type AffinityTerm, type PodInfo, termMeans } from "../state/pod-info.ts";
import { type Filter, refusal } from "./filter.ts";

const NOT_NEAR = refusal("InterPodAffinity", "node(s) didn't match pod affinity rules");
const TOO_NEAR = refusal("InterPodAffinity", "node(s) didn't match pod anti-affinity rules", true);
const NOT_WANTED = refusal("InterPodAffinity", "node(s) didn't satisfy existing pods anti-affinity rules", true);

/** Domains of one topology, with pods in them. */
interface Domains {
  readonly topologyKey: string;
  readonly pods: ReadonlyMap<string, number>;
}

export const podAffinity: Filter = (pod, { state }) => {
  const refusing: Domains[] = [];
  for (const { term, pods } of state.refusedTerms.all())
    if (termMeans(term, pod, state.labelsOfNamespace)) refusing.push(domainsOf(term, pods));
  const avoided = pod.antiAffinity.flatMap((term) => countsOf(term, state).map((pods) => domainsOf(term, pods)));
  const wanted = pod.affinity.length === 0 ? undefined : wantedDomains(pod, state);
  if (refusing.length === 0 && wanted === undefined && avoided.length === 0) return undefined;
  return (node) => {
    if (wanted !== undefined && !wanted(node)) return NOT_NEAR;
    if (avoided.some((domains) => isIn(domains, node))) return TOO_NEAR;
    return refusing.some((domains) => isIn(domains, node)) ? NOT_WANTED : undefined;
  };
};

/** Whether pods that all terms mean are in the domain of a node, of every term's topology. */
function wantedDomains(pod: PodInfo, state: ClusterState): (node: NodeInfo) => boolean {
  const terms = pod.affinity;
  const counts = countsOfAll(terms, state);
  // The first of pods that want each other has nobody yet.
  const isFirst =
    counts.every(({ byNode }) => byNode.size === 0) &&
    terms.every((term) => termMeans(term, pod, state.labelsOfNamespace));
  const domains = terms.map((term) => counts.map((pods) => domainsOf(term, pods)));
  return (node) =>
    terms.every(({ topologyKey }, index) => {
      if (!Object.hasOwn(node.labels, topologyKey)) return false;
      return isFirst || domains[index]!.some((each) => isIn(each, node));
    });
}

/** Pods that all of the terms mean. */
function countsOfAll(terms: readonly AffinityTerm[], state: ClusterState): readonly PodCounts[] {
  const [first, ...others] = terms;
  if (first === undefined) return [];
  if (others.length === 0) return countsOf(first, state);
  const counts = new PodCounts();
  for (const namespace of namespacesOf(first, state))
    for (const { info, node } of state.podsIn(namespace))
      if (terms.every((term) => termMeans(term, info, state.labelsOfNamespace))) counts.change(node, 1);
  return [counts];
}

/** Pods that the term means, by namespace. */
export function countsOf(term: AffinityTerm, state: ClusterState): readonly PodCounts[] {
  return namespacesOf(term, state).map((namespace) =>
    state.matches.bySelector(namespace, term.selector, { skipsTerminating: false }),
  );
}

function namespacesOf({ namespaces, namespaceSelector }: AffinityTerm, state: ClusterState): readonly string[] {
  if (namespaceSelector === undefined) return [...namespaces];
  return [...new Set([...namespaces, ...state.namespacesWhere((labels) => namespaceSelector.matches(labels))])];
}

const domainsOf = ({ topologyKey }: AffinityTerm, pods: PodCounts): Domains => ({
  topologyKey,
  pods: pods.inDomains(topologyKey),
});

function isIn({ topologyKey, pods }: Domains, { labels }: NodeInfo): boolean {
  return Object.hasOwn(labels, topologyKey) && pods.has(labels[topologyKey]!);
}
