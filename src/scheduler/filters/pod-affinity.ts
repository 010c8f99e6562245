// Filter: the pod is near the pods that it needs, and away from those it does not bear or that do not bear it. Pure.

import type { ClusterState } from "../state/cluster-state.ts";
import type { Domains } from "../state/domains.ts";
import { PodCounts } from "../state/pod-counts.ts";
import { type AffinityTerm, type PodInfo, termMeans } from "../state/pod-info.ts";
import { type Filter, refusal } from "./filter.ts";

const NOT_NEAR = refusal("InterPodAffinity", "node(s) didn't match pod affinity rules");
const TOO_NEAR = refusal("InterPodAffinity", "node(s) didn't match pod anti-affinity rules", true);
const NOT_WANTED = refusal("InterPodAffinity", "node(s) didn't satisfy existing pods anti-affinity rules", true);

/** Domains of one topology, and those with pods in them. */
interface Occupied {
  readonly domains: Domains;
  readonly pods: Readonly<Int32Array>;
}

export const podAffinity: Filter = (pod, { state }) => {
  const refusing: Occupied[] = [];
  for (const { term, pods } of state.refusedTerms.all())
    if (termMeans(term, pod, state.labelsOfNamespace)) refusing.push(occupied(term, pods, state));
  const avoided = pod.antiAffinity.flatMap((term) => countsOf(term, state).map((pods) => occupied(term, pods, state)));
  const wanted = pod.affinity.length === 0 ? undefined : wantedDomains(pod, state);
  if (refusing.length === 0 && wanted === undefined && avoided.length === 0) return undefined;
  return (node, place = node.place) => {
    if (wanted !== undefined && !wanted(place)) return NOT_NEAR;
    if (avoided.some((each) => isIn(each, place))) return TOO_NEAR;
    return refusing.some((each) => isIn(each, place)) ? NOT_WANTED : undefined;
  };
};

/** Whether pods that all terms mean are in the domain of a node, of every term's topology. */
function wantedDomains(pod: PodInfo, state: ClusterState): (place: number) => boolean {
  const terms = pod.affinity;
  const counts = countsOfAll(terms, state);
  const wanted = terms.map((term) => ({
    domains: state.domainsOf(term.topologyKey),
    places: counts.map((pods) => occupied(term, pods, state)),
  }));
  // The first of pods that want each other has nobody yet: those on nodes that are in no domain are near to nobody.
  const isFirst =
    terms.every((term) => termMeans(term, pod, state.labelsOfNamespace)) &&
    wanted.every(({ places }) => places.every(({ pods }) => pods.every((count) => count === 0)));
  return (place) =>
    wanted.every(({ domains, places }) => {
      if (domains.at(place) < 0) return false;
      return isFirst || places.some((each) => isIn(each, place));
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

function occupied({ topologyKey }: AffinityTerm, pods: PodCounts, state: ClusterState): Occupied {
  const domains = state.domainsOf(topologyKey);
  return { domains, pods: pods.inDomains(domains) };
}

function isIn({ domains, pods }: Occupied, place: number): boolean {
  const domain = domains.at(place);
  return domain >= 0 && pods[domain]! > 0;
}
