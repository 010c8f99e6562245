// Score: pods that this one prefers to be near or away from, and pods that prefer it so themselves. Pure.

import { namespacesOf } from "../filters/pod-affinity.ts";
import type { NodeInfo } from "../state/node-info.ts";
import { type AffinityTerm, termMeans } from "../state/pod-info.ts";
import { BEST, type Score } from "./score.ts";

/** What counts in the eyes of a pod that needs to be near this one, and already is somewhere. */
const NEEDED_BY_OTHERS = 1;

export const podPreferences: Score = (pod, nodes, { state }) => {
  /** topology key -> domain -> sum of weights */
  const sums = new Map<string, Map<string, number>>();
  const add = (node: NodeInfo, { topologyKey }: AffinityTerm, weight: number): void => {
    if (!Object.hasOwn(node.labels, topologyKey)) return;
    const domain = node.labels[topologyKey]!;
    const domains = sums.get(topologyKey) ?? new Map<string, number>();
    domains.set(domain, (domains.get(domain) ?? 0) + weight);
    sums.set(topologyKey, domains);
  };
  for (const { term, weight } of pod.preferences)
    for (const namespace of namespacesOf(term, state)) {
      const counts = state.matches.bySelector(namespace, term.selector, { skipsTerminating: false });
      for (const [node, count] of counts) add(node, term, weight * count);
    }
  for (const { info, node } of state.withTerms) {
    for (const { term, weight } of info.preferences)
      if (termMeans(term, pod, state.labelsOfNamespace)) add(node, term, weight);
    for (const term of info.affinity)
      if (termMeans(term, pod, state.labelsOfNamespace)) add(node, term, NEEDED_BY_OTHERS);
  }
  if (sums.size === 0) return undefined;
  const raw = nodes.map(({ labels }) => {
    let sum = 0;
    for (const [topologyKey, domains] of sums)
      if (Object.hasOwn(labels, topologyKey)) sum += domains.get(labels[topologyKey]!) ?? 0;
    return sum;
  });
  return between(raw);
};

/** The least is 0, the most 100; all equal, nothing. */
function between(raw: readonly number[]): readonly number[] | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const value of raw) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  if (max === min) return undefined;
  return raw.map((value) => Math.trunc((BEST * (value - min)) / (max - min)));
}
